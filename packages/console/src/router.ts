// Routing by the URL's fragment: the console is one page, and one-time tokens in a fragment are never sent to a server.
import { useSyncExternalStore } from 'react';

export interface Route {
  /** `['bots', 'bot_…', 'contacts']` */
  segments: readonly string[];
  parameters: URLSearchParams;
}

/** The fragment whose page is shown. The address may be ahead of it, while the user is asked about unsaved edits. */
let shown = location.hash;
/** The place of the shown page among the entries of this tab's history, by which a move can be taken back. */
let position = Number(history.state?.position ?? 0);
history.replaceState({ position }, '');
/** Set while a page has something to lose: returns whether the user has to be asked first. */
let guard: ((goOn: () => void) => boolean) | undefined;
const listeners = new Set<() => void>();

const subscribe = (onChange: () => void) => {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
};

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => shown);
  return parseRoute(hash);
}

/** The path of the page that is shown, without its parameters. */
export function pathShown(): string {
  return shown.replace(/\?.*/s, '');
}

/** Asks `isHeld` before a link or the browser's buttons lead to another page. Returns the end of it. */
export function guardNavigation(isHeld: (goOn: () => void) => boolean): () => void {
  guard = isHeld;
  return () => {
    if (guard === isHeld) guard = undefined;
  };
}

function show(): void {
  position = Number(history.state?.position ?? position + 1);
  if (history.state?.position !== position) history.replaceState({ position }, '');
  shown = location.hash;
  for (const listener of listeners) listener();
}

// Links, the browser's buttons, and addresses typed by hand.
addEventListener('hashchange', () => {
  const wanted = location.hash;
  if (wanted === shown) return;
  const isHeld = guard?.(() => navigate(wanted === '' ? '#/' : wanted)) ?? false;
  if (!isHeld) return show();
  // A new entry has no position yet, and is one ahead.
  history.go(position - Number(history.state?.position ?? position + 1));
});

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

/** For the console itself, after an action: nobody is asked about unsaved edits. */
export function navigate(link: string, { isReplacing = false } = {}): void {
  if (isReplacing) history.replaceState(history.state, '', link);
  else location.hash = link;
  // At once: the event of a new fragment comes later, and replaceState fires none.
  if (location.hash !== shown) show();
}
