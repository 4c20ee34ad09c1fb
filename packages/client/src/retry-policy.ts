// Decides whether a failed try is followed by another, and after how long. Pure: time and chance come in.
import { ApiError } from './api-errors.ts';
import { ConnectionError, type RosterError } from './errors.ts';
import type { Effect } from './operations.ts';

/** Waits do not grow beyond so many times the first. */
const growthMax = 16;
/** A server that asks for a longer pause gets none: the caller is told instead of being kept waiting. */
export const retryAfterMaxMs = 60_000;

/** Statuses that another try may turn into an answer. The other errors would come again. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/**
 * A write that may be applied twice is tried again after any passing failure. One that may not (`once`) is tried again
 * only when it is certain that nothing was done.
 */
export function isRetried(effect: Effect, error: RosterError): boolean {
  if (effect === 'once' && error.isOutcomeUnknown) return false;
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && passingStatuses.has(error.status) && retryAfterOf(error) <= retryAfterMaxMs;
}

/**
 * Exponential backoff with full jitter: anywhere between nothing and a bound that doubles, so that clients which failed
 * together do not come back together. A `Retry-After` is waited out first.
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
  // Date.parse makes a date of almost anything; HTTP's end in GMT.
  const dateMs = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/**
 * Whether a write with this answer may have been applied. Errors of the 400s are refusals. Of the 500s only Roster's own
 * `unavailable` says that nothing was written, unless its `Roster-Outcome` says otherwise; a gateway's 503 may hide an
 * answer that was lost behind it.
 */
export function leavesOutcomeUnknown(
  status: number,
  { code, outcome }: { code: string | undefined; outcome: string | null },
): boolean {
  return status >= 500 && (code !== 'unavailable' || outcome === 'unknown');
}

/**
 * Failures to connect, by the codes of Node's and Bun's fetch. Each is certain: others, like EHOSTUNREACH, may also end a
 * connection over which the request has gone out. Deno gives no codes.
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
