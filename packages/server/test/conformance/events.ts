// Conformance: the feed of a bot. Every change makes its event in its own transaction, and a reader sees each once, in order.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isId } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { StoredEvent, WantedEvents } from '../../src/store/events/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import { sampleCaller, sampleContext, sampleFields, sampleNowMs, sampleToken, withKey } from '../sample.ts';
import { newAttribute } from './attributes.ts';
import { type Engine, shareStore, shareStoreInSuite, type TestBot } from './engine.ts';

const dayMs = 86_400_000;
const laterMs = sampleNowMs + 1000;
const bySecret = sampleContext({ nowMs: laterMs, event: { kind: 'secret', id: makeId('secret', 1) } });
const byVisitor = sampleContext({ event: { kind: 'visitor', id: null } });

async function readPage(store: Store, botId: string, wanted: Partial<WantedEvents> = {}) {
  const page = await store.readEvents(botId, { limit: 1000, ...wanted }, sampleCaller);
  assert.ok(page.kind === 'page', page.kind);
  return page;
}

const eventsOf = async (store: Store, botId: string, wanted: Partial<WantedEvents> = {}) =>
  (await readPage(store, botId, wanted)).events;

/** Without those of what a test has prepared, which the operator made. */
const eventsBySecret = async ({ store, botId }: Pick<TestBot, 'store' | 'botId'>) =>
  (await eventsOf(store, botId)).filter(({ actor }) => actor.kind === 'secret');

/** What most tests look at. */
const briefly = (events: readonly StoredEvent[]) =>
  events.map(({ type, contactId, fields }) => ({ type, contactId, ...(fields && { fields }) }));

