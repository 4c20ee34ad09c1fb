// How often a password may be guessed: what is counted, and the exponential backoff, as pure functions. An engine calls
// `waitMsOf` and `withAttempt` inside the transaction that reads and writes the counts.
import { hash } from 'node:crypto';
import type { RateState } from './rate-limit.ts';

export interface Backoff {
  /** So many wrong ones cost nobody any time. */
  free: number;
  /** How long the next attempt has to wait after these; each further one doubles it, up to `maxWaitMs`. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** One is forgiven after this time, then the one before it, and so on. */
  forgiveMs: number;
}

/** The attempts under one key, as they are stored. */
export interface AttemptCount {
  lastAtMs: number;
  /** When all of them are forgiven: their number is the time between, in units of `forgiveMs`. */
  forgivenAtMs: number;
}

/** What an attempt is counted under. */
export interface Counted {
  /** A hash: members type their password where the email belongs, and nobody may read it in the store. */
  key: string;
  backoff: Backoff;
}

const minuteMs = 60_000;

/** Of one guesser: enough for who mistypes, and then some 100 a day. */
const oneGuesser: Backoff = { free: 10, firstWaitMs: 1000, maxWaitMs: 15 * minuteMs, forgiveMs: 60 * minuteMs };
/**
 * Of all strangers together, on one account: some 3,000 guesses a day, from however many addresses. So much that 30 addresses
 * at the pace of one guesser do not use it up, and do not keep the owner out who signs in with a new browser.
 */
const allStrangers: Backoff = {
  free: 300,
  firstWaitMs: minuteMs / 2,
  maxWaitMs: minuteMs / 2,
  forgiveMs: minuteMs / 2,
};
/** Of one address, over all accounts: an office behind one address mistypes less often. */
const oneAddress: Backoff = { free: 100, firstWaitMs: 1000, maxWaitMs: minuteMs / 2, forgiveMs: minuteMs / 2 };

/** A time so far ahead was written while a clock was wrong. Clocks of several servers differ by less. */
const clockSkewMaxMs = minuteMs;

/** The first is that of the guesser, whom a right password forgives all; the others get back one attempt. */
export type Counts = readonly [Counted, ...Counted[]];

/**
 * `organizationId` is that of an attempt at one membership of the email: a right password there must not forgive wrong ones
 * at others.
 */
export function countsOfStranger(emailKey: string, addressKey: string, organizationId = ''): Counts {
  return [
    { key: keyOf('account and address', emailKey, addressKey, organizationId), backoff: oneGuesser },
    { key: keyOf('account', emailKey), backoff: allStrangers },
    { key: keyOf('address', addressKey), backoff: oneAddress },
  ];
}

/** Counted apart from all others, who so cannot keep it out. */
export function countsOfDevice(deviceId: string): Counts {
  return [{ key: keyOf('device', deviceId), backoff: oneGuesser }];
}

/** Of somebody who is signed in and is asked for the password again. */
export function countsOfSession(sessionHash: Uint8Array): Counts {
  return [{ key: keyOf('session', Buffer.from(sessionHash).toString('base64url')), backoff: oneGuesser }];
}

function keyOf(...parts: [kind: string, ...string[]]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** How long an attempt has to wait now. 0: it may be made. */
export function waitMsOf(backoff: Backoff, count: AttemptCount | undefined, nowMs: number): number {
  if (count === undefined || count.forgivenAtMs <= nowMs || count.lastAtMs > nowMs + clockSkewMaxMs) return 0;
  const { free, firstWaitMs, maxWaitMs, forgiveMs } = backoff;
  const attempts = Math.ceil((count.forgivenAtMs - count.lastAtMs) / forgiveMs);
  if (attempts < free) return 0;
  const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** (attempts - free));
  return Math.max(0, count.lastAtMs + waitMs - nowMs);
}

/** The count with one attempt more. It stops growing where the wait does, so that it is forgiven in time. */
export function withAttempt(backoff: Backoff, count: AttemptCount | undefined, nowMs: number): AttemptCount {
  const { free, firstWaitMs, maxWaitMs, forgiveMs } = backoff;
  const attemptsMax = free + Math.ceil(Math.log2(maxWaitMs / firstWaitMs));
  const forgivenAtMs = Math.max(count?.forgivenAtMs ?? 0, nowMs) + forgiveMs;
  return { lastAtMs: nowMs, forgivenAtMs: Math.min(forgivenAtMs, nowMs + attemptsMax * forgiveMs) };
}

/** What a refusal says. */
export function rateStateOf({ free, forgiveMs }: Backoff, waitMs: number): RateState {
  return {
    name: 'password',
    perWindow: free,
    windowSeconds: (free * forgiveMs) / 1000,
    remaining: 0,
    resetSeconds: Math.ceil(waitMs / 1000),
    isExceeded: true,
  };
}
