// All contacts of the largest size, written through the API into an empty bot, while one connection retrieves; and the
// same people written by a bare script. One after the other and not in turns: between turns the server would catch up
// with work that it puts off, and the script would pay for it. Then upserts of 1000 by both, in turns.
import { limits } from '@roster/contract';
import type { Access } from '../access.ts';
import { oneContact, upsertedOf } from '../answers.ts';
import { type Figures, figuresOf, median, pairedRatio, type Slice } from '../figures.ts';
import { type Exchange, run } from '../load.ts';
import { person, personMoved } from '../people.ts';
import { ask, end } from '../processes.ts';
import type { LoadFigures } from '../result.ts';
import { Service } from '../service.ts';
import type { RunContext } from './run-context.ts';

const connections = 4;
const tenths = 10;
const mebibyte = 1024 ** 2;
/** The quiet retrieves, in slices of a run. */
const quietSlices = 4;

export async function measureLoad({ engine, options, bar }: RunContext): Promise<LoadFigures> {
  const { contacts, rounds, seconds } = options;
  const service = await Service.start(await engine.makeTemporary('load'));
  const bot = new LoadedBot(service, contacts);
  bar.begin('load', contacts);
  const meanwhile = await bot.load((count) => bar.advance(count));
  await service.settle();
  const quiet = await bot.retrieveFor(seconds * quietSlices);

  bar.begin('bare load', contacts);
  const script = await engine.startBareUpserts();
  const bareMs: number[] = [];
  for (let tenth = 0; tenth < tenths; tenth++) {
    const command = { kind: 'load', contacts: bot.perTenth, batch: bot.batch };
    bareMs.push((await ask<{ elapsedMs: number }>(script, command)).elapsedMs);
    bar.advance(bot.perTenth);
  }

  bar.begin('upserts', rounds);
  const upserts: number[] = [];
  const bareUpserts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await service.settle();
    const { latenciesMs, elapsedMs } = await bot.upsertFor(seconds);
    upserts.push(latenciesMs.length / (elapsedMs / 1000));
    await service.settle();
    bareUpserts.push((await ask<{ perSecond: number }>(script, { kind: 'measure', seconds })).perSecond);
    bar.advance(1);
  }
  bar.end();
  await end(script);
  const memoryMiB = (await service.memoryBytes()) / mebibyte;
  await service.stop();
  return {
    contacts,
    connections,
    ...ratesOf(bot.perTenth, bot.tenthsMs, ['perSecond', 'perSecondAtStart', 'perSecondAtEnd']),
    ...ratesOf(bot.perTenth, bareMs, ['barePerSecond', 'barePerSecondAtStart', 'barePerSecondAtEnd']),
    retrieveQuiet: quiet,
    retrieveMeanwhile: meanwhile,
    upsertsPerSecond: median(upserts),
    bareUpsertsPerSecond: median(bareUpserts),
    upsertsOfBare: pairedRatio(upserts, bareUpserts),
    memoryMiB,
  };
}

/** Contacts a second: of the whole, of the first tenth and of the last. */
function ratesOf<Name extends string>(perTenth: number, tenthsMs: readonly number[], [all, first, last]: Name[]) {
  const wholeMs = tenthsMs.reduce((sum, ms) => sum + ms, 0);
  const rate = (count: number, ms: number) => count / (ms / 1000);
  return {
    [all as Name]: rate(perTenth * tenthsMs.length, wholeMs),
    [first as Name]: rate(perTenth, tenthsMs[0] as number),
    [last as Name]: rate(perTenth, tenthsMs.at(-1) as number),
  } as Record<Name, number>;
}

/** The bot that is being filled. */
class LoadedBot {
  readonly #service: Service;
  readonly #access: Access;
  readonly #ids: string[] = [];
  #asked = 0;
  #changes = 0;
  readonly perTenth: number;
  /** Contacts in a request. */
  readonly batch: number;
  /** How long each tenth took. */
  readonly tenthsMs: number[] = [];

  constructor(service: Service, contacts: number) {
    if (service.first === undefined) throw new Error('a server on new storage did not tell its first secret');
    this.#service = service;
    this.#access = service.first;
    this.perTenth = Math.floor(contacts / tenths);
    this.batch = Math.min(limits.contactsPerUpsert, this.perTenth);
  }

  /** Returns the retrieves meanwhile. */
  async load(onContacts: (count: number) => void): Promise<Figures> {
    const total = this.perTenth * tenths;
    const begun = Promise.withResolvers<void>();
    let tenthStartedAtMs = performance.now();
    const onIds = (ids: string[]) => {
      this.#ids.push(...ids);
      onContacts(ids.length);
      begun.resolve();
      if (this.#ids.length < this.perTenth * (this.tenthsMs.length + 1)) return;
      this.tenthsMs.push(performance.now() - tenthStartedAtMs);
      tenthStartedAtMs = performance.now();
    };
    let isOver = false;
    const loading = this.#run('load', connections, {
      next: () => {
        const [from, count] = [this.#asked, Math.min(this.batch, total - this.#asked)];
        this.#asked += count;
        return count > 0 ? this.#upsert(from, from + count, from, onIds) : undefined;
      },
    }).finally(() => {
      isOver = true;
    });
    // A load that fails before its first answer has begun nothing.
    await Promise.race([begun.promise, loading]);
    const retrieving = this.#run('retrieve beside the load', 1, { isOver: () => isOver, next: () => this.#retrieve() });
    const [meanwhile] = await Promise.all([retrieving, loading]);
    return figuresOf([meanwhile]);
  }

  async retrieveFor(seconds: number): Promise<Figures> {
    return figuresOf([await this.#run('retrieve', 1, { seconds, next: () => this.#retrieve() })]);
  }

  /** Half of each request are changes of the newest contacts, as the bare script has it. */
  upsertFor(seconds: number): Promise<Slice> {
    return this.#run('upsert of 1000', connections, {
      seconds,
      next: () => {
        const known = Math.min(limits.contactsPerUpsert / 2, this.#asked);
        const from = this.#asked - known;
        this.#asked = from + limits.contactsPerUpsert;
        return this.#upsert(from, this.#asked, from + known);
      },
    });
  }

  /** People from one number up to another; those below `newFrom` are there already, with another phone. */
  #upsert(from: number, to: number, newFrom: number, onIds?: (ids: string[]) => void): Exchange {
    const change = this.#changes++;
    const data = Array.from({ length: to - from }, (_, i) =>
      from + i < newFrom ? personMoved(from + i, change) : person(from + i),
    );
    const expected = { status: 200, check: upsertedOf(data.length, onIds) };
    return this.#service.exchange(this.#access, 'PATCH', 'contacts', expected, { data });
  }

  #retrieve(): Exchange {
    const id = this.#ids[Math.floor(Math.random() * this.#ids.length)] as string;
    return this.#service.exchange(this.#access, 'GET', `contacts/${id}`, { status: 200, check: oneContact(id) });
  }

  #run(name: string, count: number, load: { seconds?: number; isOver?(): boolean; next(): Exchange | undefined }) {
    return run({ name, port: this.#service.port, connections: count, ...load });
  }
}
