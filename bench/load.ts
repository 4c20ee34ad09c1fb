// A load generator that costs little itself: raw sockets, each sending its next request when its answer is complete.
// Every answer is checked, so that a server which fails fast does not look fast.
import { connect, type Socket } from 'node:net';

export interface Load {
  port: number;
  connections: number;
  seconds: number;
  /** The whole request, as bytes in Latin-1. Called once per request. */
  request(): string;
  /** Statuses that count as an answer. */
  expected: readonly number[];
}

export interface Measured {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Runs for a bounded time. Rejects on the first answer that was not expected. */
export async function run(load: Load): Promise<Measured> {
  const latencies: number[] = [];
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + load.seconds * 1000;
  await Promise.all(Array.from({ length: load.connections }, () => drive(load, endsAtMs, latencies)));
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsedSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

function drive(load: Load, endsAtMs: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(load.port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    let received = '';
    let sentAtMs = 0;
    const send = () => {
      sentAtMs = performance.now();
      socket.write(load.request(), 'latin1');
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (text) => {
      received += text;
      const answer = completeAnswer(received);
      if (answer === undefined) return;
      if (!load.expected.includes(answer.status)) {
        reject(new Error(`unexpected answer: ${received.slice(0, 600)}`));
        socket.destroy();
        return;
      }
      latencies.push(performance.now() - sentAtMs);
      received = '';
      if (performance.now() < endsAtMs) send();
      else finish(socket, resolve);
    });
  });
}

function finish(socket: Socket, resolve: () => void): void {
  socket.removeAllListeners('close');
  socket.end();
  resolve();
}

const lengthHeader = /\r\ncontent-length: (\d+)/i;

function completeAnswer(text: string): { status: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(lengthHeader.exec(text)?.[1] ?? 0);
  return text.length >= headEnd + 4 + length ? { status: Number(text.slice(9, 12)) } : undefined;
}
