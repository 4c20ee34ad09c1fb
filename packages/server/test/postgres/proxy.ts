// A proxy to PostgreSQL that breaks connections on request: before a statement reaches the server, or after the server has
// carried it out but before the answer comes back. It can also answer with an error, on a connection that goes on.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface Break {
  /** The statement that it breaks at: `COMMIT`, or how the server calls what it did, like `INSERT 0 1`. */
  at: string;
  /** Whether the statement reaches the server. */
  when: 'before' | 'after';
  /** After the statement: nothing breaks, but it is answered with this error. */
  error?: { severity: string; code: string; message: string };
  /** What happens before the next connection gets through. */
  meanwhile?: () => Promise<unknown>;
}

export interface BreakingProxy {
  /** The same database, by way of the proxy. */
  url: string;
  /** Breaks all connections at the next such moment, once. */
  breakNext(next: Break): void;
  /** How often it broke. */
  readonly breaks: number;
}

/** Lasts until the test ends, or the suite when `t` is the suite's `after`. */
export async function startProxy(t: Pick<TestContext, 'after'>, databaseUrl: string): Promise<BreakingProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let pending: Break | undefined;
  let breaks = 0;
  let gate: Promise<unknown> = Promise.resolve();

  const breakNow = () => {
    breaks++;
    gate = pending?.meanwhile?.() ?? gate;
    pending = undefined;
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  };

  const proxy = createServer(async (client) => {
    // Until both ends are there, nothing is read; an end that breaks is closed below.
    client.on('error', () => {});
    await gate;
    const server = connect(Number(target.port), target.hostname);
    server.on('error', () => {});
    const pair = { client, server };
    pairs.add(pair);
    const sent = new MessageReader({ hasStartup: true });
    const answered = new MessageReader({ hasStartup: false });
    client.on('data', (bytes) => {
      const texts = sent.read(bytes);
      if (pending?.when === 'before' && texts.some((text) => text === `Q${pending?.at}\0`)) breakNow();
      else server.write(bytes);
    });
    server.on('data', (bytes) => {
      const texts = answered.read(bytes);
      const position = pending?.when === 'after' ? texts.indexOf(`C${pending.at}\0`) : -1;
      if (position >= 0 && pending?.error !== undefined) {
        texts[position] = errorMessage(pending.error);
        breaks++;
        pending = undefined;
      } else if (position >= 0) {
        breakNow();
        return;
      }
      client.write(Buffer.concat(texts.map(frame)));
    });
    for (const [end, other] of [[client, server] as const, [server, client] as const]) {
      end.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.close();
    for (const { client } of pairs) client.destroy();
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    breakNext(next) {
      pending = next;
    },
    get breaks() {
      return breaks;
    },
  };
}

/** As the server sends it: fields that each begin with a letter and end with a NUL. */
function errorMessage({ severity, code, message }: NonNullable<Break['error']>): string {
  return `ES${severity}\0V${severity}\0C${code}\0M${message}\0\0`;
}

/** The opposite of what MessageReader does. */
function frame(text: string): Buffer {
  const bytes = Buffer.alloc(text.length + 4);
  bytes.write(text[0] as string, 0, 'latin1');
  bytes.writeUInt32BE(text.length + 3, 1);
  bytes.write(text.slice(1), 5, 'latin1');
  return bytes;
}

/** Cuts a stream of the protocol into messages: a letter for the kind, then the length of the rest, itself included. */
class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #isStartup: boolean;

  constructor({ hasStartup }: { hasStartup: boolean }) {
    this.#isStartup = hasStartup;
  }

  /** The messages that are whole now: the letter, and the content. The first one of a client has no letter. */
  read(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: string[] = [];
    for (;;) {
      const start = this.#isStartup ? 0 : 1;
      if (this.#rest.length < start + 4) return messages;
      const end = start + this.#rest.readUInt32BE(start);
      if (this.#rest.length < end) return messages;
      messages.push(this.#rest.toString('latin1', 0, start) + this.#rest.toString('latin1', start + 4, end));
      this.#rest = this.#rest.subarray(end);
      this.#isStartup = false;
    }
  }
}
