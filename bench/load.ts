// A load generator that costs little itself: raw sockets, each sending its next request when its answer is complete.
// Every answer is checked, so that a server which fails fast, or answers something else, does not look fast.
import { connect, type Socket } from 'node:net';
import type { Slice } from './figures.ts';

export interface Exchange {
  /** The whole request, as bytes in Latin-1. */
  bytes: string;
  /** Of the answer that counts as one. */
  status: number;
  /** Says what is wrong with the body, which is JSON, or undefined for an empty one. Text in it is read as Latin-1. */
  check?(body: unknown): string | undefined;
  /** Serves what is measured, and is not measured itself. */
  isAside?: boolean;
}

export interface Load {
  /** What a failure is told as. */
  name: string;
  port: number;
  connections: number;
  /** The load ends with the first of these, and when there is no next request. */
  seconds?: number;
  requests?: number;
  isOver?(): boolean;
  next(): Exchange | undefined;
  /** Answers 503 are no failure: the connection waits as long as `Retry-After` asks it to, and asks the same again. */
  mayBeRefused?: boolean;
}

/** An answer that no measurement can rest on. */
export class AnswerError extends Error {
  override name = 'AnswerError';
}

/** An expensive search that waits behind many others may take a minute. */
const answerDeadlineMs = 180_000;
const quotedCharacters = 600;

/** Rejects on the first answer that was not expected, and leaves no connection open. */
export async function run(load: Load): Promise<Slice> {
  const slice: Slice = { latenciesMs: [], elapsedMs: 0, refused: 0 };
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + (load.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let left = load.requests ?? Number.POSITIVE_INFINITY;
  const next = (refused?: Exchange): Exchange | undefined => {
    // A slice without an answer would tell nothing, however short it is.
    const isTimeOver = performance.now() >= endsAtMs && slice.latenciesMs.length + slice.refused > 0;
    if (isTimeOver || load.isOver?.()) return undefined;
    if (refused !== undefined) return refused;
    return left-- > 0 ? load.next() : undefined;
  };
  const sockets: Socket[] = [];
  try {
    await Promise.all(
      Array.from({ length: load.connections }, () => {
        const socket = connect(load.port, '127.0.0.1');
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
  const fail = (what: string) => reject(new AnswerError(`${load.name}: ${what}`));
  let asked: Exchange | undefined;
  let sentAtMs = 0;
  let received = '';
  let answer: Head | undefined;

  const send = (refused?: Exchange) => {
    asked = next(refused);
    if (asked === undefined) {
      resolve();
      return;
    }
    received = '';
    answer = undefined;
    sentAtMs = performance.now();
    socket.write(asked.bytes, 'latin1');
  };

  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.setTimeout(answerDeadlineMs, () => fail(`no answer within ${answerDeadlineMs / 1000} s`));
  socket.on('connect', () => send());
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail('the server closed a connection'));
  socket.on('data', (text) => {
    received += text;
    answer ??= readHead(received);
    if (asked === undefined || answer === undefined || received.length < answer.bodyStart + answer.bodyLength) return;
    const latencyMs = performance.now() - sentAtMs;
    const { status, check, isAside } = asked;
    if (load.mayBeRefused && answer.status === 503) {
      slice.refused++;
      setTimeout(send, answer.retryAfterSeconds * 1000, asked);
      return;
    }
    if (answer.status !== status) {
      fail(`expected status ${status}, got ${quote(received)}`);
      return;
    }
    if (!isAside) slice.latenciesMs.push(latencyMs);
    const wrong = problemOf(received.slice(answer.bodyStart), check);
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

function quote(answer: string): string {
  return answer.length > quotedCharacters ? `${answer.slice(0, quotedCharacters)}…` : answer;
}
