// Sends one message to a receiver, and says how it was answered. Follows no redirect, takes at most ten seconds, and reads no more
// of an answer than is kept.
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { limits } from '@roster/contract';
import { isPublicAddress } from '../network/public-addresses.ts';
import { version } from '../version.ts';
import { type ConnectionSettings, type Connections, PrivateAddressError, prepareConnections } from './connections.ts';
import { parseRetryAfter } from './schedule.ts';
import { type Secrets, signatureHeaders } from './signature.ts';

/** Where messages go to, and what signs them. */
export interface Outgoing extends Secrets {
  url: string;
}

export interface Message {
  /** The same in each attempt: receivers know a message that they have already by it. */
  id: string;
  body: string;
}

export interface SendResult {
  /** Null: there was no answer. */
  statusCode: number | null;
  /** How the answer begins. Null: there was none. */
  response: string | null;
  /** Whether it comes from a private network, whose services answer what members need not know. */
  isPrivate: boolean;
  /** Why there was no answer. It names no address and no part of the URL. */
  error: string | null;
  /** How long the receiver asks to wait. */
  retryAfterMs: number | null;
  durationMs: number;
}

/** Never rejects, but with the reason of an aborted signal. */
export type Send = (to: Outgoing, message: Message, signal?: AbortSignal) => Promise<SendResult>;

export interface SendSettings extends ConnectionSettings {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Of an exchange, to the end of its answer. */
  timeoutMs?: number | undefined;
}

/** A receiver that needs longer should accept the message first, and work on it later. */
const defaultTimeoutMs = 10_000;
/** Enough for the characters that are kept, whatever they are. */
const responseBytesMax = limits.webhookResponseLength * 4;

export function isSuccess({ statusCode }: Pick<SendResult, 'statusCode'>): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

export function headersOf(secrets: Secrets, message: Message, nowMs: number) {
  return {
    'content-type': 'application/json',
    'user-agent': `Roster/${version}`,
    ...signatureHeaders(secrets, message, nowMs),
  };
}

export interface Sender {
  send: Send;
  /** Ends idle connections. */
  close(): void;
}

export function prepareSend(settings: SendSettings): Sender {
  const { clock, timeoutMs = defaultTimeoutMs } = settings;
  const connections = prepareConnections(settings);

  const exchange = async (to: Outgoing, message: Message, ended: AbortSignal) => {
    const url = new URL(to.url);
    const headers = { ...headersOf(to, message, clock()), 'content-length': Buffer.byteLength(message.body) };
    const answer = await post(connections, url, { headers, signal: ended }, message.body);
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock());
    const isPrivate = !isPublicAddress(answer.socket.remoteAddress ?? '');
    const response = await readBeginning(answer);
    return { statusCode: answer.statusCode ?? 0, response, isPrivate, error: null, retryAfterMs };
  };

  const send: Send = async (to, message, signal) => {
    signal?.throwIfAborted();
    const startMs = performance.now();
    const ending = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      ending.abort();
    }, timeoutMs);
    const end = () => ending.abort();
    signal?.addEventListener('abort', end);
    const outcome = await exchange(to, message, ending.signal).catch((error: Error) => ({
      statusCode: null,
      response: null,
      isPrivate: false,
      error: isLate ? `No response within ${timeoutMs / 1000} seconds` : reasonOf(error),
      retryAfterMs: null,
    }));
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    signal?.throwIfAborted();
    return { ...outcome, durationMs: Math.round(performance.now() - startMs) };
  };

  return { send, close: () => connections.close() };
}

interface PostOptions {
  headers: OutgoingHttpHeaders;
  signal: AbortSignal;
}

/** Resolves with the head of the answer. */
async function post(connections: Connections, url: URL, options: PostOptions, body: string): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const begin = isSecure ? requestSecure : requestPlain;
  const common = { ...options, method: 'POST', defaultPort: isSecure ? 443 : 80 };
  const first = begin(url, { ...common, agent: connections.agentFor(url.protocol) });
  try {
    return await answerTo(first, body);
  } catch (error) {
    // The receiver may close a kept connection at the moment that it is used again. Whether it has read the message is unknown:
    // it may get it twice, with the same id.
    if (!first.reusedSocket || options.signal.aborted || !isConnectionLost(error)) throw error;
    return await answerTo(begin(url, { ...common, createConnection: connections.connect }), body);
  }
}

function answerTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve);
  // Stays for the whole exchange: what fails while the answer is read is known to its reader.
  request.on('error', reject);
  // Some requests end without either, such as those that are answered with a change of protocols.
  request.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  request.end(body);
  return promise;
}

/** Ends the connection of a body that is longer. One that breaks off is no failure: the status says how the message was taken. */
async function readBeginning(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= responseBytesMax) break;
    }
  } catch {
    // What came before it broke off is kept.
  }
  // `stream` drops a character whose bytes are cut off at the end.
  const text = new TextDecoder().decode(Buffer.concat(chunks), { stream: true });
  // PostgreSQL takes no NUL, and terminals act on other control characters.
  const harmless = text.replace(controlCharacters, '\ufffd');
  return Array.from(harmless).slice(0, limits.webhookResponseLength).join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all but tabs and line breaks are replaced.
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

function isConnectionLost(error: unknown): boolean {
  return /^(ECONNRESET|EPIPE|ECONNABORTED)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

/** By the code of an error: its message may hold an address. */
const reasons: readonly [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'The connection was refused'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'The connection was closed without a response'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/, 'The host is unreachable'],
  [
    /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
    'The certificate is not valid',
  ],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO)/, 'The TLS handshake failed'],
  [/^HPE_/, 'The response was not HTTP'],
];

function reasonOf(error: Error): string {
  if (error instanceof PrivateAddressError) return 'The address is not public';
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (/^(getaddrinfo|query)/.test(syscall)) return 'The host name was not found';
  return reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'The connection failed';
}
