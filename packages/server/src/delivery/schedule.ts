// The rules of trying again: when, how often, and when a webhook is switched off. Pure: time and chance are passed in.

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Before the second attempt, the third, and so on. After the last one a delivery is given up. */
export const defaultRetriesMs: readonly number[] = [
  5 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** A tenth more or less, so that what failed together is not tried together. */
const jitterShare = 0.1;
/** However long a receiver asks us to wait. */
const retryAfterMaxMs = dayMs;

/** A webhook is switched off when all attempts have failed for this long, */
const failingMaxMs = 5 * dayMs;
/** and at least this many failed: a clock that was set forward makes one failure look old. */
const failuresMin = 5;

/** An outage has lasted for this long, or has had so many failures. */
export const outageMinMs = minuteMs;
export const outageFailuresMin = 5000;

/** How long to wait after so many failed attempts. Undefined: not at all, it is given up. */
export function retryDelayMs(
  retriesMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | undefined {
  const delayMs = retriesMs[attempts - 1];
  if (delayMs === undefined) return undefined;
  const withJitterMs = delayMs * (1 + jitterShare * (2 * random() - 1));
  return Math.round(Math.max(withJitterMs, Math.min(retryAfterMs ?? 0, retryAfterMaxMs)));
}

/** `Retry-After` is a number of seconds, or a date. Null: it is neither, or is over. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * secondMs : Date.parse(/[a-z]/i.test(text) ? text : '') - nowMs;
  return ms > 0 ? Math.min(ms, retryAfterMaxMs) : null;
}

/** Whether the status asks for a pause of all messages, and not only of the one that was sent. */
export function isPauseForAll(statusCode: number | null): boolean {
  return statusCode === 429 || statusCode === 503;
}

export interface Waiting {
  attempts: number;
  attemptedAtMs: number | null;
  dueAtMs: number | null;
}

/**
 * How long a delivery still waits. Never longer than was decided when it failed: its times may be those of a clock that was ahead
 * and has been put back since.
 */
export function remainingWaitMs({ attempts, attemptedAtMs, dueAtMs }: Waiting, nowMs: number): number {
  if (attempts === 0 || attemptedAtMs === null || dueAtMs === null) return 0;
  return Math.max(0, Math.min(dueAtMs - nowMs, dueAtMs - attemptedAtMs));
}

/** Whether a webhook is to be switched off. */
export function hasFailedTooLong(failingForMs: number, failures: number): boolean {
  return failingForMs >= failingMaxMs && failures >= failuresMin;
}
