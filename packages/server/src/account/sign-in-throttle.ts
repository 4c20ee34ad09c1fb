// How often a password may be guessed: what an attempt is counted under, and the limits. store/account/backoff.ts has the rules.
import { hash } from 'node:crypto';
import type { Backoff, Counted } from '../store/account/backoff.ts';
import type { RateState } from './rate-limit.ts';

const minuteMs = 60_000;

/** For one guesser: enough for typing errors, then some 100 guesses a day. */
const oneGuesser: Backoff = { free: 10, firstWaitMs: 1000, maxWaitMs: 15 * minuteMs, forgiveMs: 60 * minuteMs };
/**
 * For all strangers together on one account: some 3,000 guesses a day, from any number of addresses. Thirty addresses at the
 * pace of one guesser do not use it up, so they cannot keep out the owner who signs in with a new browser.
 */
const allStrangers: Backoff = {
  free: 300,
  firstWaitMs: minuteMs / 2,
  maxWaitMs: minuteMs / 2,
  forgiveMs: minuteMs / 2,
};
/** For one address over all accounts: the members of an office behind one address mistype less often. */
const oneAddress: Backoff = { free: 100, firstWaitMs: 1000, maxWaitMs: minuteMs / 2, forgiveMs: minuteMs / 2 };

/** A right password clears the first, the guesser's own; the others get one attempt back. */
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

/** A known browser is counted apart, so that guesses from elsewhere cannot keep it out. */
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
