// A page of a contact's tokens, as both engines make it of the rows that they read.
import type { ContactTokenPage, ContactTokenState, TokenPosition } from './store.ts';

export interface TokenRow extends ContactTokenState {
  hash: Uint8Array;
}

/** Before all tokens. */
export const firstPosition: TokenPosition = { createdAtMs: -1, hash: new Uint8Array() };

/** `rows` are one more than asked for when there is a next page. */
export function toTokenPage(rows: readonly TokenRow[], limit: number): ContactTokenPage {
  const page = rows.slice(0, limit);
  const tokens = page.map(({ createdAtMs, expiresAtMs, lastSeenAtMs }) => ({ createdAtMs, expiresAtMs, lastSeenAtMs }));
  const last = page.at(-1);
  const isLast = rows.length <= limit || last === undefined;
  return { tokens, next: isLast ? undefined : { createdAtMs: last.createdAtMs, hash: last.hash } };
}

/** How many tokens stay of more than `max`: to find the oldest takes long, so it is not done for each new one. */
export function keptOf(max: number): number {
  return max - Math.floor(max / 100);
}
