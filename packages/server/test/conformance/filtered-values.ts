// Conformance: lists filtered by attributes and tags stay exact while contacts change, whether their totals are counted or kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Filter, meets, type Sort } from '../../src/contacts/filters.ts';
import { matches, parseQuery } from '../../src/contacts/search-text.ts';
import { toTag } from '../../src/contacts/values.ts';
import { sampleCaller, sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { define } from './attributes.ts';
import { type Engine, type EngineOptions, shareStore, type TestBot } from './engine.ts';

interface Asked {
  query: string;
  filters: Filter[];
}

const fields = (n: number, numbers: { plan: number; seats: number }) =>
  sampleFields({
    name: `${n % 2 === 0 ? 'Jane' : 'Max'} ${n}`,
    attributes: { [numbers.plan]: n % 3 === 0 ? 'Pro' : 'free', ...(n % 4 !== 0 && { [numbers.seats]: n }) },
    tags: { set: [toTag(n % 5 === 0 ? 'vip' : 'regular')] },
  });

/** Every contact that is wanted, found one by one. */
async function expectedIds(bot: TestBot, { query, filters }: Asked): Promise<string[]> {
  const { store, botId } = bot;
  const { contacts, values = [] } = await store.exportContacts(
    botId,
    { after: undefined, limit: 1000, withValues: true },
    sampleCaller,
  );
  const keys = new Map((await store.listTags(botId)).map(({ number, key }) => [number, key]));
  const ids: string[] = [];
  for (const [position, contact] of contacts.entries()) {
    const { attributes, tags } = values[position] as (typeof values)[number];
    const texts = Object.values(attributes).filter((value) => typeof value === 'string');
    if (!matches(contact, parseQuery(query), texts)) continue;
    const tagKeys = tags.map((number) => keys.get(number)).filter((key) => key !== undefined);
    if (filters.every((filter) => meets(contact, { attributes, tagKeys }, filter))) ids.push(contact.id);
  }
  return ids;
}

/** What a filter means once that attribute is deleted: no contact has a value, whatever its row still holds. */
const withoutSeats =
  (seats: number) =>
  (filter: Filter): Filter => {
    if (filter.kind === 'not') return { kind: 'not', filter: withoutSeats(seats)(filter.filter) };
    return 'number' in filter && filter.number === seats ? { kind: 'tag', keys: ['nobody'] } : filter;
  };

export function testFilteredValues(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  test('lists filtered by attributes and tags are exact after every kind of write', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const numbers = { plan: await define(bot, 'plan', 'text'), seats: await define(bot, 'seats', 'number') };
    const { plan, seats } = numbers;
    const asked: Asked[] = [
      { query: '', filters: [{ kind: 'tag', keys: ['vip'] }] },
      { query: '', filters: [{ kind: 'hasAttribute', number: seats }] },
      { query: '', filters: [{ kind: 'not', filter: { kind: 'hasAttribute', number: seats } }] },
      { query: '', filters: [{ kind: 'attribute', number: plan, values: ['pro'] }] },
      { query: '', filters: [{ kind: 'attribute', number: plan, values: ['pro', 'free'] }] },
      { query: '', filters: [{ kind: 'attributeRange', number: seats, range: { gte: 5, lt: 30 } }] },
      { query: 'jane', filters: [{ kind: 'tag', keys: ['regular'] }] },
      { query: '', filters: [{ kind: 'tag', keys: ['vip', 'regular'] }] },
      { query: '', filters: [{ kind: 'tag', keys: ['vip', 'nobody'] }] },
      { query: '', filters: [{ kind: 'not', filter: { kind: 'tag', keys: ['vip', 'regular'] } }] },
      { query: '', filters: [{ kind: 'not', filter: { kind: 'tag', keys: ['regular'] } }] },
      { query: 'max', filters: [{ kind: 'not', filter: { kind: 'tag', keys: ['nobody'] } }] },
      { query: '', filters: [{ kind: 'hasTag' }] },
      { query: '', filters: [{ kind: 'not', filter: { kind: 'hasTag' } }] },
      { query: '', filters: [{ kind: 'not', filter: { kind: 'attribute', number: plan, values: ['pro'] } }] },
      { query: '', filters: [{ kind: 'not', filter: { kind: 'attribute', number: seats, values: [1, 5, 500] } }] },
      { query: '', filters: [{ kind: 'attributeContains', number: plan, text: 'r' }] },
      { query: '', filters: [{ kind: 'contains', field: 'name', text: 'e 1', isDigits: false }] },
      {
        query: 'jane',
        filters: [
          { kind: 'tag', keys: ['regular'] },
          { kind: 'attributeRange', number: seats, range: { gt: 2 } },
          { kind: 'attribute', number: plan, values: ['free'] },
        ],
      },
    ];
    const orders: (Sort | undefined)[] = [
      undefined,
      { field: 'createdAt', isDescending: false },
      { field: 'updatedAt', isDescending: true },
    ];
    const assertExact = async (moment: string) => {
      for (const one of asked) {
        const ids = await expectedIds(bot, one);
        const what = `${JSON.stringify(one)} ${moment}`;
        // The first counts, and the others may find the total that it has left behind.
        for (const sort of orders) {
          const wanted = { words: parseQuery(one.query), filters: one.filters, sort, offset: 0, limit: 100 };
          const { contacts, total } = await store.searchContacts(botId, wanted, sampleCaller);
          assert.equal(total, ids.length, what);
          const found = contacts.map(({ id }) => id);
          if (sort?.field === 'createdAt') assert.deepEqual(found, ids, what);
          if (sort === undefined) assert.deepEqual(found, ids.toReversed(), what);
          assert.deepEqual(new Set(found), new Set(ids), what);
          const second = await store.searchContacts(botId, { ...wanted, offset: 3, limit: 4 }, sampleCaller);
          assert.deepEqual([second.total, second.contacts], [total, contacts.slice(3, 7)], what);
        }
      }
    };

    const all = Array.from({ length: 40 }, (_, n) => fields(n, numbers));
    await store.upsertContacts(botId, all, sampleContext());
    await assertExact('after an upsert');
    await bot.settle();
    await assertExact('after they were indexed');
    const contacts = await bot.exportAll();
    const idOf = (n: number) => contacts[n]?.id as string;
    const update = (n: number, changes: Parameters<typeof store.updateContact>[2]) =>
      store.updateContact(botId, idOf(n), changes, sampleContext({ nowMs: sampleNowMs + 1000 }));
    await update(1, { attributes: { [plan]: 'Pro', [seats]: 500 } });
    await update(2, { attributes: { [seats]: null } });
    await update(3, { tags: { add: [toTag('vip')], remove: [] } });
    await update(5, { tags: { add: [], remove: ['vip'] } });
    await update(6, { name: 'Max instead' });
    await update(8, { tags: { add: [], remove: ['regular'] } });
    await assertExact('after updates');
    await store.deleteContact(botId, idOf(10), sampleContext());
    await store.deleteContact(botId, idOf(9), sampleContext());
    await store.createContact(botId, fields(100, numbers), sampleContext());
    await store.upsertContacts(
      botId,
      [withKey({ email: contacts[7]?.email as string, tags: { set: [] } })],
      sampleContext(),
    );
    await assertExact('after deletions and creates');

    await store.deleteAttribute(botId, 'seats', sampleContext());
    await store.deleteTag(botId, 'vip', sampleContext());
    for (const isPurged of [false, true]) {
      if (isPurged) while (await store.purge(10, 0, sampleContext()));
      for (const { query, filters } of asked) {
        const expected = await expectedIds(bot, { query, filters: filters.map(withoutSeats(seats)) });
        const wanted = { words: parseQuery(query), filters, offset: 0, limit: 100 };
        const { contacts, total } = await store.searchContacts(botId, wanted, sampleCaller);
        const what = `${JSON.stringify(filters)} without its definition`;
        assert.deepEqual([total, contacts.map(({ id }) => id)], [expected.length, expected.toReversed()], what);
      }
    }
  });
}
