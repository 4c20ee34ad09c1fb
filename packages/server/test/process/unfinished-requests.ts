// Requests that have begun and wait for the test to finish them.
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { FirstRun } from '../../src/process/first-run.ts';
import type { ServerProcess } from './server-process.ts';
import { until } from './waiting.ts';

/** A raw connection, for what HTTP clients do not do. */
export function openConnection(t: TestContext, url: string) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  // A reset by the server is one of its ways to close.
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed, received: () => text };
}

/** Sends an upsert but for its last byte, and waits until the server works on it. */
export async function beginUpsert(
  t: TestContext,
  server: Pick<ServerProcess, 'url'>,
  { botId, secret }: FirstRun,
  count: number,
) {
  const { socket, closed, received } = openConnection(t, server.url);
  const data = Array.from({ length: count }, (_, index) => ({ name: 'Jane', email: `jane${index}@example.com` }));
  const body = JSON.stringify({ data });
  socket.write(
    `PATCH /v1/bots/${botId}/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  // The request for the metrics is itself one of those in flight.
  await until('the upsert to be in flight', async () => (await requestsInFlight(server.url)) >= 2);
  return {
    finish: () => socket.write(body.slice(-1)),
    /** All that came until the server closed the connection. */
    answer: closed.then(received),
  };
}

async function requestsInFlight(url: string): Promise<number> {
  const reply = await fetch(`${url}/metrics`);
  return Number(/^roster_http_requests_in_flight (\d+)$/m.exec(await reply.text())?.[1]);
}
