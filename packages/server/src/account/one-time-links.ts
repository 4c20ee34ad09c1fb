// One-time links, which Roster makes and owners pass on. The secret part is the fragment, which browsers send to no
// server; only its hash is stored.
import type { AccountStore, NewLink } from '../store/account/account-store.ts';
import { contextAt } from '../store/write-context.ts';
import { hashCredential, makeToken } from './credentials.ts';

export const invitationTtlMs = 7 * 86_400_000;
export const passwordResetTtlMs = 86_400_000;

/** `url` is shown once. */
export function makeLink(publicUrl: string, nowMs: number, ttlMs: number): { url: string; link: NewLink } {
  const token = makeToken();
  const link = { hash: hashCredential(token), createdAtMs: nowMs, expiresAtMs: nowMs + ttlMs };
  return { url: `${publicUrl}/console#/link/${token}`, link };
}

/** A new set-up code, which replaces any before it. Undefined when an owner exists. */
export async function makeSetUpCode(
  store: Pick<AccountStore, 'keepSetUpCode'>,
  nowMs: number,
): Promise<string | undefined> {
  const code = makeToken();
  return (await store.keepSetUpCode(hashCredential(code), contextAt(nowMs))) ? code : undefined;
}

export function setUpUrl(publicUrl: string, code: string): string {
  return `${publicUrl}/console#/setup/${code}`;
}
