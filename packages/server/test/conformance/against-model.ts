// Conformance: hundreds of random operations, each answered by the engine as by the model. Set ROSTER_TEST_SEED to the seed of a
// failure to run it again, and ROSTER_TEST_RUNS to 100 for a hundred times as many: a change of an engine deserves it.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import type { Contact } from '@roster/contract';
import { emailKey, sortFields } from '@roster/contract';
import { type Filter, longestTime } from '../../src/contacts/filters.ts';
import { makeId } from '../../src/contacts/ids.ts';
import { parseQuery } from '../../src/contacts/search-text.ts';
import type { StoredEvent } from '../../src/store/events/event-store.ts';
import type { EventContext, Search, Store, UpsertItem } from '../../src/store/store.ts';
import type { ContactValues } from '../../src/store/values/attribute-store.ts';
import type { NamedValues } from '../model-values.ts';
import {
  sampleBot,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleNowMs,
  sampleOrganization,
  sampleToken,
  withKey,
} from '../sample.ts';
import { type Identity, StoreModel } from '../store-model.ts';
import { listCountedBots } from './counted-bots.ts';
import { type Engine, type EngineOptions, type StartTest, shareStore } from './engine.ts';
import {
  Random,
  randomAttribute,
  randomChanges,
  randomEmail,
  randomFields,
  randomFilters,
  randomItem,
  randomName,
  randomQuery,
  randomRuns,
  randomSort,
  randomTag,
  randomValues,
} from './random.ts';

const steps = 400 * randomRuns;

type Opened = Pick<Awaited<ReturnType<StartTest>>, 'store' | 'settle' | 'reopen'>;

/** An engine and the model beside it. Each method does one random operation on both and compares the answers. */
class Comparison {
  readonly #random: Random;
  readonly #opened: Opened;
  readonly #model = new StoreModel();
  readonly #organization = sampleOrganization();
  #store: Store;
  #botIds: string[] = [];
  /** Some are gone: the operations on them must say so. */
  #contactIds: string[] = [];
  #tokenHashes: Uint8Array[] = [];
  #nowMs = sampleNowMs;
  /** What was done last, for the message of a failure. */
  lastOperation = '';

  constructor(random: Random, opened: Opened) {
    this.#random = random;
    this.#opened = opened;
    this.#store = opened.store;
  }

  async start(): Promise<void> {
    await this.#store.createOrganization(this.#organization, sampleContext());
    for (let count = 0; count < 3; count++) await this.#addBot();
    // Every kind of step has something to do from the first on.
    for (let count = 0; count < 12; count++) await this.#defineAttribute();
    for (let count = 0; count < 9; count++) await this.#upsert();
  }

