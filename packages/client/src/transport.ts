// Sends a request with retries, and returns the answer or throws an error. It knows neither resources nor the kind of
// credential in the headers.
import { fillPath, makeQuery, type Parameters } from './address.ts';
import { ApiError } from './api-errors.ts';
import { RosterError, UsageError } from './errors.ts';
import type { Operation } from './operations.ts';
import { type Answer, readOutcome } from './outcome.ts';
import { makeRedactor } from './redaction.ts';
import { isRetried, retryWaitMs } from './retry-policy.ts';
import { type Fetch, type FetchInit, tryOnce } from './try-once.ts';

/** What every method takes as its last argument. */
export interface RequestOptions {
  /** Ends the call: the request in flight, or the delay before the next try. */
  signal?: AbortSignal | undefined;
  /** For each try. Default: the client's. */
  timeoutMs?: number | undefined;
  /** Tries after the first. Default: the client's. */
  maxRetries?: number | undefined;
}

/** What a call resolves with. */
export interface Result<Data> {
  status: number;
  data: Data;
}

/** The argument of `onRetry`. */
export interface Retry {
  operation: string;
  /** 1 before the second try. */
  retry: number;
  waitMs: number;
  /** Why the try before failed. */
  error: RosterError;
}

export interface TransportSettings {
  /** The URL of the bot, to which the paths of operations are appended. */
  botUrl: string;
  headers: Readonly<Record<string, string>>;
  /** Texts that no error may contain. */
  secrets: readonly string[];
  fetch: Fetch;
  timeoutMs: number;
  maxRetries: number;
  retryDelayMs: number;
  onRetry: ((retry: Retry) => void) | undefined;
}

export interface Call {
  operation: Operation;
  path?: Readonly<Record<string, unknown>>;
  query?: Parameters;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Undefined: no body. */
  body?: unknown;
  /** Texts that no error may contain, in addition to the transport's own. */
  secrets?: readonly string[];
}

/** A longer timer would overflow and fire at once. */
const timeoutMaxMs = 2 ** 31 - 1;

export class Transport {
  readonly #settings: TransportSettings;

  constructor(settings: TransportSettings) {
    checkTries(settings);
    this.#settings = settings;
  }

  async call<Body>(call: Call, options: RequestOptions = {}): Promise<Answer<Body>> {
    const { fetch, retryDelayMs, onRetry } = this.#settings;
    const { timeoutMs = this.#settings.timeoutMs, maxRetries = this.#settings.maxRetries, signal } = options;
    checkTries({ timeoutMs, maxRetries });
    const { operation } = call;
    const { url, init, redact } = this.#prepare(call);
    const about = { operation, isOutcomeUnknown: false, timeoutMs, origin: new URL(url).origin, redact };
    for (let retry = 0; ; retry++) {
      const result = readOutcome<Body>(await tryOnce(fetch, url, init, { timeoutMs, signal }), about);
      if (!(result instanceof RosterError)) return result;
      // An earlier try, whose answer was lost, may have removed it already: the call has succeeded.
      if (operation.effect === 'removal' && about.isOutcomeUnknown && isNotFound(result)) {
        return { status: operation.success, body: null as Body };
      }
      if (retry >= maxRetries || !isRetried(operation.effect, result)) throw result;
      about.isOutcomeUnknown = result.isOutcomeUnknown;
      const waitMs = retryWaitMs(retry, { delayMs: retryDelayMs, error: result, random: Math.random });
      onRetry?.({ operation: operation.id, retry: retry + 1, waitMs, error: result });
      await pause(waitMs, signal);
    }
  }

  /** For operations whose answer is `data` alone, or nothing: `null`. */
  async resultOf<Data>(call: Call, options?: RequestOptions): Promise<Result<Data>> {
    const { status, body } = await this.call<{ data: Data } | null>(call, options);
    return { status, data: body === null ? (null as Data) : body.data };
  }

  #prepare({ operation, path = {}, query = {}, headers: ofCall, body, secrets = [] }: Call) {
    const url = `${this.#settings.botUrl}${fillPath(operation.path, path)}${makeQuery(query)}`;
    const json = body === undefined ? undefined : toJson(operation, body);
    const ofBody = json !== undefined && { 'Content-Type': 'application/json' };
    const headers = { ...this.#settings.headers, ...ofCall, ...ofBody };
    const init = { method: operation.method, headers, redirect: 'manual', ...(json !== undefined && { body: json }) };
    return {
      url,
      init: init as Omit<FetchInit, 'signal'>,
      redact: makeRedactor([...this.#settings.secrets, ...secrets]),
    };
  }
}

function toJson({ id }: Operation, body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new UsageError('the input cannot be written as JSON', { operation: id, cause });
  }
}

/** Decided by Roster's error code and not by the status: a proxy may answer 404 for reasons of its own. */
function isNotFound(error: RosterError): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

function checkTries({ timeoutMs, maxRetries }: { timeoutMs: number; maxRetries: number }): void {
  if (!(timeoutMs > 0 && timeoutMs <= timeoutMaxMs)) {
    throw new UsageError(`timeoutMs must be a number of milliseconds from 1 to ${timeoutMaxMs}`);
  }
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) {
    throw new UsageError('maxRetries must be a whole number of 0 or more');
  }
}

/** Ends early when the signal is aborted; the next try then fails with an AbortError. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
