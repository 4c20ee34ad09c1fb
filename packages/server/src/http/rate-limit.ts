// What a counted rate limit means for an answer: its headers, or a 429.
import type { RateState } from '../account/rate-limit.ts';
import { ApiError } from './api-error.ts';

/** The headers to answer with. Throws `rate_limited` when there were too many attempts. */
export function requireWithinLimit(state: RateState): Record<string, string> {
  if (state.isExceeded) throw rateLimited(state);
  return headersOf(state);
}

export function rateLimited(state: RateState): ApiError {
  const { resetSeconds } = state;
  return new ApiError('rate_limited', `Too many requests. Try again in ${inWords(resetSeconds)}.`, {
    headers: { ...headersOf(state), 'retry-after': String(resetSeconds) },
  });
}

function headersOf({ name, perWindow, windowSeconds, remaining, resetSeconds }: RateState): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${perWindow};w=${windowSeconds}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

function inWords(seconds: number): string {
  return seconds <= 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
