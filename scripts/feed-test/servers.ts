// The servers under the feed test: each can be killed and started again, on another port. Requests reach one of them, or any that
// runs; a process that needs a fixed address gets that of a load balancer.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Fetch } from '@roster/client';
import type { FirstRun } from '../../packages/server/src/process/first-run.ts';
import type { Random } from '../../packages/server/test/conformance/random.ts';
import { type Home, type ServerProcess, startFirst } from '../../packages/server/test/process/server-process.ts';
import { until } from '../../packages/server/test/process/waiting.ts';

/** Stands for the address of whichever server a request is sent to. */
export const placeholderUrl = 'http://roster.test';

/** Of the log: readers would try again after a 500, and nobody would see it. */
const isError = /^\{"level":[56]0/;

export class Servers {
  readonly firstRun: FirstRun;
  /** How often one was killed. */
  kills = 0;
  readonly #home: Home;
  readonly #env: Record<string, string>;
  readonly #random: Random;
  /** Undefined while it does not run. */
  readonly #running: (ServerProcess | undefined)[];
  /** All that ever ran. */
  readonly #started: ServerProcess[];

  static async start(home: Home, count: number, env: Record<string, string>, random: Random): Promise<Servers> {
    const first = await startFirst(home, { env });
    const others = Array.from({ length: count - 1 }, () => home.start({ env }));
    return new Servers(home, env, random, [first, ...(await Promise.all(others))], first.firstRun);
  }

  private constructor(
    home: Home,
    env: Record<string, string>,
    random: Random,
    running: ServerProcess[],
    firstRun: FirstRun,
  ) {
    this.#home = home;
    this.#env = env;
    this.#random = random;
    this.#running = running;
    this.#started = [...running];
    this.firstRun = firstRun;
  }

  get count(): number {
    return this.#running.length;
  }

  async kill(index: number): Promise<void> {
    const server = this.#running[index];
    this.#running[index] = undefined;
    this.kills++;
    await server?.stop('SIGKILL');
  }

  async restart(index: number): Promise<void> {
    const server = await this.#home.start({ env: this.#env });
    this.#running[index] = server;
    this.#started.push(server);
  }

  /** Ends all in order. Returns what is wrong with how they ended, and the errors that any of them has logged. */
  async stop(): Promise<string[]> {
    const exits = await Promise.all(this.#running.map((server) => server?.stop()));
    const failed = exits.filter((exit) => exit?.code !== 0);
    const logged = this.#started.flatMap(({ output }) =>
      output.stderr.split('\n').filter((line) => isError.test(line)),
    );
    return [...failed.map((exit) => `a server ended with ${exit?.code ?? exit?.signal}`), ...logged];
  }

  /** Requests to this server alone: refused while it does not run. */
  only(index: number): Fetch {
    return async (url, init) => {
      const server = this.#running[index];
      if (server === undefined) throw Object.assign(new Error('the server does not run'), { code: 'ECONNREFUSED' });
      return fetch(url.replace(placeholderUrl, server.url), init);
    };
  }

  /** Each request to any server that runs: held back while there is none. */
  any(): Fetch {
    return async (url, init) => {
      await until('a server to run', () => this.#pick() !== undefined);
      return fetch(url.replace(placeholderUrl, this.#pick()?.url ?? ''), init);
    };
  }

  /** Each connection leads to any server that runs, and ends with that server. */
  async startBalancer(onEnd: (cleanUp: () => unknown) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const balancer: Server = createServer((client) => {
      const server = this.#pick();
      if (server === undefined) return client.destroy();
      const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
      for (const [end, other] of [[client, upstream] as const, [upstream, client] as const]) {
        sockets.add(end);
        end.pipe(other);
        // `close` follows.
        end.on('error', () => {});
        end.on('close', () => {
          sockets.delete(end);
          other.destroy();
        });
      }
      return undefined;
    }).listen(0, '127.0.0.1');
    await once(balancer, 'listening');
    onEnd(() => {
      balancer.close();
      for (const socket of sockets) socket.destroy();
    });
    return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  }

  #pick(): ServerProcess | undefined {
    const running = this.#running.filter((server) => server !== undefined);
    return running.length === 0 ? undefined : this.#random.pick(running);
  }
}
