// A run: episodes of requests, each in a world of its own and the same for the same seed, a few at a time. Ends with
// everything that was wrong.
import { availableParallelism, loadavg } from 'node:os';
import * as fc from 'fast-check';
import { createDatabase } from '../postgres/databases.ts';
import { makeHome, type ServerProcess } from '../process/server-process.ts';
import { readContacts, upsertOf } from './csv.ts';
import { type JudgeOptions, judge } from './judge.ts';
import { type Plan, plans, type RequestPlan } from './plans.ts';
import { Connection, type Exchange } from './wire.ts';
import { metricsToken, Owner, serverSettings, World } from './world.ts';

export const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

export interface RunOptions extends JudgeOptions {
  engine: Engine;
  seed: number;
  requests: number;
  /** Only the episode of this request, and up to it. */
  only?: number | undefined;
  /** An answer takes less on a quiet machine; a busy one may take as many times longer as it has more to do. */
  hangMs: number;
  /** How much more memory the server may have at the end than after its first requests. */
  growthBytes: number;
  onProgress?: (report: Report) => void;
  onFinding?: (finding: Finding) => void;
}

export interface Finding {
  /** Of the request, counted from 0. */
  index: number;
  faults: string[];
  /** What was sent, and what came back, as text with escapes. */
  sent: string;
  received: string;
}

export interface Report {
  requests: number;
  findings: Finding[];
  /** How often each operation was answered with each status. */
  answered: Map<string, Map<number, number>>;
  slowestMs: number;
  firstBytes: number;
  lastBytes: number;
}

const episodeLength = 400;
const batchLength = 20;
const lanes = 4;
/** A damaged request that was refused may still have begun, and end a bot or secret when others have come. */
const endedStatuses = [401, 404];
const findingsMax = 20;
/** A request that was cut off gets no answer, so after this long its sender gives up. */
const cutOffMs = 30;
/** Of Node's server; a few bytes less, because it does not count all of them. */
const headBytesMax = 16_000;

/** A new server, which ends with `t`. */
export async function fuzz(t: { after(end: () => unknown): void }, options: RunOptions): Promise<Report> {
  const env: Record<string, string> = { ...serverSettings };
  if (options.engine === 'postgres') {
    const { url } = await createDatabase('plain');
    env['DATABASE_URL'] = url;
  }
  const home = await makeHome(t);
  const server = await home.start({ env });
  // It is compressed for whoever asks first, which takes a busy machine more than a second.
  await (await fetch(`${server.url}/docs/reference.js`)).arrayBuffer();
  return new Run(server, await Owner.setUp(server), options).run();
}

