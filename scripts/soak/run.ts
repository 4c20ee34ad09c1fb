// A soak run: callers load the service, it is disturbed again and again, and after each time all that is stored is compared with
// what the callers were answered.
import { setTimeout as delay } from 'node:timers/promises';
import type { FirstRun } from '../../packages/server/src/process/first-run.ts';
import { Random } from '../../packages/server/test/conformance/random.ts';
import {
  type Home,
  type ServerProcess,
  type StartOptions,
  startFirst,
} from '../../packages/server/test/process/server-process.ts';
import { until } from '../../packages/server/test/process/waiting.ts';
import { checkSearch, checkTotal, exportAll } from '../first-bot.ts';
import type { Disturbance, SoakEngine } from './engine.ts';
import { checkTotals, MixedLoad } from './mixed-load.ts';
import { type Link, Traffic } from './traffic.ts';
import { defaultBounds, Watch } from './watch.ts';

export interface SoakOptions {
  seconds: number;
  /** Calm time before each disturbance. */
  everySeconds: number;
  connections: number;
  contacts: number;
  seed: number;
  isMachineBusy: boolean;
  onProgress(line: string): void;
}

/** How long the load goes on in a disturbance, on top of what the disturbance itself takes. */
const disturbedMsMax = 4000;
const progressEveryMs = 10_000;
/** The last part of a run is one life of the server's process, long enough for slow growth to show. */
const killShare = 2 / 3;
const mebibyte = 1024 ** 2;

export class Soak {
  readonly traffic: Traffic;
  readonly watch: Watch;
  /** How often what was done. */
  readonly disturbed = new Map<string, number>();
  comparisons = 0;
  contacts = 0;
  readonly #home: Home;
  readonly #engine: SoakEngine;
  readonly #options: SoakOptions;
  readonly #random: Random;
  readonly #loads: MixedLoad[];
  readonly #startedMs = performance.now();
  #server: ServerProcess | undefined;
  #firstRun: FirstRun | undefined;

