// A receiver of webhooks for tests: a real HTTP server on a loopback port that remembers what it gets, and answers as a test wants.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { WebhookMessage } from '@roster/contract';

export interface ReceivedMessage {
  /** `webhook-id`. */
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  message: WebhookMessage;
}

/** A status, or whatever the test does with the response. */
export type Answer = (
  received: ReceivedMessage,
  response: ServerResponse,
  request: IncomingMessage,
) => number | undefined | Promise<number | undefined>;

export interface Receiver {
  url: string;
  /** In the order of arrival, those that it refused too. */
  received: ReceivedMessage[];
  /** Those that it accepted, in the order of arrival. */
  accepted: ReceivedMessage[];
  /** How many connections were opened to it. */
  connections(): number;
  answerWith(answer: Answer): void;
  /** Nobody listens at its address any more, or again. */
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** Ends with the test, or with the suite when `t` is the suite's `after`. */
export async function startReceiver(t: Pick<TestContext, 'after'>, first: Answer = () => 204): Promise<Receiver> {
  let answer = first;
  let connections = 0;
  const received: ReceivedMessage[] = [];
  const accepted: ReceivedMessage[] = [];
  // Another webhook may have the port of a receiver that has stopped since, so each has a path of its own.
  const path = `/hooks/${randomUUID()}`;
  const server = createServer(async (request, response) => {
    if (!request.url?.startsWith(path)) {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    // A sender that is killed breaks off.
    request.on('error', () => {});
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const id = String(request.headers['webhook-id']);
    const one = { id, headers: request.headers, text, message: JSON.parse(text) as WebhookMessage };
    received.push(one);
    const status = await answer(one, response, request);
    if (status === undefined) return;
    if (status >= 200 && status < 300) accepted.push(one);
    response.writeHead(status).end();
  });
  // Not closed while a test on a busy machine is between two messages.
  server.keepAliveTimeout = 3_600_000;
  server.on('connection', () => connections++);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  t.after(stop);
  return {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    accepted,
    connections: () => connections,
    answerWith(next) {
      answer = next;
    },
    stop,
    restart: () => listen(port),
  };
}