class Run {
  readonly #server: ServerProcess;
  readonly #owner: Owner;
  readonly #options: RunOptions;
  readonly #report: Report = {
    requests: 0,
    findings: [],
    answered: new Map(),
    slowestMs: 0,
    firstBytes: 0,
    lastBytes: 0,
  };
  #nextEpisode = 0;
  #isOver = false;

  constructor(server: ServerProcess, owner: Owner, options: RunOptions) {
    this.#server = server;
    this.#owner = owner;
    this.#options = options;
    server.exited.then(() => {
      this.#isOver = true;
    });
  }

  async run(): Promise<Report> {
    const { requests, only } = this.#options;
    if (only !== undefined) await this.#runEpisode(Math.floor(only / episodeLength), only);
    else {
      const episodes = Math.ceil(requests / episodeLength);
      await Promise.all(Array.from({ length: lanes }, () => this.#runLane(episodes)));
    }
    await this.#lookAtServer();
    return this.#report;
  }

  async #runLane(episodes: number): Promise<void> {
    while (this.#nextEpisode < episodes && !this.#isOver) {
      const episode = this.#nextEpisode++;
      await this.#runEpisode(episode, this.#options.requests - 1);
      this.#report.lastBytes = await this.#residentBytes();
      // What the first episodes load and compile is there for good.
      if (episode < lanes) this.#report.firstBytes = this.#report.lastBytes;
      this.#options.onProgress?.(this.#report);
    }
  }

  async #runEpisode(episode: number, last: number): Promise<void> {
    const world = await World.open(this.#owner);
    const first = episode * episodeLength;
    const lane = new Lane(this.#server.url, this.#hangMs);
    for (let offset = 0; offset < episodeLength; offset += batchLength) {
      // A seed of its own for each few requests, so that nothing waits for all of them to be made.
      const seed = (this.#options.seed ^ Math.imul(first + offset + 1, 0x9e3779b1)) | 0;
      for (const [i, plan] of fc.sample(plans, { seed, numRuns: batchLength }).entries()) {
        const index = first + offset + i;
        if (index > last || this.#isOver) break;
        await this.#runPlan(plan, index, world, lane);
      }
    }
    lane.end();
    if (!this.#isOver) await world.close();
    for (const credential of world.credentials) {
      if (credential.length > 10 && this.#server.output.stderr.includes(credential)) {
        this.#find({ index: first, faults: ['a credential is in the log'], sent: credential, received: '' });
      }
    }
  }

  readonly #hangMs = () => this.#options.hangMs * Math.max(1, (loadavg()[0] as number) / availableParallelism());

  async #runPlan(plan: Plan, index: number, world: World, lane: Lane): Promise<void> {
    switch (plan.kind) {
      case 'request':
        return this.#send([plan.request], index, world, lane);
      case 'pipeline':
        return this.#send(plan.requests, index, world, lane);
      case 'damaged': {
        const { request, damage } = plan;
        const bytes = damage.apply(world.toRequest(request));
        const exchange = await lane.exchangeOnce(bytes, [false]);
        const faults = exchange.answers.flatMap((answer) => judge(answer, undefined, this.#options));
        const [first, ...others] = exchange.answers;
        const isMet =
          damage.outcome === 'open' ||
          (first !== undefined && others.length === 0 && (damage.outcome === 'ends' || first.status >= 400));
        if (!isMet)
          faults.push(
            `a request ${damage.name} has ${exchange.answers.length} answers, and not one that it is ${damage.outcome} by`,
          );
        return this.#note(index, exchange, bytes, faults, []);
      }
      case 'csv': {
        const { contacts, faults } = await readContacts(plan.text);
        if (faults.length > 0) this.#find({ index, faults, sent: shown(Buffer.from(plan.text)), received: '' });
        if (contacts.length === 0) return;
        await world.restore();
        await this.#send([upsertOf(contacts)], index, world, lane, 200);
      }
    }
  }

  async #send(requests: RequestPlan[], index: number, world: World, lane: Lane, wanted?: number): Promise<void> {
    const raw = requests.map((plan) => world.toRequest(plan));
    const bytes = Buffer.concat(raw.flatMap(({ head, body }) => [Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]));
    const exchange = await lane.exchange(
      bytes,
      requests.map(({ method }) => method === 'HEAD'),
    );
    const faults: string[] = [];
    for (const [i, answer] of exchange.answers.entries()) {
      const plan = requests[i];
      faults.push(...judge(answer, plan, this.#options));
      if (plan === undefined) faults.push('there are more answers than requests');
      else await world.learn(plan, answer);
      const others = this.#options.isMachineBusy ? [...endedStatuses, 503] : endedStatuses;
      if (wanted !== undefined && ![wanted, ...others].includes(answer.status)) faults.push(`${wanted} was expected`);
    }
    // A head that is too large ends the connection after the answer before it.
    const isTooLarge = exchange.isClosed && raw.some(({ head }) => head.length > headBytesMax);
    const isClosing = isTooLarge || exchange.answers.at(-1)?.headers.get('connection') === 'close';
    if (exchange.answers.length < requests.length && !isClosing) faults.push('an answer is missing');
    this.#note(index, exchange, bytes, faults, requests);
  }

  #note(index: number, exchange: Exchange, bytes: Buffer, faults: string[], requests: readonly RequestPlan[]): void {
    const report = this.#report;
    report.requests++;
    report.slowestMs = Math.max(report.slowestMs, exchange.ms);
    for (const [i, { status }] of exchange.answers.entries()) {
      const id = requests[i]?.operation.id ?? 'damaged';
      const statuses = report.answered.get(id) ?? new Map<number, number>();
      report.answered.set(id, statuses.set(status, (statuses.get(status) ?? 0) + 1));
    }
    if (exchange.isHanging) faults.push(`no end after ${Math.round(this.#hangMs())} ms`);
    // The connection of a damaged request may end before its answer is whole.
    const isDamaged = requests.length === 0;
    const isCutOff = isDamaged && /^HTTP\/1\.1 [2-5]\d\d /.test(exchange.rest.toString('latin1', 0, 13));
    if (exchange.rest.length > 0 && !isCutOff) faults.push('something came that is no answer');
    if (this.#isOver) faults.push('the server ended');
    if (faults.length === 0) return;
    const received = exchange.answers.map(({ status, headers, body }) => {
      return [`${status}`, ...Array.from(headers, (pair) => pair.join(': ')), '', shown(body)].join('\n');
    });
    this.#find({ index, faults, sent: shown(bytes), received: [...received, shown(exchange.rest)].join('\n') });
  }

  #find(finding: Finding): void {
    this.#report.findings.push(finding);
    this.#options.onFinding?.(finding);
    if (this.#report.findings.length >= findingsMax) this.#isOver = true;
  }

  async #metrics(): Promise<string> {
    const reply = await fetch(`${this.#server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    return reply.text();
  }

  async #residentBytes(): Promise<number> {
    const text = this.#isOver ? '' : await this.#metrics();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? 0);
  }

  /** Nothing may be left over when all is answered. */
  async #lookAtServer(): Promise<void> {
    const { output } = this.#server;
    const faults = output.stderr.split('\n').filter((line) => /"level":[56]0/.test(line));
    if (!this.#isOver) {
      const inFlight = Number(/^roster_http_requests_in_flight (\d+)$/m.exec(await this.#metrics())?.[1]);
      if (inFlight !== 1) faults.push(`${inFlight} requests are in flight, and one was sent`);
      const grown = this.#report.lastBytes - this.#report.firstBytes;
      if (grown > this.#options.growthBytes) faults.push(`the server's memory grew by ${grown} bytes`);
    }
    if (faults.length > 0)
      this.#find({ index: this.#options.requests, faults: faults.slice(0, 5), sent: '', received: '' });
  }
}

/** Keeps a connection for requests that leave it usable. */
class Lane {
  readonly #url: string;
  readonly #hangMs: () => number;
  #connection: Connection | undefined;

  constructor(url: string, hangMs: () => number) {
    this.#url = url;
    this.#hangMs = hangMs;
  }

  async exchange(bytes: Uint8Array, heads: readonly boolean[]): Promise<Exchange> {
    if (this.#connection === undefined || this.#connection.isClosed)
      this.#connection = await Connection.open(this.#url);
    const exchange = await this.#connection.exchange(bytes, { heads, hangMs: this.#hangMs });
    const isUsable =
      !exchange.isHanging && exchange.answers.every(({ headers }) => headers.get('connection') !== 'close');
    if (!isUsable) this.end();
    return exchange;
  }

  async exchangeOnce(bytes: Uint8Array, heads: readonly boolean[]): Promise<Exchange> {
    const connection = await Connection.open(this.#url);
    const exchange = await connection.exchange(bytes, { heads, endsAfterMs: cutOffMs, hangMs: this.#hangMs });
    connection.destroy();
    return exchange;
  }

  end(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }
}

const shownMax = 3000;

/** As a shell's `printf` takes it. */
export function shown(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, shownMax);
  const escaped = text.replaceAll(/[^\n -~]|\\/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return bytes.length > shownMax ? `${escaped}… (${bytes.length} bytes)` : escaped;
}