  constructor(home: Home, engine: SoakEngine, options: SoakOptions) {
    this.#home = home;
    this.#engine = engine;
    this.#options = options;
    this.#random = new Random(options.seed);
    this.traffic = new Traffic(options);
    this.watch = new Watch(engine.walBytes);
    const perCaller = Math.ceil(options.contacts / options.connections);
    this.#loads = Array.from(
      { length: options.connections },
      (_, number) => new MixedLoad(number, perCaller, options.seed),
    );
  }

  get answeredWrites(): number {
    return this.#loads.reduce((sum, { writer }) => sum + writer.answeredWrites, 0);
  }

  /** Ends early when something is wrong: what comes after would only follow from it. Returns the problems. */
  async run(): Promise<readonly string[]> {
    const { seconds, everySeconds, contacts, connections } = this.#options;
    const { problems } = this.traffic;
    const started = await startFirst(this.#home, this.#settings);
    this.#firstRun = started.firstRun;
    this.#adopt(started);
    const perCaller = Math.ceil((contacts * 0.8) / connections);
    await Promise.all(this.#loads.map(({ writer }) => writer.fill(this.#link.send, perCaller)));

    const progress = setInterval(() => this.#options.onProgress(this.#progressLine()), progressEveryMs);
    const loadedMs = performance.now();
    try {
      for (let round = 0, isLast = false; !isLast && problems.length === 0; round++) {
        const share = (performance.now() + everySeconds * 1000 - loadedMs) / (seconds * 1000);
        isLast = share >= 1 && round > this.#engine.disturbances.length;
        const next = isLast ? undefined : this.#disturbanceOf(round, share);
        // A start makes the log short: a disk that is full right after it is felt at once, before the data has grown.
        const isAtOnce = next?.isFullDisk && this.#disturbanceOf(round - 1, share) === this.#kill;
        await this.#runRound(isAtOnce ? 0 : everySeconds * 1000, next);
      }
    } finally {
      clearInterval(progress);
    }
    await this.#stop();
    return problems;
  }

  /** Kills of the server take turns with each of the other disturbances; each is done once, however short the run is. */
  #disturbanceOf(round: number, share: number): Disturbance | undefined {
    const others = this.#engine.disturbances;
    const kinds = [this.#kill, ...others];
    if (round < kinds.length) return kinds[round];
    const next = share < killShare ? kinds[round % kinds.length] : others[round % others.length];
    // The data would grow from one full disk to the next: first the callers delete what the last one took.
    return next?.isFullDisk && this.#loads.some(({ writer }) => writer.hasTooMany) ? undefined : next;
  }

  /** Calm load, the disturbance with the load going on, and the comparison without load. */
  async #runRound(calmMs: number, disturbance: Disturbance | undefined): Promise<void> {
    let isOver = false;
    const link = this.#link;
    const runs = this.#loads.map((load) => load.run(link, () => isOver));
    const load = Promise.all(runs).catch((error: Error) => this.traffic.report(error.message));
    await Promise.race([delay(calmMs, undefined, { ref: false }), load]);
    if (disturbance !== undefined && this.traffic.problems.length === 0) {
      this.#note(disturbance.name);
      this.traffic.weather = disturbance.weather;
      await disturbance.begin(this.#random);
      if (disturbance.isFullDisk) await this.#growUntilRefused();
      if (disturbance.weather !== 'the server is gone') await delay(this.#random.below(disturbedMsMax));
      await disturbance.end();
      await this.#recovered();
      this.traffic.weather = 'calm';
    }
    isOver = true;
    await load;
    await Promise.allSettled(runs);
    if (this.traffic.problems.length === 0) await this.#compare();
  }

  async #growUntilRefused(): Promise<void> {
    const { traffic } = this;
    const before = traffic.refusedWrites;
    for (const { writer } of this.#loads) writer.mayGrow = true;
    await until('a write to be refused', () => traffic.refusedWrites > before || traffic.problems.length > 0);
    for (const { writer } of this.#loads) writer.mayGrow = false;
  }

  readonly #kill: Disturbance = {
    name: 'SIGKILL of the server',
    weather: 'the server is gone',
    begin: async () => {
      this.watch.end();
      await this.#server?.stop('SIGKILL');
    },
    end: async () => this.#adopt(await this.#home.start(this.#settings)),
  };

  get #settings(): StartOptions {
    // The callers' identifications come from many addresses, as behind a proxy.
    const env = { ...this.#engine.env, ROSTER_TRUST_PROXY: '1', ROSTER_LOG_LEVEL: 'warn' };
    // As `npm start` does it: memory is what is watched.
    return { env, nodeOptions: ['--max-semi-space-size=8'] };
  }

  get #link(): Link {
    return this.traffic.linkTo(this.#server as ServerProcess, this.#firstRun as FirstRun);
  }

  #adopt(server: ServerProcess): void {
    this.#server = server;
    this.watch.begin(server.pid);
    server.exited.then(({ code, signal }) => {
      const isExpected = signal === 'SIGKILL' || (code === 0 && this.#isStopping);
      if (!isExpected) this.traffic.report(`the server ended by itself (${code ?? signal}): ${server.output.stderr}`);
    });
  }

  /** When it says that it is ready, it takes every request. */
  async #recovered(): Promise<void> {
    await until('the service to be ready', async () => {
      const reply = await fetch(`${this.#server?.url}/readyz`).catch(() => undefined);
      await reply?.arrayBuffer();
      return reply?.ok === true || this.traffic.problems.length > 0;
    });
  }

  async #compare(): Promise<void> {
    const { traffic } = this;
    const link = this.#link;
    const stored = await exportAll(link.send);
    this.contacts = stored.size;
    const found = [
      ...(await checkTotal(link.send, stored.size)),
      ...(await checkTotals(link.send, stored)),
      ...(await checkSearch(link.send, stored)),
    ];
    for (const load of this.#loads) {
      found.push(...load.writer.check(stored).problems, ...(await load.checkTokens(link)));
    }
    for (const { email } of stored.values()) found.push(`nobody wrote ${email}`);
    for (const problem of found) traffic.report(problem);
    this.comparisons++;
  }

  #isStopping = false;

  async #stop(): Promise<void> {
    this.watch.end();
    this.#isStopping = true;
    const exit = await this.#server?.stop();
    if (exit?.code !== 0) this.traffic.report(`the server stopped with ${exit?.code ?? exit?.signal}`);
    const bounds = { ...defaultBounds, walBytesMax: this.#engine.walBytesMax };
    for (const problem of [...this.#engine.checkFiles(), ...this.watch.problems(bounds)]) this.traffic.report(problem);
  }

  #note(name: string): void {
    this.disturbed.set(name, (this.disturbed.get(name) ?? 0) + 1);
    this.#options.onProgress(`${this.#elapsed()}: ${name}`);
  }

  #progressLine(): string {
    const { memoryBytes = 0, descriptors = 0, walBytes = 0 } = this.watch.latest ?? {};
    const mebibytes = (bytes: number) => Math.round(bytes / mebibyte);
    return (
      `${this.#elapsed()}: ${this.traffic.requests} requests, ${this.answeredWrites} answered writes, ${this.comparisons} comparisons, ` +
      `memory ${mebibytes(memoryBytes)} MiB, ${descriptors} descriptors, log ${mebibytes(walBytes)} MiB`
    );
  }

  #elapsed(): string {
    return `${Math.round((performance.now() - this.#startedMs) / 1000)} s`;
  }
}
