// Routing by the URL's fragment: the console is one page, and one-time tokens in a fragment are never sent to a server.
import { useSyncExternalStore } from 'react';

export interface Route {
  /** `['bots', 'bot_…', 'contacts']` */
  segments: readonly string[];
  parameters: URLSearchParams;
}

const subscribe = (onChange: () => void) => {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
};

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parseRoute(hash);
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s, 2);
  const segments = path.split('/').filter((segment) => segment !== '');
  return { segments: segments.map(decodeSegment), parameters: new URLSearchParams(query) };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray percent sign, typed by hand, is taken literally.
    return segment;
  }
}

/** The `href` of a route. */
export function linkTo(
  segments: readonly string[],
  parameters: Record<string, string | number | undefined> = {},
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `#/${segments.map(encodeURIComponent).join('/')}${given.length > 0 ? `?${query}` : ''}`;
}

export function navigate(link: string, { isReplacing = false } = {}): void {
  if (!isReplacing) {
    location.hash = link;
    return;
  }
  history.replaceState(history.state, '', link);
  // replaceState fires no event.
  dispatchEvent(new HashChangeEvent('hashchange'));
}
