// Sessions of the console: what begins one, whose it is, and when it ends. Only a hash of its token is kept.
import { hash } from 'node:crypto';
import { limits } from '@roster/contract';
import { idOfBytes } from '../contacts/ids.ts';
import type { Logger } from '../log.ts';
import type { ConfirmedSession, FoundSession, NewSession } from '../store/account/account-store.ts';
import type { Store } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';
import { describeBrowser } from './browsers.ts';
import { hashCredential, makeToken, tokenPattern } from './credentials.ts';

/** However much it is used. */
export const sessionTtlMs = 30 * 86_400_000;
/** Without being used. */
export const sessionIdleMs = 12 * 3_600_000;
/** A session in use is written this often, and not with each request. */
const noteEveryMs = 60_000;

/** What is known of a browser when it begins a session. */
export interface Browser {
  userAgent: string | undefined;
  address: string | undefined;
}

/** A token that was replaced works on for so long, for requests that are in flight. */
const replacedTokenMs = 10_000;

/** A session as seen by a request that carries its token. */
export interface SignedIn extends FoundSession {
  csrfToken: string;
}

/** Every sign-in has a new token, so that a token planted in a browser never becomes a session (session fixation). */
export function makeSession(nowMs: number, { userAgent, address }: Browser): { token: string; session: NewSession } {
  const token = makeToken();
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + sessionTtlMs };
  return { token, session: { hash: hashCredential(token), ...times, browser: describeBrowser(userAgent), address } };
}

/** Tells the sessions of a member apart. The hash itself stays here: it is what the store knows them by. */
export function sessionIdOf(sessionHash: Uint8Array): string {
  return idOfBytes('session', hashCredential(`roster session ${Buffer.from(sessionHash).toString('base64url')}`));
}

/** From then on the session has another token: one that was stolen before is worth nothing. */
export function makeConfirmation(nowMs: number): { token: string; confirmed: ConfirmedSession } {
  const token = makeToken();
  const previousUntilMs = nowMs + replacedTokenMs;
  return { token, confirmed: { confirmedAtMs: nowMs, tokenHash: hashCredential(token), previousUntilMs } };
}

/** Derived from what scripts cannot read: only a page that has read an answer of this session knows it. */
export function csrfTokenOf(sessionHash: Uint8Array): string {
  return hash('sha256', `roster csrf ${Buffer.from(sessionHash).toString('base64url')}`, 'base64url');
}

type Times = Pick<FoundSession, 'expiresAtMs' | 'lastSeenAtMs'>;

interface SessionDeps {
  store: Pick<Store, 'findSession' | 'noteSessionSeen'>;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Reads the store each time: a session that was ended is refused at once, by every server. A request that was let in with a token
 * is not refused because that was replaced meanwhile.
 */
export async function findSession(
  { store, clock, logger }: SessionDeps,
  token: string,
  { wasLetIn = false } = {},
): Promise<SignedIn | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const found = await store.findSession(hashCredential(token));
  const nowMs = clock();
  if (found === undefined || !isLive(found, nowMs)) return undefined;
  const { hash, tokenEndsAtMs = Number.POSITIVE_INFINITY } = found;
  if (nowMs >= tokenEndsAtMs && !wasLetIn) return undefined;
  try {
    if (nowMs >= found.lastSeenAtMs + noteEveryMs) await store.noteSessionSeen(hash, contextAt(nowMs));
  } catch (error) {
    // On a full disk members can still read. The session ends early at the worst.
    logger.warn({ err: error }, 'could not note that a session was used');
  }
  return { ...found, csrfToken: csrfTokenOf(hash) };
}

/** The most harmful operations need a password typed lately: a session may have been left open, or stolen. */
export function hasRecentPassword({ confirmedAtMs }: Pick<FoundSession, 'confirmedAtMs'>, nowMs: number): boolean {
  return nowMs < confirmedAtMs + limits.recentPasswordMs;
}

export function isLive({ expiresAtMs, lastSeenAtMs }: Times, nowMs: number): boolean {
  return nowMs < expiresAtMs && nowMs < lastSeenAtMs + sessionIdleMs;
}
