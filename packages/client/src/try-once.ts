// One request and its whole answer, within a time and until the caller's signal. It never rejects: what happened is a
// value, and transport.ts decides what it means.

/** What the client asks of a `fetch`: little enough that the platform's, undici's and node-fetch's all fit. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  /** A redirect would carry the secret to an address that nobody configured. */
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
  // Raced, and not left to fetch: a custom one may not listen to its signal.
  const stopped = new Promise<TryOutcome>((resolve) => {
    onAbort = () => resolve({ kind: 'aborted', reason: signal?.reason, wasSent: true });
    timer = setTimeout(() => resolve({ kind: 'timed out' }), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const exchanged = exchange(fetch, url, { ...init, signal: controller.signal });
  const outcome = await Promise.race([exchanged, stopped]);
  clearTimeout(timer);
  // A signal may live as long as the program, so a listener left on it would be a leak.
  signal?.removeEventListener('abort', onAbort);
  if (outcome.kind !== 'answered') controller.abort();
  return outcome;
}

/** The body is always read: a connection with an unread answer cannot be used again. */
async function exchange(fetch: Fetch, url: string, init: FetchInit): Promise<TryOutcome> {
  try {
    const answer = await fetch(url, init);
    return { kind: 'answered', status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (thrown) {
    return { kind: 'failed', thrown };
  }
}
