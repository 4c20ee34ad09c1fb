// One request and its complete answer, limited by a timeout and the caller's signal. It never rejects: the outcome is a
// value, which outcome.ts interprets.

/** The part of `fetch` that the client uses: the platform's, undici's and node-fetch's all fit. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  /** Redirects are not followed: they would send the secret to an address that was not configured. */
  redirect: 'manual';
  signal: AbortSignal;
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export type TryOutcome =
  | { kind: 'answered'; status: number; headers: FetchAnswer['headers']; text: string }
  | { kind: 'failed'; thrown: unknown }
  | { kind: 'timed out' }
  | { kind: 'aborted'; reason: unknown; wasSent: boolean };

export interface TryLimits {
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export async function tryOnce(
  fetch: Fetch,
  url: string,
  init: Omit<FetchInit, 'signal'>,
  { timeoutMs, signal }: TryLimits,
): Promise<TryOutcome> {
  if (signal?.aborted) return { kind: 'aborted', reason: signal.reason, wasSent: false };
  const controller = new AbortController();
  let onAbort = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The timeout and the abort race with fetch, because a custom fetch may ignore its signal.
  const stopped = new Promise<TryOutcome>((resolve) => {
    onAbort = () => resolve({ kind: 'aborted', reason: signal?.reason, wasSent: true });
    timer = setTimeout(() => resolve({ kind: 'timed out' }), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  // Every try gets a copy of the headers, because a custom fetch may change them.
  const exchanged = exchange(fetch, url, { ...init, headers: { ...init.headers }, signal: controller.signal });
  const outcome = await Promise.race([exchanged, stopped]);
  clearTimeout(timer);
  // The signal may live as long as the program, so a listener left on it would leak memory.
  signal?.removeEventListener('abort', onAbort);
  if (outcome.kind !== 'answered') controller.abort();
  return outcome;
}

/** The body is always read: a connection with an unread body cannot be reused. */
async function exchange(fetch: Fetch, url: string, init: FetchInit): Promise<TryOutcome> {
  try {
    const answer = await fetch(url, init);
    return { kind: 'answered', status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (thrown) {
    return { kind: 'failed', thrown };
  }
}
