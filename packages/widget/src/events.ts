// Tells the page what happened, as DOM events. No detail ever holds a token.
import type { RosterEventMap } from '../types/roster.d.ts';
import type { Failure } from './failure.ts';

export type Detail<Name extends keyof RosterEventMap> = RosterEventMap[Name]['detail'];

export function tell<Name extends keyof RosterEventMap>(name: Name, detail: Detail<Name>): void {
  document.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
}

/** Also on the console: whoever sets a page up looks there first. */
export function tellFailure({ code, message }: Failure): void {
  console.warn(`[Roster] ${message}`);
  tell('roster:error', { code, message });
}
