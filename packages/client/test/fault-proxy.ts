// A real HTTP proxy in front of the real server. It applies the given faults to the next requests, forwards all later
// ones, and records what it received.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export type Fault =
  | 'pass'
  /** The connection is closed, and nothing reaches the server. */
  | 'drop request'
  /** The server processes the request, and its answer is lost. */
  | 'drop answer'
  /** The server processes the request, and half of its answer arrives. */
  | 'cut answer'
  /** No answer ever arrives. */
  | 'stall'
  /** The head of the server's answer arrives, but never its body. */
  | 'stall in body'
  /** The proxy answers in the server's place. */
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Arrival {
  method: string;
  /** As it came over the wire. */
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  atMs: number;
  /** Resolves when the client has its answer or has closed the connection. */
  ended: Promise<unknown>;
}

export interface FaultProxy {
  url: string;
  arrivals: Arrival[];
  /** Connections that clients opened. */
  connections: number;
  /** The faults of the next requests, in order. */
  faults: Fault[];
}

export async function startFaultProxy(
  t: Pick<TestContext, 'after'>,
  target: string,
  faults: Fault[] = [],
): Promise<FaultProxy> {
  const proxy: FaultProxy = { url: '', arrivals: [], connections: 0, faults };
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { method = '', url = '', headers } = incoming;
    const ended = once(outgoing, 'close');
    proxy.arrivals.push({ method, url, headers, body: body.toString(), atMs: performance.now(), ended });
    await applyFault(proxy.faults.shift() ?? 'pass', { target, incoming, body, outgoing });
  });
  server.on('connection', () => {
    proxy.connections++;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

/** A local address on which nothing listens. Its port is below the ephemeral range, so that no later socket gets it. */
export async function closedAddress(): Promise<string> {
  for (;;) {
    const port = randomInt(11_000, 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return `http://127.0.0.1:${port}`;
  }
}

interface ProxiedRequest {
  target: string;
  incoming: IncomingMessage;
  body: Buffer;
  outgoing: ServerResponse;
}

async function applyFault(fault: Fault, proxied: ProxiedRequest): Promise<void> {
  const { outgoing } = proxied;
  if (fault === 'stall') return;
  if (fault === 'drop request') {
    outgoing.destroy();
    return;
  }
  if (typeof fault === 'object') {
    outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    return;
  }
  const { answer, body } = await forward(proxied);
  switch (fault) {
    case 'pass':
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers).end(body);
      return;
    case 'drop answer':
      outgoing.destroy();
      return;
    case 'cut answer':
      // A 204 has no body to cut, so its head is dropped.
      if (body.length === 0) outgoing.destroy();
      else
        outgoing
          .writeHead(answer.statusCode ?? 0, answer.headers)
          .write(body.subarray(0, body.length / 2), () => outgoing.destroy());
      return;
    case 'stall in body':
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
  }
}

async function forward({ target, incoming, body }: ProxiedRequest): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const { host: _, ...headers } = incoming.headers;
  const onward = request(`${target}${incoming.url}`, { method: incoming.method, headers, agent: false });
  onward.end(body);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  return { answer, body: await buffer(answer) };
}