export function testEvents(engine: Engine): void {
  const start = shareStore(engine);
  /** A bot with a contact that has an attribute, a tag and a token. */
  const prepare = async () => {
    const bot = await start();
    const { store, botId, create } = bot;
    const defined = await store.defineAttribute(botId, newAttribute('plan'), sampleContext());
    assert.ok(defined.kind === 'defined');
    const { number } = defined.attribute;
    const contact = await create({ attributes: { [number]: 'free' }, tags: { set: [toTag('vip')] } });
    const token = sampleToken();
    await store.createContactToken(botId, contact.id, token, undefined, sampleContext());
    return { ...bot, number, contact, token };
  };
  type Prepared = Awaited<ReturnType<typeof prepare>>;

  const made: Record<string, (prepared: Prepared) => Promise<unknown[]>> = {
    async createContact({ store, botId }) {
      const outcome = await store.createContact(botId, sampleFields(), bySecret);
      assert.ok(outcome.kind === 'created');
      return [{ type: 'contact.created', contactId: outcome.contact.id }];
    },
    async updateContact({ store, botId, contact: { id }, number }) {
      const changes = { name: 'New', phone: '1', attributes: { [number]: 'pro' }, tags: { set: [] } };
      await store.updateContact(botId, id, { ...changes, mid: '' }, bySecret);
      return [{ type: 'contact.updated', contactId: id, fields: ['name', 'phone', 'attributes.plan', 'tags'] }];
    },
    async upsertContacts({ store, botId, contact: { id, email } }) {
      const changed = { ...withKey({ email }), name: 'New', wid: '+15550100' };
      const items = [sampleFields(), changed, sampleFields()];
      const outcome = await store.upsertContacts(botId, items, bySecret);
      assert.ok(outcome.kind === 'upserted');
      return [
        { type: 'contact.created', contactId: outcome.ids[0] },
        { type: 'contact.updated', contactId: id, fields: ['name', 'wid'] },
        { type: 'contact.created', contactId: outcome.ids[2] },
      ];
    },
    async deleteContact({ store, botId, contact: { id } }) {
      await store.deleteContact(botId, id, bySecret);
      return [{ type: 'contact.deleted', contactId: id }];
    },
    async deleteContacts({ store, botId, contact: { id }, create }) {
      const other = await create();
      await store.deleteContacts(botId, [other.id, makeId('contact', 1), id, other.id], bySecret);
      return [other.id, id].map((contactId) => ({ type: 'contact.deleted', contactId }));
    },
    async createContactToken({ store, botId, contact: { id } }) {
      await store.createContactToken(botId, id, sampleToken(), undefined, bySecret);
      return [{ type: 'token.created', contactId: id }];
    },
    async revokeContactToken({ store, botId, contact: { id }, token }) {
      await store.revokeContactToken(botId, token.hash, bySecret);
      return [{ type: 'token.revoked', contactId: id }];
    },
    async revokeContactTokens({ store, botId, contact: { id } }) {
      await store.createContactToken(botId, id, sampleToken(), undefined, sampleContext());
      await store.revokeContactTokens(botId, id, bySecret);
      return [{ type: 'token.revoked', contactId: id }];
    },
    async deleteAttribute({ store, botId }) {
      await store.deleteAttribute(botId, 'plan', bySecret);
      return [{ type: 'attribute.deleted', contactId: null, fields: ['attributes.plan'] }];
    },
    async renameTag({ store, botId }) {
      await store.renameTag(botId, 'vip', toTag('lead'), bySecret);
      return [{ type: 'tag.renamed', contactId: null, fields: ['tags'] }];
    },
    async deleteTag({ store, botId }) {
      await store.deleteTag(botId, 'vip', bySecret);
      return [{ type: 'tag.deleted', contactId: null, fields: ['tags'] }];
    },
  };

  for (const [name, act] of Object.entries(made)) {
    test(`${name} makes its events`, async () => {
      const prepared = await prepare();
      const expected = await act(prepared);
      const events = await eventsBySecret(prepared);
      assert.deepEqual(briefly(events), expected);
      for (const { id, atMs, actor } of events) {
        assert.ok(isId('event', id));
        assert.deepEqual([atMs, actor], [laterMs, bySecret.event]);
      }
    });
  }

  const unmade: Record<string, (prepared: Prepared) => Promise<unknown>> = {
    'a create whose email is taken': ({ store, botId, contact: { email } }) =>
      store.createContact(botId, sampleFields({ email }), bySecret),
    'an update to the same values': ({ store, botId, contact: { id, name }, number }) => {
      const changes = { name, attributes: { [number]: 'free' }, tags: { set: [toTag('VIP')] } };
      return store.updateContact(botId, id, changes, bySecret);
    },
    'an upsert of what is there': ({ store, botId, contact: { email } }) =>
      store.upsertContacts(botId, [withKey({ email })], bySecret),
    'an upsert with a fault': ({ store, botId }) =>
      store.upsertContacts(botId, [sampleFields(), withKey({ email: 'a@b.c' })], bySecret),
    'deletions of what is not there': async ({ store, botId }) => {
      await store.deleteContact(botId, makeId('contact', 1), bySecret);
      await store.deleteContacts(botId, [makeId('contact', 1)], bySecret);
      await store.deleteAttribute(botId, 'size', bySecret);
      await store.deleteTag(botId, 'lead', bySecret);
      await store.renameTag(botId, 'lead', toTag('new'), bySecret);
      await store.revokeContactToken(botId, sampleToken().hash, bySecret);
    },
    'a tag that keeps its name': ({ store, botId }) => store.renameTag(botId, 'vip', toTag('vip'), bySecret),
    'the revocation of all tokens of a contact without any': async ({ store, botId, create }) =>
      store.revokeContactTokens(botId, (await create()).id, bySecret),
  };

  for (const [name, act] of Object.entries(unmade)) {
    test(`no event is made by ${name}`, async () => {
      const prepared = await prepare();
      await act(prepared);
      assert.deepEqual(await eventsBySecret(prepared), []);
    });
  }

  test('an attribute that was deleted keeps its key in earlier events', async () => {
    const { store, botId, contact, number } = await prepare();
    await store.updateContact(botId, contact.id, { attributes: { [number]: 'pro' } }, bySecret);
    await store.deleteAttribute(botId, 'plan', bySecret);
    const fields = (await eventsBySecret({ store, botId })).map((event) => event.fields);
    assert.deepEqual(fields, [['attributes.plan'], ['attributes.plan']]);
  });

  suite('recognition', () => {
    const see = ({ store, botId, token }: Prepared, ...times: number[]) =>
      store.noteTokensSeen(
        botId,
        times.map((seenAtMs) => ({ hash: token.hash, seenAtMs })),
        byVisitor,
      );
    const recognitions = ({ store, botId }: Prepared) => eventsOf(store, botId, { types: ['visitor.recognized'] });

    test('a visitor is recognized once per token and day in UTC', async () => {
      const prepared = await prepare();
      const { store, botId, contact } = prepared;
      const midnightMs = Math.ceil(sampleNowMs / dayMs) * dayMs;
      for (const seenAtMs of [sampleNowMs, sampleNowMs + 1, midnightMs - 1, midnightMs, midnightMs - 1]) {
        await see(prepared, seenAtMs);
      }
      const other = sampleToken();
      await store.createContactToken(botId, contact.id, other, undefined, sampleContext());
      await store.noteTokensSeen(botId, [{ hash: other.hash, seenAtMs: midnightMs + 5 }], byVisitor);
      const events = await recognitions(prepared);
      assert.deepEqual(
        events.map(({ type, contactId, atMs, actor, fields }) => ({ type, contactId, atMs, actor, fields })),
        [sampleNowMs, midnightMs, midnightMs + 5].map((atMs) => ({
          type: 'visitor.recognized',
          contactId: contact.id,
          atMs,
          actor: { kind: 'visitor', id: null },
          fields: undefined,
        })),
      );
    });

    test('unknown tokens make no events', async () => {
      const prepared = await prepare();
      const { store, botId, contact } = prepared;
      await store.noteTokensSeen(botId, [{ hash: sampleToken().hash, seenAtMs: sampleNowMs }], byVisitor);
      assert.deepEqual(await recognitions(prepared), []);
      await see(prepared, sampleNowMs + 5);
      assert.equal((await recognitions(prepared)).length, 1);
      assert.deepEqual(await store.findLastSeen(botId, [contact.id]), [sampleNowMs + 5]);
    });
  });

  suite('reading', () => {
    const upsert = ({ store, botId }: TestBot, count: number, atMs = sampleNowMs) => {
      const items = Array.from({ length: count }, () => sampleFields());
      return store.upsertContacts(botId, items, sampleContext({ nowMs: atMs }));
    };

    test('each event is read once and in order, whatever the size of pages', async () => {
      const bot = await start();
      const { store, botId } = bot;
      const expected: string[] = [];
      for (const count of [1, 3, 700, 1, 1000, 2, 400]) {
        const outcome = await upsert(bot, count);
        assert.ok(outcome.kind === 'upserted');
        expected.push(...outcome.ids);
      }
      for (const limit of [1000, 999, 333]) {
        const events: StoredEvent[] = [];
        for (let after: number | undefined; after !== expected.length; ) {
          const page = await readPage(store, botId, { after, limit });
          assert.equal(page.feed.end, expected.length);
          assert.equal(page.events.length, Math.min(limit, expected.length - (after ?? 0)));
          events.push(...page.events);
          after = page.next;
        }
        assert.deepEqual(
          events.map(({ contactId }) => contactId),
          expected,
        );
        assert.deepEqual(
          events.map(({ number }) => number),
          expected.map((_, index) => index + 1),
        );
        assert.equal(new Set(events.map(({ id }) => id)).size, expected.length);
      }
    });

    test('the id of an event is the same whichever page it is read on', async () => {
      const bot = await start();
      await upsert(bot, 5);
      const all = await eventsOf(bot.store, bot.botId);
      for (const event of all) {
        assert.deepEqual(await eventsOf(bot.store, bot.botId, { after: event.number - 1, limit: 1 }), [event]);
      }
    });

    test('types and a contact narrow a page, which may be empty while it advances', async () => {
      const bot = await start();
      const { store, botId } = bot;
      await upsert(bot, 6);
      const [, second] = await eventsOf(store, botId);
      const contactId = second?.contactId as string;
      await store.updateContact(botId, contactId, { name: 'New' }, bySecret);
      await store.deleteContact(botId, contactId, bySecret);
      const typesOf = async (wanted: Partial<WantedEvents>) =>
        (await eventsOf(store, botId, wanted)).map(({ type }) => type);
      assert.deepEqual(await typesOf({ contactId }), ['contact.created', 'contact.updated', 'contact.deleted']);
      assert.deepEqual(await typesOf({ types: ['contact.updated', 'contact.deleted'] }), [
        'contact.updated',
        'contact.deleted',
      ]);
      assert.deepEqual(await typesOf({ contactId, types: ['contact.deleted'] }), ['contact.deleted']);
      const none = await readPage(store, botId, { types: ['tag.deleted'], limit: 1 });
      assert.deepEqual({ events: none.events, next: none.next }, { events: [], next: 8 });
      const limited = await readPage(store, botId, { contactId, limit: 2 });
      assert.deepEqual({ count: limited.events.length, next: limited.next }, { count: 2, next: 7 });
    });

    test('a filter that nothing meets is walked to the end in pages', async () => {
      const bot = await start();
      for (let count = 0; count < 6; count++) await upsert(bot, 1000);
      let [after, pages] = [0, 0];
      for (; after < 6000; pages++) {
        const page = await readPage(bot.store, bot.botId, { after, types: ['tag.deleted'] });
        assert.deepEqual(page.events, []);
        assert.ok(page.next > after);
        after = page.next;
      }
      assert.ok(pages > 1);
    });

    test('a number beyond the end has expired, and that of the end has not', async () => {
      const bot = await start();
      const { store, botId } = bot;
      await upsert(bot, 2);
      assert.deepEqual((await readPage(store, botId, { after: 2 })).events, []);
      const feed = { history: '', end: 2 };
      assert.deepEqual(await store.readEvents(botId, { after: 3, limit: 1 }, sampleCaller), { kind: 'expired', feed });
    });

    test('the feed of a bot that does not exist is missing', async () => {
      const bot = await start();
      await upsert(bot, 1);
      await bot.store.deleteBot(bot.botId, sampleContext({ nowMs: laterMs }));
      for (const after of [undefined, 0]) {
        const read = await bot.store.readEvents(bot.botId, { after, limit: 1 }, sampleCaller);
        assert.deepEqual(read, { kind: 'missing' });
      }
    });

    test('feeds are found by their bots', async () => {
      const [one, other, deleted] = [await start(), await start(), await start()];
      await upsert(one, 3);
      await deleted.store.deleteBot(deleted.botId, sampleContext({ nowMs: laterMs }));
      const feeds = await one.store.findFeeds([one.botId, other.botId, deleted.botId, makeId('bot', 1)]);
      const expected = new Map([
        [one.botId, { history: '', end: 3 }],
        [other.botId, { history: '', end: 0 }],
      ]);
      assert.deepEqual(feeds, expected);
      assert.deepEqual(await one.store.findFeeds([]), new Map());
    });

    test('writes at once make events with numbers of their own, in the order of the contacts', async () => {
      const { store, botId } = await start();
      const writes = Array.from({ length: 60 }, (_, index) => {
        const context = sampleContext({ event: { kind: 'secret', id: `sec_${index}` } });
        return store.createContact(botId, sampleFields(), context);
      });
      const outcomes = await Promise.all(writes);
      const ids = outcomes.map((outcome) => (outcome.kind === 'created' ? outcome.contact.id : ''));
      const events = await eventsOf(store, botId);
      assert.deepEqual(
        events.map(({ contactId }) => contactId),
        ids.toSorted(),
      );
      for (const { contactId, actor } of events) assert.equal(actor.id, `sec_${ids.indexOf(contactId ?? '')}`);
    });
  });

  suite('retention', () => {
    // Old events go from all bots.
    const startAlone = shareStoreInSuite(engine, { readers: 1 });

    test('old events go, the oldest first, and numbers before them have expired', async () => {
      const [bot, other] = [await startAlone(), await startAlone()];
      const { store } = bot;
      const create = ({ botId }: TestBot, atMs: number) =>
        store.createContact(botId, sampleFields(), sampleContext({ nowMs: atMs }));
      for (let day = 0; day < 6; day++) await create(bot, sampleNowMs + day * dayMs);
      await create(other, sampleNowMs + 5 * dayMs);
      const cutoffMs = sampleNowMs + 3 * dayMs;
      while (await store.purge(2, 0, sampleContext())) {}
      assert.equal((await eventsOf(store, bot.botId)).length, 6, 'none goes without a time');
      while (await store.purge(2, cutoffMs, sampleContext())) {}
      const numbers = (await eventsOf(store, bot.botId)).map(({ number }) => number);
      assert.deepEqual(numbers, [4, 5, 6]);
      assert.equal((await eventsOf(store, other.botId)).length, 1);
      assert.equal((await readPage(store, bot.botId, { after: 3 })).events.length, 3);
      assert.equal((await store.readEvents(bot.botId, { after: 2, limit: 1 }, sampleCaller)).kind, 'expired');

      while (await store.purge(1, sampleNowMs + 100 * dayMs, sampleContext())) {}
      assert.deepEqual(await readPage(store, bot.botId), {
        kind: 'page',
        feed: { history: '', end: 6 },
        events: [],
        next: 6,
      });
      assert.equal((await store.readEvents(bot.botId, { after: 5, limit: 1 }, sampleCaller)).kind, 'expired');
      await create(bot, sampleNowMs + 7 * dayMs);
      assert.deepEqual(
        (await eventsOf(store, bot.botId, { after: 6 })).map(({ number }) => number),
        [7],
      );
    });

    test('no event goes before an older one, though the clock went back between them', async () => {
      const { store, botId } = await startAlone();
      for (const days of [5, 1, 2]) {
        const atMs = sampleNowMs + days * dayMs;
        await store.createContact(botId, sampleFields(), sampleContext({ nowMs: atMs }));
      }
      while (await store.purge(10, sampleNowMs + 3 * dayMs, sampleContext())) {}
      assert.equal((await eventsOf(store, botId)).length, 3);
    });
  });
}
