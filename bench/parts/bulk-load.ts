// Measures filling an empty bot through the API to the largest size, while one connection retrieves; and a bare script
// that writes the same contacts. The two run one after the other: alternating would give the server pauses in which it
// catches up on deferred work, at the cost of the script. Then both upsert batches of 1000, alternating.
import { limits } from '@roster/contract';
import type { BotAccess } from '../bot-access.ts';
import { type Exchange, run } from '../load.ts';
import { end, requestFrom } from '../processes.ts';
import { oneContact, upsertedOf } from '../response-checks.ts';
import type { LoadResult } from '../result.ts';
import { changedContact, sampleContact } from '../sample-contacts.ts';
import { Service } from '../service.ts';
import { median, pairedRatio, type Slice, type Summary, summarize } from '../statistics.ts';
import type { RunContext } from './run-context.ts';

const connections = 4;
const tenths = 10;
const mebibyte = 1024 ** 2;
/** How long the retrieves without a load are measured, in slices. */
const quietSlices = 4;

export async function measureBulkLoad({ engine, options, bar }: RunContext): Promise<LoadResult> {
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
    bareMs.push((await requestFrom<{ elapsedMs: number }>(script, command)).elapsedMs);
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
    bareUpserts.push((await requestFrom<{ perSecond: number }>(script, { kind: 'measure', seconds })).perSecond);
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

/** Contacts per second: overall, in the first tenth and in the last. */
function ratesOf<Name extends string>(perTenth: number, tenthsMs: readonly number[], [all, first, last]: Name[]) {
  const wholeMs = tenthsMs.reduce((sum, ms) => sum + ms, 0);
  const rate = (count: number, ms: number) => count / (ms / 1000);
  return {
    [all as Name]: rate(perTenth * tenthsMs.length, wholeMs),
    [first as Name]: rate(perTenth, tenthsMs[0] as number),
    [last as Name]: rate(perTenth, tenthsMs.at(-1) as number),
  } as Record<Name, number>;
}

/** The bot that the load fills. */
class LoadedBot {
  readonly #service: Service;
  readonly #access: BotAccess;
  readonly #ids: string[] = [];
  /** Contacts sent so far, which is also the number of the next sample contact. */
  #sent = 0;
  #changes = 0;
  readonly perTenth: number;
  /** Contacts in a request. */
  readonly batch: number;
  /** The duration of each tenth. */
  readonly tenthsMs: number[] = [];

  constructor(service: Service, contacts: number) {
    if (service.first === undefined) throw new Error('a server on new storage did not print its first secret');
    this.#service = service;
    this.#access = service.first;
    this.perTenth = Math.floor(contacts / tenths);
    this.batch = Math.min(limits.contactsPerUpsert, this.perTenth);
  }

  /** Returns the measurements of the retrieves during the load. */
  async load(onContacts: (count: number) => void): Promise<Summary> {
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
        const [from, count] = [this.#sent, Math.min(this.batch, total - this.#sent)];
        this.#sent += count;
        return count > 0 ? this.#upsert(from, from + count, from, onIds) : undefined;
      },
    }).finally(() => {
      isOver = true;
    });
    // Racing with the load itself reports one that fails before its first response, instead of waiting forever.
    await Promise.race([begun.promise, loading]);
    const retrieving = this.#run('retrieve beside the load', 1, { isOver: () => isOver, next: () => this.#retrieve() });
    const [meanwhile] = await Promise.all([retrieving, loading]);
    return summarize([meanwhile]);
  }

  async retrieveFor(seconds: number): Promise<Summary> {
    return summarize([await this.#run('retrieve', 1, { seconds, next: () => this.#retrieve() })]);
  }

  /** Half of each batch changes the newest contacts, as in the bare script. */
  upsertFor(seconds: number): Promise<Slice> {
    return this.#run('upsert of 1000', connections, {
      seconds,
      next: () => {
        const known = Math.min(limits.contactsPerUpsert / 2, this.#sent);
        const from = this.#sent - known;
        this.#sent = from + limits.contactsPerUpsert;
        return this.#upsert(from, this.#sent, from + known);
      },
    });
  }

  /** Sample contacts from one number up to another; those below `newFrom` exist and get another phone number. */
  #upsert(from: number, to: number, newFrom: number, onIds?: (ids: string[]) => void): Exchange {
    const change = this.#changes++;
    const data = Array.from({ length: to - from }, (_, i) =>
      from + i < newFrom ? changedContact(from + i, change) : sampleContact(from + i),
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
