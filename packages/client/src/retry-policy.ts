// Decides whether a failed try is retried, and after which delay. Pure: the clock and randomness are arguments.
import { ApiError } from './api-errors.ts';
import { ConnectionError, type RosterError } from './errors.ts';
import type { Effect } from './operations.ts';

/** The upper limit of the delay, as a multiple of the first one. */
const growthMax = 16;
/** A longer `Retry-After` is not waited for: the call rejects at once, and the caller decides. */
const retryAfterMaxMs = 60_000;

/** Statuses of failures that may be temporary. The same request would get any other error again. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Idempotent operations are retried after any temporary failure. Others (`once`) are retried only when it is certain
 * that nothing was written.
 */
export function isRetried(effect: Effect, error: RosterError): boolean {
  if (effect === 'once' && error.isOutcomeUnknown) return false;
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && retryableStatuses.has(error.status) && retryAfterOf(error) <= retryAfterMaxMs;
}

/**
 * Exponential backoff with full jitter: a random delay up to a limit that doubles with each retry, so that clients
 * which failed together do not return together. It is added to a `Retry-After`.
 */
export function retryWaitMs(
  retry: number,
  { delayMs, error, random }: { delayMs: number; error: RosterError; random: () => number },
): number {
  return retryAfterOf(error) + random() * delayMs * Math.min(2 ** retry, growthMax);
}

function retryAfterOf(error: RosterError): number {
  return (error instanceof ApiError ? error.retryAfterMs : undefined) ?? 0;
}

/** Seconds or a date (RFC 9110, 10.2.3). Undefined when there is none, or one that cannot be read. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts almost anything, but every HTTP date ends in GMT.
  const dateMs = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/**
 * Whether a write with this answer may have been applied. A 4xx means that nothing was written. Of the 5xx, only
 * Roster's own `unavailable` without `Roster-Outcome: unknown` guarantees that; a gateway's 503 may stand for a lost
 * answer.
 */
export function leavesOutcomeUnknown(
  status: number,
  { code, outcome }: { code: string | undefined; outcome: string | null },
): boolean {
  return status >= 500 && (code !== 'unavailable' || outcome === 'unknown');
}

/**
 * Codes of Node's and Bun's fetch that mean that no connection was established. Others, like EHOSTUNREACH, may also end
 * a connection over which the request was sent. Deno's errors have no codes.
 */
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

export function wasNeverSent(code: string | undefined): boolean {
  return code !== undefined && unsentCodes.has(code);
}
