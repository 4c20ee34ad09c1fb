// Many requests at once at the largest size, and what others notice of them: expensive searches of one organization,
// beside which single contacts are read and another organization searches; and creates, beside which one searches.
// A server may refuse searches meanwhile, and that is told; reads of single contacts it must answer.
import { setTimeout as delay } from 'node:timers/promises';
import { figuresOf, type Slice } from '../figures.ts';
import { type Exchange, run } from '../load.ts';
import { names } from '../operation-names.ts';
import { create, retrieve, searchOneHit, searchSmallBot, type Target, tidy } from '../operations.ts';
import { broadWords, commonLetters, person } from '../people.ts';
import type { CrowdFigures } from '../result.ts';
import { largestOf, nameOf, type RunContext } from './run-context.ts';

const mebibyte = 1024 ** 2;
/** The crowd has begun by then. */
const leadMs = 100;

interface Crowd {
  name: string;
  connections: number;
  next(target: Target): Exchange;
}

/** A broad word and a common letter: no index narrows that much, and hardly a query is asked twice. */
const expensiveSearches: Crowd = {
  name: 'expensive searches',
  connections: 20,
  next({ service, set }) {
    const number = asked++;
    const word = broadWords[number % broadWords.length];
    const letter = commonLetters[Math.floor(number / broadWords.length) % commonLetters.length];
    return service.exchange(set.big, 'POST', `contacts?query=${word}%20${letter}`, { status: 200 });
  },
};
let asked = 0;

const creates: Crowd = {
  name: 'creates',
  connections: 50,
  next: (target) => create(target, person(target.nextPerson++)),
};

/** What one connection asks, quiet and beside a crowd. */
class Beside {
  readonly crowd: Crowd;
  readonly #name: string;
  readonly #next: (target: Target) => Exchange;
  readonly #mayBeRefused: boolean;
  readonly quiet: Slice[] = [];
  readonly meanwhile: Slice[] = [];
  readonly crowds: Slice[] = [];

  constructor(name: string, next: (target: Target) => Exchange, crowd: Crowd, mayBeRefused = false) {
    this.crowd = crowd;
    this.#mayBeRefused = mayBeRefused;
    this.#name = name;
    this.#next = next;
  }

  /** Returns the memory of the server in the middle of it, in bytes. */
  async measure(target: Target, seconds: number): Promise<number> {
    const { port } = target.service;
    const load = { name: nameOf(this.#name, 1, target), port, connections: 1, seconds };
    await target.service.settle();
    this.quiet.push(await run({ ...load, next: () => this.#next(target) }));
    let isOver = false;
    const crowding = run({
      name: nameOf(this.crowd.name, this.crowd.connections, target),
      port,
      connections: this.crowd.connections,
      isOver: () => isOver,
      mayBeRefused: this.crowd === expensiveSearches,
      next: () => this.crowd.next(target),
    });
    // A failure of it is told below, and not before.
    crowding.catch(() => {});
    await delay(leadMs);
    this.meanwhile.push(await run({ ...load, mayBeRefused: this.#mayBeRefused, next: () => this.#next(target) }));
    const memoryBytes = await target.service.memoryBytes();
    isOver = true;
    this.crowds.push(await crowding);
    await tidy(target);
    return memoryBytes;
  }
}

export async function measureCrowd(context: RunContext): Promise<CrowdFigures> {
  const { rounds, seconds } = context.options;
  const target = largestOf(context);
  const retrieves = new Beside(names.retrieve, retrieve, expensiveSearches);
  const searches = new Beside(names.smallBot, searchSmallBot, expensiveSearches, true);
  const narrow = new Beside(names.oneHit, searchOneHit, creates);
  let memoryBytes = 0;
  context.bar.begin('crowd', rounds * 3);
  for (let round = 0; round < rounds; round++) {
    for (const one of [retrieves, searches, narrow]) {
      memoryBytes = Math.max(memoryBytes, await one.measure(target, seconds));
      context.bar.advance(1);
    }
  }
  context.bar.end();
  const floods = [...retrieves.crowds, ...searches.crowds];
  return {
    contacts: target.contacts,
    connections: expensiveSearches.connections,
    flood: figuresOf(floods),
    refused: refusedIn(floods),
    retrieveQuiet: figuresOf(retrieves.quiet),
    retrieveMeanwhile: figuresOf(retrieves.meanwhile),
    searchQuiet: figuresOf(searches.quiet),
    searchMeanwhile: figuresOf(searches.meanwhile),
    searchRefused: refusedIn(searches.meanwhile),
    narrowQuiet: figuresOf(narrow.quiet),
    narrowBesideCreates: figuresOf(narrow.meanwhile),
    memoryMiB: memoryBytes / mebibyte,
  };
}

function refusedIn(slices: readonly Slice[]): number {
  return slices.reduce((sum, { refused }) => sum + refused, 0);
}
