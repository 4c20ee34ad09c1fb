// Conformance: a search beside writes is answered as of one moment between its beginning and its end: page and total
// are those that the model has for that moment. Runs on each plan that an engine may search by. Set ROSTER_TEST_RUNS to 10 for ten
// times as many writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches, parseQuery } from '../../src/contacts/search-text.ts';
import type { Search, UpsertItem } from '../../src/store/store.ts';
import { sampleCaller, sampleContext, withKey } from '../sample.ts';
import { type Engine, type EngineOptions, shareStore, type TestBot } from './engine.ts';
import { Random, randomRuns } from './random.ts';

const writesOfEach = 40 * randomRuns;
const observationsMin = 20;

interface Person {
  id: string;
  name: string;
  email: string;
}

interface Observation {
  search: Search;
  /** Writes answered when it was asked, and writes begun when it was answered. */
  earliest: number;
  latest: number;
  answer: Page;
}

interface Page {
  total: number;
  contacts: Pick<Person, 'id' | 'name'>[];
}

/**
 * One writer and its own contacts, distinguished from those of others by a letter that stands in all their words and in no id.
 * It writes one thing after the other, so that its contacts have one history; the writers run beside each other.
 */
class Author {
  readonly #bot: TestBot;
  readonly #letter: string;
  readonly #random: Random;
  /** The contacts after each write, newest first. */
  readonly #history: Person[][] = [[]];
  #begun = 0;
  #emails = 0;
  readonly #observations: Observation[] = [];
  isWriting = true;

  constructor(bot: TestBot, letter: string, seed: number) {
    this.#bot = bot;
    this.#letter = letter;
    this.#random = new Random(seed);
  }

  get #now(): Person[] {
    return this.#history.at(-1) as Person[];
  }

  async write(): Promise<void> {
    // On a busy machine searches may be few: it goes on until enough of them ran beside it.
    while (this.#begun < writesOfEach || this.#observations.length < observationsMin) {
      this.#begun++;
      this.#history.push(await this.#writeOne());
    }
    this.isWriting = false;
  }

  /** Returns the contacts as they are then. */
  #writeOne(): Promise<Person[]> {
    const lot = this.#now.length < 5 ? 0 : this.#random.below(10);
    if (lot < 4) return this.#create();
    if (lot < 7) return this.#update();
    return lot < 8 ? this.#delete() : this.#upsert();
  }

  #name(): string {
    const endings = ['road', 'road', 'road', 'oad', 'tep', 't', '', 'r1', '1'];
    const words = [this.#random.pick(endings), ...this.#random.many(2, () => this.#random.pick(endings))];
    return words.map((ending) => this.#letter + ending).join(' ');
  }

  #email(): string {
    return `${this.#letter}${'q'.repeat(++this.#emails)}@q`;
  }

  async #create(): Promise<Person[]> {
    const { id, name, email } = await this.#bot.create({ name: this.#name(), email: this.#email() });
    return [{ id, name, email }, ...this.#now];
  }

  async #update(): Promise<Person[]> {
    const changed = { ...this.#random.pick(this.#now), name: this.#name() };
    await this.#bot.store.updateContact(this.#bot.botId, changed.id, { name: changed.name }, sampleContext());
    return this.#now.map((person) => (person.id === changed.id ? changed : person));
  }

  async #delete(): Promise<Person[]> {
    const { id } = this.#random.pick(this.#now);
    assert.equal(await this.#bot.store.deleteContact(this.#bot.botId, id, sampleContext()), true);
    return this.#now.filter((person) => person.id !== id);
  }

  async #upsert(): Promise<Person[]> {
    const known = this.#random.pick(this.#now).email;
    const items: UpsertItem[] = [known, this.#email(), this.#email()].map((email) =>
      withKey({ email, name: this.#name() }),
    );
    const outcome = await this.#bot.store.upsertContacts(this.#bot.botId, items, sampleContext());
    assert.ok(outcome.kind === 'upserted');
    const written = items.map(({ name = '', email }, index) => ({ id: outcome.ids[index] as string, name, email }));
    const others = this.#now.filter((person) => written.every(({ id }) => id !== person.id));
    return [...written, ...others].sort((one, other) => (one.id < other.id ? 1 : -1));
  }

  #randomSearch(): Search {
    const queries = ['?', '?r', '?road', '?oad', '?road ?tep', '?t ?', '?r1', '? ?1', '?no', '?z'];
    const query = this.#random.pick(queries).replaceAll('?', this.#letter);
    return {
      words: parseQuery(query),
      offset: this.#random.pick([0, 0, 0, 1, 4, 12]),
      limit: this.#random.pick([1, 3, 100]),
    };
  }

  async searchWhileWriting(): Promise<void> {
    while (this.isWriting) {
      const search = this.#randomSearch();
      const earliest = this.#history.length - 1;
      const { contacts, total } = await this.#bot.store.searchContacts(this.#bot.botId, search, sampleCaller);
      const answer = { total, contacts: contacts.map(({ id, name }) => ({ id, name })) };
      this.#observations.push({ search, earliest, latest: this.#begun, answer });
    }
  }

  #expected({ words, offset, limit }: Search, moment: number): Page {
    const found = (this.#history[moment] as Person[]).filter((person) =>
      matches({ phone: '', mid: '', wid: '', ...person }, words),
    );
    const page = found.slice(offset, offset + limit);
    return { total: found.length, contacts: page.map(({ id, name }) => ({ id, name })) };
  }

  /** Every search was answered as of one moment while it ran. To be called when all is written. */
  assertObservations(): void {
    for (const { search, earliest, latest, answer } of this.#observations) {
      const moments = Array.from({ length: latest - earliest + 1 }, (_, index) => earliest + index);
      const isExplained = moments.some((moment) => {
        const expected = JSON.stringify(this.#expected(search, moment));
        return expected === JSON.stringify(answer);
      });
      if (!isExplained) assert.deepEqual(answer, this.#expected(search, latest), JSON.stringify(search));
    }
  }

  async assertNow(): Promise<void> {
    for (let count = 0; count < 60; count++) {
      const search = this.#randomSearch();
      const { contacts, total } = await this.#bot.store.searchContacts(this.#bot.botId, search, sampleCaller);
      const answer = { total, contacts: contacts.map(({ id, name }) => ({ id, name })) };
      assert.deepEqual(answer, this.#expected(search, this.#history.length - 1), JSON.stringify(search));
    }
  }
}

export function testSearchesBesideWrites(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  test('a search beside writes is answered as of one moment, and exactly once they are done', async () => {
    const bot = await start();
    const authors = ['ж', 'ю', 'я'].map((letter, index) => new Author(bot, letter, index + 1));
    await Promise.all(
      authors.flatMap((author) => [author.write(), author.searchWhileWriting(), author.searchWhileWriting()]),
    );
    for (const author of authors) author.assertObservations();
    for (const author of authors) await author.assertNow();
    await bot.settle();
    for (const author of authors) await author.assertNow();
  });
}
