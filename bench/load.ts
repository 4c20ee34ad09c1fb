// A load generator with little overhead: raw sockets, each sending its next request once its response is complete.
// Every response is checked, so that a server which fails fast, or responds with something else, does not look fast.
import { connect, type Socket } from 'node:net';
import type { Slice } from './statistics.ts';

export interface Exchange {
  /** The whole request, as bytes in Latin-1. */
  bytes: string;
  /** The expected status. Any other one is a failure. */
  status: number;
  /**
   * Returns what is wrong with the body, or undefined. The body is parsed JSON, undefined when it is empty. Its text is
   * decoded as Latin-1.
   */
  check?(body: unknown): string | undefined;
  /** Prepares a measured request, and does not count among the measurements itself. */
  isUnmeasured?: boolean;
}

export interface Load {
  /** Names the load in the message of a failure. */
  name: string;
  port: number;
  connections: number;
  /** The load ends at the first of these limits, or when there is no next request. */
  seconds?: number;
  requests?: number;
  isOver?(): boolean;
  next(): Exchange | undefined;
  /** A 503 is no failure: the connection waits for `Retry-After` and sends the same request again. */
  mayBeRefused?: boolean;
  /** Each connection comes from another address of this machine, for what is limited by address. On Linux alone. */
  isFromManyAddresses?: boolean | undefined;
}

/** A response that was not the expected one, which makes every measurement of the run worthless. */
export class ResponseError extends Error {
  override name = 'ResponseError';
}

/** An expensive search that is queued behind many others may take a minute. */
const responseDeadlineMs = 180_000;
const quotedCharacters = 600;

let connectionCount = 0;

function addressOfNext(): string {
  const n = connectionCount++ % 65_536;
  return `127.1.${n >> 8}.${n & 255}`;
}

/** Rejects on the first unexpected response, and leaves no connection open. */
export async function run(load: Load): Promise<Slice> {
  const slice: Slice = { latenciesMs: [], elapsedMs: 0, refused: 0 };
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + (load.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let left = load.requests ?? Number.POSITIVE_INFINITY;
  const next = (refused?: Exchange): Exchange | undefined => {
    // However short the slice, it has at least one response: without one it would have no latency to report.
    const isTimeOver = performance.now() >= endsAtMs && slice.latenciesMs.length > 0;
    if (isTimeOver || load.isOver?.()) return undefined;
    if (refused !== undefined) return refused;
    return left-- > 0 ? load.next() : undefined;
  };
  const sockets: Socket[] = [];
  try {
    await Promise.all(
      Array.from({ length: load.connections }, () => {
        const localAddress = load.isFromManyAddresses ? addressOfNext() : '127.0.0.1';
        const socket = connect({ port: load.port, host: '127.0.0.1', localAddress });
        sockets.push(socket);
        return drive(socket, load, next, slice);
      }),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  slice.elapsedMs = performance.now() - startedAtMs;
  return slice;
}

type Next = (refused?: Exchange) => Exchange | undefined;

function drive(socket: Socket, load: Load, next: Next, slice: Slice): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (what: string) => reject(new ResponseError(`${load.name}: ${what}`));
  let current: Exchange | undefined;
  let sentAtMs = 0;
  let received = '';
  let response: Head | undefined;

  const send = (refused?: Exchange) => {
    current = next(refused);
    if (current === undefined) {
      resolve();
      return;
    }
    received = '';
    response = undefined;
    sentAtMs = performance.now();
    socket.write(current.bytes, 'latin1');
  };

  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.setTimeout(responseDeadlineMs, () => fail(`no response within ${responseDeadlineMs / 1000} s`));
  socket.on('connect', () => send());
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail('the server closed a connection'));
  socket.on('data', (text) => {
    received += text;
    response ??= readHead(received);
    if (current === undefined || response === undefined || received.length < response.bodyStart + response.bodyLength)
      return;
    const latencyMs = performance.now() - sentAtMs;
    const { status, check, isUnmeasured } = current;
    if (load.mayBeRefused && response.status === 503) {
      slice.refused++;
      setTimeout(send, response.retryAfterSeconds * 1000, current);
      return;
    }
    if (response.status !== status) {
      fail(`expected status ${status}, got ${quote(received)}`);
      return;
    }
    if (!isUnmeasured) slice.latenciesMs.push(latencyMs);
    const wrong = problemOf(received.slice(response.bodyStart), check);
    if (wrong === undefined) send();
    else fail(`${wrong}, in ${quote(received)}`);
  });
  return promise;
}

interface Head {
  status: number;
  bodyStart: number;
  bodyLength: number;
  retryAfterSeconds: number;
}

/** Undefined until the head is complete. */
function readHead(text: string): Head | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const numberOf = (header: RegExp) => Number(header.exec(head)?.[1] ?? 0);
  return {
    status: Number(head.slice(9, 12)),
    bodyStart: headEnd + 4,
    bodyLength: numberOf(/\r\ncontent-length: (\d+)/i),
    retryAfterSeconds: numberOf(/\r\nretry-after: (\d+)/i),
  };
}

function problemOf(body: string, check: Exchange['check']): string | undefined {
  if (check === undefined) return undefined;
  try {
    return check(body === '' ? undefined : JSON.parse(body));
  } catch (error) {
    return `a body that cannot be read (${(error as Error).message})`;
  }
}

function quote(response: string): string {
  return response.length > quotedCharacters ? `${response.slice(0, quotedCharacters)}…` : response;
}
