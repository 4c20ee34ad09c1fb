// What a background load costs other requests, at the largest size: expensive searches of one organization while single
// contacts are read and another organization searches; and creates while one connection searches. A server may answer
// searches with 503 during the load, which is counted; reads of single contacts must always succeed.
import { setTimeout as delay } from 'node:timers/promises';
import { type Exchange, run } from '../load.ts';
import { names } from '../operation-names.ts';
import { create, deleteCreated, retrieve, searchOneHit, searchSmallBot, type Target } from '../operations.ts';
import type { ContentionResult } from '../result.ts';
import { broadWords, commonLetters, sampleContact } from '../sample-contacts.ts';
import { type Slice, summarize } from '../statistics.ts';
import { largestOf, nameOf, type RunContext } from './run-context.ts';

const mebibyte = 1024 ** 2;
/** The background load runs at its full rate after this time. */
const rampUpMs = 100;

interface BackgroundLoad {
  name: string;
  connections: number;
  next(target: Target): Exchange;
}

/** A broad word and a common letter: no index narrows that much, and hardly any query is sent twice. */
const expensiveSearches: BackgroundLoad = {
  name: 'expensive searches',
  connections: 20,
  next({ service, set }) {
    const number = searchesSent++;
    const word = broadWords[number % broadWords.length];
    const letter = commonLetters[Math.floor(number / broadWords.length) % commonLetters.length];
    return service.exchange(set.big, 'POST', `contacts?query=${word}%20${letter}`, { status: 200 });
  },
};
let searchesSent = 0;

const creates: BackgroundLoad = {
  name: 'creates',
  connections: 50,
  next: (target) => create(target, sampleContact(target.nextContact++)),
};

/** An operation on one connection, measured without and with a background load. */
class ContendedOperation {
  readonly #background: BackgroundLoad;
  readonly #name: string;
  readonly #next: (target: Target) => Exchange;
  readonly #mayBeRefused: boolean;
  readonly quiet: Slice[] = [];
  readonly contended: Slice[] = [];
  /** Of the background load itself. */
  readonly background: Slice[] = [];

  constructor(name: string, next: (target: Target) => Exchange, background: BackgroundLoad, mayBeRefused = false) {
    this.#background = background;
    this.#mayBeRefused = mayBeRefused;
    this.#name = name;
    this.#next = next;
  }

  /** Returns the memory of the server during the background load, in bytes. */
  async measure(target: Target, seconds: number): Promise<number> {
    const { port } = target.service;
    const load = { name: nameOf(this.#name, 1, target), port, connections: 1, seconds };
    await target.service.settle();
    this.quiet.push(await run({ ...load, next: () => this.#next(target) }));
    let isOver = false;
    const background = run({
      name: nameOf(this.#background.name, this.#background.connections, target),
      port,
      connections: this.#background.connections,
      isOver: () => isOver,
      mayBeRefused: this.#background === expensiveSearches,
      next: () => this.#background.next(target),
    });
    // It is awaited below, which reports its failure. A failure before that must not end the process as unhandled.
    background.catch(() => {});
    await delay(rampUpMs);
    this.contended.push(await run({ ...load, mayBeRefused: this.#mayBeRefused, next: () => this.#next(target) }));
    const memoryBytes = await target.service.memoryBytes();
    isOver = true;
    this.background.push(await background);
    await deleteCreated(target);
    return memoryBytes;
  }
}

export async function measureContention(context: RunContext): Promise<ContentionResult> {
  const { rounds, seconds } = context.options;
  const target = largestOf(context);
  const retrieves = new ContendedOperation(names.retrieve, retrieve, expensiveSearches);
  const searches = new ContendedOperation(names.smallBot, searchSmallBot, expensiveSearches, true);
  const narrow = new ContendedOperation(names.oneHit, searchOneHit, creates);
  let memoryBytes = 0;
  context.bar.begin('contention', rounds * 3);
  for (let round = 0; round < rounds; round++) {
    for (const operation of [retrieves, searches, narrow]) {
      memoryBytes = Math.max(memoryBytes, await operation.measure(target, seconds));
      context.bar.advance(1);
    }
  }
  context.bar.end();
  const background = [...retrieves.background, ...searches.background];
  return {
    contacts: target.contacts,
    connections: expensiveSearches.connections,
    background: summarize(background),
    refused: refusedIn(background),
    retrieveQuiet: summarize(retrieves.quiet),
    retrieveMeanwhile: summarize(retrieves.contended),
    searchQuiet: summarize(searches.quiet),
    searchMeanwhile: summarize(searches.contended),
    searchRefused: refusedIn(searches.contended),
    narrowQuiet: summarize(narrow.quiet),
    narrowBesideCreates: summarize(narrow.contended),
    memoryMiB: memoryBytes / mebibyte,
  };
}

function refusedIn(slices: readonly Slice[]): number {
  return slices.reduce((sum, { refused }) => sum + refused, 0);
}
