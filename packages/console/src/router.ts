// Where one is, kept in the fragment: the console is one page, and one-time tokens never reach a server by an address.
import { useSyncExternalStore } from 'react';

export interface Place {
  /** `['bots', 'bot_…', 'contacts']` */
  segments: readonly string[];
  parameters: URLSearchParams;
}

const subscribe = (onChange: () => void) => {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
};

export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return readPlace(hash);
}

export function readPlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s, 2);
  const segments = path.split('/').filter((segment) => segment !== '');
  return { segments: segments.map(decodeSegment), parameters: new URLSearchParams(query) };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray percent sign, typed by hand: it stands for itself.
    return segment;
  }
}

/** The address of a place, for links. */
export function linkTo(
  segments: readonly string[],
  parameters: Record<string, string | number | undefined> = {},
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `#/${segments.map(encodeURIComponent).join('/')}${given.length > 0 ? `?${query}` : ''}`;
}

export function goTo(link: string, { isReplacing = false } = {}): void {
  if (!isReplacing) {
    location.hash = link;
    return;
  }
  history.replaceState(history.state, '', link);
  // Replacing tells nobody.
  dispatchEvent(new HashChangeEvent('hashchange'));
}
