// A page of a contact's tokens, as both engines make it of the rows that they read.
import type { ContactTokenPage, ContactTokenState, TokenPosition } from '../store.ts';

/** The position before the first token. */
export const firstPosition: TokenPosition = { createdAtMs: -1, hash: new Uint8Array() };

/** `rows` are one more than asked for when there is a next page. */
export function toTokenPage(rows: readonly ContactTokenState[], limit: number): ContactTokenPage {
  const tokens = rows.slice(0, limit);
  return { tokens, next: rows.length > limit ? tokens.at(-1) : undefined };
}

export const dayMs = 86_400_000;
/** How often a token moves the time of its contact, whose row is long, and in many indexes. */
export const contactSeenEveryMs = 5 * 60_000;

/** Whether a token that was last seen then is seen for the first time in a period, such as a day in UTC. */
export function beginsPeriod(periodMs: number, lastSeenAtMs: number | null | undefined, seenAtMs: number): boolean {
  return lastSeenAtMs == null || Math.floor(lastSeenAtMs / periodMs) < Math.floor(seenAtMs / periodMs);
}

/** How many tokens are kept when there are more than `max`: fewer than `max`, so that the slow search for the oldest is not repeated for each new one. */
export function keptOf(max: number): number {
  return max - Math.floor(max / 100);
}
