// A running Roster server: builds requests to it, reads its metrics, and waits until its background work is done.
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BotAccess } from './bot-access.ts';
import type { Storage } from './engine.ts';
import type { Exchange } from './load.ts';
import { end, lineOf, spawnNode } from './processes.ts';

/** The clone that this file is in. */
export const thisTree = fileURLToPath(new URL('../', import.meta.url));

/** A run waits at most this long for background work to finish. */
const settleDeadlineMs = 60_000;
const settlePollMs = 100;
/** CPU time between two polls. An idle server takes less. */
const quietSeconds = 0.015;
const quietPolls = 2;

export class Service {
  readonly #child: ChildProcess;
  readonly #origin: string;
  readonly #storage: Storage;
  readonly port: number;
  /** The bot that the first start on new storage creates. */
  readonly first: BotAccess | undefined;

  private constructor(child: ChildProcess, url: URL, storage: Storage, first: BotAccess | undefined) {
    this.#child = child;
    this.#origin = url.origin;
    this.#storage = storage;
    this.port = Number(url.port);
    this.first = first;
  }

  /** `tree`: the clone whose server is started. */
  static async start(storage: Storage, tree = thisTree): Promise<Service> {
    // With the flags of `npm start`, in a folder without an .env file.
    const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
    const [, flags = '', entry = ''] = /node (.*?)(\S+) serve$/.exec(scripts.start) ?? [];
    const child = spawnNode([...flags.split(' ').filter(Boolean), join(tree, entry), 'serve'], {
      cwd: storage.folder,
      env: { PATH: process.env['PATH'], ...storage.env, ROSTER_PORT: '0', ROSTER_LOG_LEVEL: 'warn' },
    });
    const output = await lineOf(child, /listens on (http\S+)/);
    const botId = /bot_\w+/.exec(output.input)?.[0];
    const secret = /rst_\w+/.exec(output.input)?.[0];
    const first = botId !== undefined && secret !== undefined ? { botId, secret } : undefined;
    return new Service(child, new URL(output[1] as string), storage, first);
  }

  /** A request and the expected response. `path` is relative to the bot. */
  exchange(
    { botId, secret }: BotAccess,
    method: string,
    path: string,
    expected: Omit<Exchange, 'bytes'>,
    body?: unknown,
  ): Exchange {
    const head = `${method} /v1/bots/${botId}/${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${secret}\r\n`;
    if (body === undefined) return { ...expected, bytes: `${head}\r\n` };
    const text = Buffer.from(JSON.stringify(body)).toString('latin1');
    const bytes = `${head}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    return { ...expected, bytes };
  }

  async metric(name: string): Promise<number> {
    const response = await fetch(`${this.#origin}/metrics`);
    const value = Number(new RegExp(`^${name} (.*)$`, 'm').exec(await response.text())?.[1]);
    if (Number.isNaN(value)) throw new Error(`the server's metrics have no ${name}`);
    return value;
  }

  /** Of all threads, since the start. */
  async cpuUs(): Promise<number> {
    return (await this.metric('process_cpu_seconds_total')) * 1e6;
  }

  async memoryBytes(): Promise<number> {
    return this.metric('process_resident_memory_bytes');
  }

  /** Waits for the server's background work, so that no measurement pays for the writes of the one before it. */
  async settle(): Promise<void> {
    const deadlineMs = performance.now() + settleDeadlineMs;
    let cpuSeconds = await this.metric('process_cpu_seconds_total');
    for (let quiet = 0; quiet < quietPolls && performance.now() < deadlineMs; ) {
      await delay(settlePollMs);
      const now = await this.metric('process_cpu_seconds_total');
      quiet = now - cpuSeconds < quietSeconds && (await this.#storage.isQuiet()) ? quiet + 1 : 0;
      cpuSeconds = now;
    }
  }

  async stop(): Promise<void> {
    await end(this.#child);
    if (this.#child.exitCode !== 0) throw new Error(`the server ended with code ${this.#child.exitCode}`);
  }
}