  /** How often, of all, and what. */
  readonly operations: readonly [number, () => Promise<void>][] = [
    [200, () => this.#create()],
    [30, () => this.#createAtOnce()],
    [120, () => this.#update()],
    [70, () => this.#upsert()],
    [60, () => this.#delete()],
    [10, () => this.#deleteMany()],
    [30, () => this.#defineAttribute()],
    [10, () => this.#deleteAttribute()],
    [20, () => this.#changeTags()],
    [30, () => this.#find()],
    [300, () => this.#search()],
    [40, () => this.#export()],
    [40, () => this.#createToken()],
    [30, () => this.#useToken()],
    [30, () => this.#seeTokens()],
    [10, () => this.#purge()],
    [30, () => this.#settle()],
    [3, () => this.#replaceBot()],
  ];

  async step(): Promise<void> {
    const actors = [
      { kind: 'operator', id: null },
      { kind: 'secret', id: makeId('secret', 1) },
    ] as const;
    // The clock mostly goes forward, stands often, and sometimes goes back.
    this.#nowMs += this.#random.pick([0, 0, 0, 1, 1, 7, 1000, -1, -5000]);
    this.#model.context = sampleContext({ nowMs: this.#nowMs, event: this.#random.pick(actors) });
    let lot = this.#random.below(this.operations.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, run] of this.operations) {
      lot -= weight;
      if (lot < 0) return run();
    }
  }

  async compareAll(): Promise<void> {
    this.#note('listBots');
    const counts = (await listCountedBots(this.#store, this.#organization.id)).map((bot) => [bot.id, bot.contactCount]);
    const expected = this.#botIds.map((botId) => [botId, this.#model.contactsOf(botId).length]);
    assert.deepEqual(counts.toSorted(), expected.toSorted());
    for (const botId of this.#botIds) {
      this.#note('compareAll', botId);
      const page = { after: undefined, limit: 100_000, withValues: true };
      const { contacts, values = [] } = await this.#store.exportContacts(botId, page, sampleCaller);
      assert.deepEqual(contacts, this.#model.contactsOf(botId));
      assert.deepEqual(await this.#named(botId, ...values), this.#model.valuesOf(botId));
      assert.deepEqual(await this.#store.listAttributes(botId), this.#model.listAttributes(botId));
      const tags = (await this.#store.listTags(botId)).map(({ number: _, ...tag }) => tag);
      assert.deepEqual(tags, this.#model.listTags(botId));
      for (const search of this.#searchesOfAll(botId)) {
        this.#note('compareAll', botId, search);
        assert.deepEqual(
          await this.#store.searchContacts(botId, search, sampleCaller),
          this.#model.searchContacts(botId, search),
        );
      }
      await this.#compareEvents(botId);
    }
  }

  /** In every order, by every tag and attribute, and for some contacts by what they are called now: what is stale shows. */
  #searchesOfAll(botId: string): Search[] {
    const all = { words: [], offset: 0, limit: 100_000 };
    const filters: Filter[] = [
      ...this.#model.listTags(botId).map(({ key }) => ({ kind: 'tag', keys: [key] }) as const),
      ...this.#model.listAttributes(botId).map(({ number }) => ({ kind: 'hasAttribute', number }) as const),
      { kind: 'hasTag' },
      { kind: 'lastSeenAt', ...longestTime },
    ];
    const contacts = this.#model.contactsOf(botId);
    const some = contacts.length === 0 ? [] : Array.from({ length: 10 }, () => this.#random.pick(contacts));
    return [
      all,
      ...sortFields.flatMap((field) =>
        [true, false].map((isDescending) => ({ ...all, sort: { field, isDescending } })),
      ),
      ...filters.map((filter) => ({ ...all, filters: [filter] })),
      ...filters.map((filter) => ({ ...all, filters: [{ kind: 'not' as const, filter }] })),
      ...some.map((contact) => {
        const field = this.#random.pick(['name', 'email', 'phone', 'mid', 'wid'] as const);
        return { ...all, words: parseQuery(contact[field]) };
      }),
    ];
  }

  /** Each once, in their order, numbered without gaps. */
  async #compareEvents(botId: string): Promise<void> {
    const limit = this.#random.pick([1, 7, 100, 1000]);
    const events: StoredEvent[] = [];
    for (let after = 0; ; ) {
      const page = await this.#store.readEvents(botId, { after, limit }, sampleCaller);
      assert.ok(page.kind === 'page');
      events.push(...page.events);
      assert.equal(page.next, events.length);
      assert.ok(page.events.length === limit || page.next === page.feed.end);
      if (page.next === page.feed.end) break;
      after = page.next;
    }
    const expected = this.#model.eventsOf(botId);
    assert.deepEqual(
      events.map(({ id: _, number: __, ...event }) => event),
      expected,
    );
    assert.deepEqual(
      events.map(({ number }) => number),
      expected.map((_, index) => index + 1),
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  }

  /** The same for the engine and for the model. */
  get #context(): EventContext {
    return this.#model.context;
  }

  #note(operation: string, ...details: unknown[]): void {
    this.lastOperation = `${operation} ${JSON.stringify(details)} at ${this.#nowMs}`;
  }

  async #addBot(): Promise<void> {
    const bot = sampleBot(this.#organization.id);
    await this.#store.createBot(bot, undefined, sampleContext());
    this.#model.createBot(bot.id);
    this.#botIds.push(bot.id);
  }

  /** A bot; now and then one that is deleted or never was. */
  #pickBot(): string {
    return this.#random.isOneIn(60) ? makeId('bot', 1) : this.#random.pick(this.#botIds);
  }

  #pickContact(botId: string): string {
    const live = this.#model.contactsOf(botId);
    if (live.length > 0 && !this.#random.isOneIn(8)) return this.#random.pick(live).id;
    return this.#contactIds.length > 0 ? this.#random.pick(this.#contactIds) : makeId('contact', 1);
  }

  #remember({ id }: Identity): void {
    this.#contactIds.push(id);
    if (this.#contactIds.length > 200) this.#contactIds = this.#contactIds.slice(-100);
  }

  async #create(): Promise<void> {
    const botId = this.#pickBot();
    const fields = { ...randomFields(this.#random), ...this.#randomValues(botId) };
    this.#note('create', botId, fields);
    const answer = await this.#withNames(botId, this.#store.createContact(botId, fields, this.#context));
    const made = answer.kind === 'created' ? answer.contact : undefined;
    assert.deepEqual(answer, this.#model.createContact(botId, fields, this.#nowMs, made));
    if (made !== undefined) this.#remember(made);
  }

  /** Many creates at once, some with the same email. The model takes them in the order of the ids they got. */
  async #createAtOnce(): Promise<void> {
    const botId = this.#pickBot();
    const emails = [randomEmail(this.#random), randomEmail(this.#random), randomEmail(this.#random).toUpperCase()];
    const all = this.#random.many(8, () =>
      sampleFields({ name: randomName(this.#random), email: this.#random.pick(emails) }),
    );
    this.#note('createAtOnce', botId, all);
    const answers = await Promise.all(
      all.map(async (fields) => ({
        fields,
        answer: await this.#withNames(botId, this.#store.createContact(botId, fields, this.#context)),
      })),
    );
    const identity = (answer: (typeof answers)[number]['answer']) =>
      answer.kind === 'created' ? answer.contact : undefined;
    // Those that were refused come last: '~' is greater than any id.
    answers.sort((one, other) => ((identity(one.answer)?.id ?? '~') < (identity(other.answer)?.id ?? '~') ? -1 : 1));
    for (const { fields, answer } of answers) {
      const made = identity(answer);
      assert.deepEqual(answer, this.#model.createContact(botId, fields, this.#nowMs, made));
      if (made !== undefined) this.#remember(made);
    }
  }

  async #update(): Promise<void> {
    const botId = this.#pickBot();
    const id = this.#pickContact(botId);
    const { email, ...others } = randomChanges(this.#random);
    const changes = { ...others, ...(email !== undefined && withKey({ email })), ...this.#randomValues(botId) };
    this.#note('update', botId, id, changes);
    const answer = await this.#withNames(botId, this.#store.updateContact(botId, id, changes, this.#context));
    assert.deepEqual(answer, this.#model.updateContact(botId, id, changes, this.#nowMs));
    assert.deepEqual(await this.#store.findContact(botId, id), this.#model.findContact(botId, id));
  }

  async #upsert(): Promise<void> {
    const botId = this.#pickBot();
    const items: UpsertItem[] = this.#random.many(10, () =>
      randomItem(this.#random, this.#model.listAttributes(botId)),
    );
    this.#note('upsert', botId, items);
    const isThere = this.#botIds.includes(botId);
    if (isThere) assert.deepEqual(await this.#store.findFaults(botId, items), this.#model.findFaults(botId, items));
    const answer = await this.#store.upsertContacts(botId, items, this.#context);
    const ids = answer.kind === 'upserted' ? answer.ids : [];
    const contacts = await Promise.all(Array.from(new Set(ids), (id) => this.#store.findContact(botId, id)));
    const made = new Map(contacts.filter((contact) => contact !== undefined).map((contact) => [contact.id, contact]));
    assert.deepEqual(answer, this.#model.upsertContacts(botId, items, this.#nowMs, { ids, made }));
    for (const contact of made.values()) {
      assert.deepEqual(contact, this.#model.findContact(botId, contact.id));
      this.#remember(contact);
    }
  }

  async #delete(): Promise<void> {
    const botId = this.#pickBot();
    const id = this.#pickContact(botId);
    this.#note('delete', botId, id);
    assert.equal(await this.#store.deleteContact(botId, id, this.#context), this.#model.deleteContact(botId, id));
    assert.equal(await this.#store.findContact(botId, id), undefined);
  }

  async #deleteMany(): Promise<void> {
    const botId = this.#pickBot();
    // The same contact twice among them, now and then.
    const ids = Array.from({ length: this.#random.below(4) }, () => this.#pickContact(botId));
    this.#note('deleteMany', botId, ...ids);
    assert.deepEqual(
      await this.#store.deleteContacts(botId, ids, this.#context),
      this.#model.deleteContacts(botId, ids),
    );
    for (const id of ids) assert.equal(await this.#store.findContact(botId, id), undefined);
  }

  async #find(): Promise<void> {
    const botId = this.#pickBot();
    const [id, key] = [this.#pickContact(botId), emailKey(randomEmail(this.#random))];
    this.#note('find', botId, id, key);
    assert.deepEqual(await this.#store.findContact(botId, id), this.#model.findContact(botId, id));
    assert.deepEqual(await this.#store.findContactByEmail(botId, key), this.#model.findContactByEmail(botId, key));
    const found = await this.#store.findContactWithValues(botId, id);
    const at = this.#model.contactsOf(botId).findIndex((contact) => contact.id === id);
    assert.deepEqual(found?.contact, this.#model.contactsOf(botId)[at]);
    if (found !== undefined) {
      assert.deepEqual(await this.#named(botId, found.values), [this.#model.valuesOf(botId)[at]]);
    }
  }

  #randomValues(botId: string) {
    return randomValues(this.#random, this.#model.listAttributes(botId));
  }

  /** As the model has them. What has no definition any more is not there. */
  async #named(botId: string, ...all: ContactValues[]): Promise<NamedValues[]> {
    const attributes = new Set((await this.#store.listAttributes(botId)).map(({ number }) => number));
    const tags = await this.#store.listTags(botId, [...new Set(all.flatMap((values) => values.tags))]);
    return all.map((values) => ({
      attributes: Object.fromEntries(
        Object.entries(values.attributes).filter(([number]) => attributes.has(Number(number))),
      ),
      tags: tags.filter(({ number }) => values.tags.includes(number)).map(({ name }) => name),
    }));
  }

  async #withNames<Outcome extends object>(botId: string, answer: Promise<Outcome>) {
    type Named = Outcome extends { values: unknown } ? Omit<Outcome, 'values'> & { values: NamedValues } : Outcome;
    const outcome = await answer;
    if (!('values' in outcome)) return outcome as Named;
    const [values] = await this.#named(botId, outcome.values as ContactValues);
    return { ...outcome, values } as Named;
  }

  async #defineAttribute(): Promise<void> {
    const botId = this.#pickBot();
    const attribute = randomAttribute(this.#random);
    this.#note('defineAttribute', botId, attribute);
    const answer = await this.#store.defineAttribute(botId, attribute, sampleContext());
    const number = 'attribute' in answer ? answer.attribute.number : Number.NaN;
    assert.deepEqual(answer, this.#model.defineAttribute(botId, attribute, number));
  }

  /** Until a purge the search may find its text. */
  async #deleteAttribute(): Promise<void> {
    const botId = this.#pickBot();
    const { key } = randomAttribute(this.#random);
    this.#note('deleteAttribute', botId, key);
    const type = this.#model.listAttributes(botId).find((each) => each.key === key)?.type;
    assert.equal(await this.#store.deleteAttribute(botId, key, this.#context), this.#model.deleteAttribute(botId, key));
    if (type === 'text' || this.#random.isOneIn(2)) await this.#purge();
  }

  async #changeTags(): Promise<void> {
    const botId = this.#pickBot();
    const [{ key }, renamed] = [randomTag(this.#random), randomTag(this.#random)];
    this.#note('changeTags', botId, key, renamed);
    if (this.#random.isOneIn(3)) {
      assert.equal(await this.#store.deleteTag(botId, key, this.#context), this.#model.deleteTag(botId, key));
    } else {
      const answer = await this.#store.renameTag(botId, key, renamed, this.#context);
      assert.equal(answer.kind, this.#model.renameTag(botId, key, renamed));
    }
  }

  async #search(): Promise<void> {
    const botId = this.#pickBot();
    const query = randomQuery(this.#random, this.#model.contactsOf(botId));
    const words = parseQuery(query);
    const search = {
      words,
      ...(this.#random.isOneIn(2) && { filters: this.#randomFilters(botId) }),
      ...(this.#random.isOneIn(3) && { sort: randomSort(this.#random) }),
      offset: this.#random.pick([0, 0, 0, 1, 5, 500]),
      limit: this.#random.pick([1, 3, 10, 1000]),
    };
    this.#note('search', botId, query, search);
    assert.deepEqual(
      await this.#store.searchContacts(botId, search, sampleCaller),
      this.#model.searchContacts(botId, search),
    );
  }

  #randomFilters(botId: string) {
    return randomFilters(this.#random, this.#model.contactsOf(botId), this.#model.listAttributes(botId));
  }

  async #export(): Promise<void> {
    const botId = this.#pickBot();
    const after = this.#random.isOneIn(3) ? undefined : this.#pickContact(botId);
    const query = this.#random.isOneIn(2) ? '' : randomQuery(this.#random, this.#model.contactsOf(botId));
    const filters = this.#random.isOneIn(2) ? [] : this.#randomFilters(botId);
    const page = { words: parseQuery(query), filters, after, limit: this.#random.pick([1, 2, 7, 1000]) };
    this.#note('export', botId, query, page);
    assert.deepEqual(
      await this.#store.exportContacts(botId, page, sampleCaller),
      this.#model.exportContacts(botId, page),
    );
  }

  async #createToken(): Promise<void> {
    const botId = this.#pickBot();
    const id = this.#pickContact(botId);
    const token = sampleToken({
      createdAtMs: this.#nowMs,
      expiresAtMs: this.#nowMs + this.#random.pick([1, 5000, 1e9]),
    });
    this.#note('createToken', botId, id, token.expiresAtMs);
    const isCreated = await this.#store.createContactToken(botId, id, token, undefined, this.#context);
    assert.equal(isCreated, this.#model.createContactToken(botId, id, token));
    this.#tokenHashes.push(token.hash);
  }

  /** Looks every token up, and revokes one now and then. */
  async #useToken(): Promise<void> {
    this.#tokenHashes = this.#tokenHashes.slice(-12);
    for (const botId of this.#botIds) {
      this.#note('findVisitor', botId);
      for (const hash of this.#tokenHashes) {
        assert.deepEqual(await this.#store.findVisitor(botId, hash), this.#model.findVisitor(botId, hash));
      }
    }
    if (this.#tokenHashes.length === 0) return;
    const [botId, hash] = [this.#pickBot(), this.#random.pick(this.#tokenHashes)];
    this.#note('revokeToken', botId);
    const isRevoked = await this.#store.revokeContactToken(botId, hash, this.#context);
    assert.equal(isRevoked, this.#model.revokeContactToken(botId, hash));
  }

  /** Notes some tokens as seen, unknown ones and other bots' among them, and lists those of a contact. */
  async #seeTokens(): Promise<void> {
    const [botId, otherId] = [this.#pickBot(), this.#pickBot()];
    const hashes = [...this.#tokenHashes, sampleToken().hash];
    const seen = this.#random.many(20, () => ({
      hash: this.#random.pick(hashes),
      seenAtMs: this.#nowMs + this.#random.pick([0, 3, -1000, 40_000_000]),
    }));
    this.#note('noteTokensSeen', botId, seen.length);
    await this.#store.noteTokensSeen(botId, seen, { ...this.#context, event: { kind: 'visitor', id: null } });
    this.#model.noteTokensSeen(botId, seen);
    for (const id of [botId, otherId]) {
      const contactId = this.#pickContact(botId);
      this.#note('listContactTokens', id, contactId);
      const page = { nowMs: this.#nowMs, limit: 1000 };
      const listed = await this.#store.listContactTokens(id, contactId, page);
      const times = listed.tokens.map(({ hash: _hash, ...token }) => token);
      assert.deepEqual(times, this.#model.listContactTokens(id, contactId, page));
    }
  }

  async #purge(): Promise<void> {
    this.#note('purge');
    const sizes = [1, 3, 10, 100] as const;
    // How many slices it takes depends on the other bots of the store: a choice for each would make a seed fail only there.
    const first = this.#random.below(sizes.length);
    for (
      let slice = first;
      await this.#store.purge(sizes[slice % sizes.length] as number, 0, sampleContext({ nowMs: this.#nowMs }));
    )
      slice++;
    this.#model.purge(this.#nowMs);
  }

  async #settle(): Promise<void> {
    this.#note('settle');
    await this.#opened.settle();
  }

  async #replaceBot(): Promise<void> {
    const botId = this.#pickBot();
    this.#note('deleteBot', botId);
    assert.equal(
      await this.#store.deleteBot(botId, sampleContext({ nowMs: this.#nowMs })),
      this.#model.deleteBot(botId),
    );
    const { contacts, total } = await this.#store.searchContacts(
      botId,
      { words: [], offset: 0, limit: 10 },
      sampleCaller,
    );
    assert.deepEqual([contacts, total] satisfies [Contact[], number], [[], 0]);
    if (!this.#botIds.includes(botId)) return;
    this.#botIds = this.#botIds.filter((id) => id !== botId);
    await this.#addBot();
  }

  async reopen(): Promise<void> {
    this.#note('reopen');
    this.#store = await this.#opened.reopen();
  }
}

export function testAgainstModel(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  test('the engine answers a long random run of operations as the model does', async () => {
    const seed = Number(process.env['ROSTER_TEST_SEED'] || randomInt(2 ** 31));
    const comparison = new Comparison(new Random(seed), await start());
    let step = 0;
    try {
      await comparison.start();
      for (; step < steps; step++) {
        await comparison.step();
        if (step % 100 === 99) await comparison.compareAll();
        if (step % 400 === 250) await comparison.reopen();
      }
    } catch (cause) {
      const where = `step ${step} of ROSTER_TEST_SEED=${seed}: ${comparison.lastOperation}`;
      throw new Error(`${where}\n${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  });
}
