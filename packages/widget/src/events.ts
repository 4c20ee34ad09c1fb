// Notifies the page by DOM events. No detail ever contains a token.
import type { RosterEventMap } from '../types/roster.d.ts';
import type { Failure } from './failure.ts';

export type Detail<Name extends keyof RosterEventMap> = RosterEventMap[Name]['detail'];

export function dispatch<Name extends keyof RosterEventMap>(name: Name, detail: Detail<Name>): void {
  document.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
}

/** Also logs to the console, where a developer who sets up a page looks first. */
export function reportFailure({ code, message }: Failure): void {
  console.warn(`[Roster] ${message}`);
  dispatch('roster:error', { code, message });
}
