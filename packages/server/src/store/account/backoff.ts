// The exponential backoff of attempts with a password, as pure functions. An engine calls them inside the transaction that reads
// and writes the counts, so that no attempt slips through between the two.

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

/** A time so far ahead was written while a clock was wrong. Clocks of several servers differ by less. */
const clockSkewMaxMs = 60_000;

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
