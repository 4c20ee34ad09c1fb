// Attributes and tags on PostgreSQL: what they cost writes that are about them and writes that are not, and several servers
// on one database.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { limits } from '@roster/contract';
import { toTag } from '../../src/contacts/values.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { TagChange } from '../../src/store/values/attribute-store.ts';
import { addBot, botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { sampleCaller, sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { createDatabase, type DatabaseKind, query } from './databases.ts';
import { watchStatements } from './watch-statements.ts';

const laterMs = sampleNowMs + 1000;
const plan = { key: 'plan', type: 'text', label: 'Plan', description: '' } as const;
const setTags = (...names: string[]): TagChange => ({ set: names.map(toTag) });

async function openStores(t: TestContext, kind: DatabaseKind, setting?: string) {
  const { url, drop } = await createDatabase(kind);
  if (setting !== undefined) await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} ${setting}`);
  const open = () => openPostgresStore({ url, ...postgresUnderLoad });
  const stores = await Promise.all(Array.from({ length: 3 }, open));
  t.after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await drop();
  });
  const [first, second] = stores as [Store, Store, Store];
  return { url, stores, first, second, bot: await addBot({ store: first }) };
}

suite('what attributes and tags cost', () => {
  const reading = ['BEGIN', 'lockState'];

  test('writes without them send no statement for them', async (t) => {
    const { bot } = await openStores(t, 'plain');
    const { store, botId } = bot;
    const { id, email } = await bot.create();
    const sent = watchStatements(t);
    const sentBy = async (write: () => Promise<unknown>) => {
      sent.length = 0;
      await write();
      return [...sent];
    };
    assert.deepEqual(
      await sentBy(() => store.updateContact(botId, id, { name: 'New' }, sampleContext({ nowMs: laterMs }))),
      [...reading, 'readForWriteById', 'updateContacts', 'saveState', 'insertEvents', 'COMMIT'],
    );
    const items = [{ ...withKey({ email }), name: 'Newer' }, sampleFields()];
    assert.deepEqual(await sentBy(() => store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs }))), [
      ...reading,
      'readForWriteByEmail',
      'updateContacts',
      'insertContacts',
      'saveState',
      'insertEvents',
      'COMMIT',
    ]);
    assert.deepEqual(await sentBy(() => store.deleteContact(botId, id, sampleContext())), [
      ...reading,
      'readForWriteById',
      'deleteContacts',
      // Of webhooks: what their receivers responded may hold the contact.
      'forgetResponses',
      'saveState',
      'insertEvents',
      'COMMIT',
    ]);
  });

  test('a create with them reads what it names together with the rest', async (t) => {
    const { bot } = await openStores(t, 'plain');
    const { store, botId } = bot;
    const defined = await store.defineAttribute(botId, plan, sampleContext());
    assert.ok(defined.kind === 'defined');
    const attributes = { [defined.attribute.number]: 'pro' };
    const sent = watchStatements(t);
    await bot.create({ attributes, tags: setTags('vip') }, laterMs);
    const [named, written] = [
      ['readForWriteByEmail', 'readAttributes', 'readTagsByKey', 'countTags'],
      [
        'insertContactsWithValues',
        'saveAttributeCounts',
        'insertTags',
        'saveNextValueNumber',
        'saveState',
        'insertEvents',
        'COMMIT',
      ],
    ];
    assert.deepEqual(sent, [...reading, ...named, ...written]);
  });

  test('an update that leaves them alone reads no definitions, and keeps them and their text', async (t) => {
    const { bot } = await openStores(t, 'plain');
    const { store, botId } = bot;
    const defined = await store.defineAttribute(botId, plan, sampleContext());
    assert.ok(defined.kind === 'defined');
    const { id } = await bot.create({ attributes: { [defined.attribute.number]: 'gold' }, tags: setTags('vip') });
    const sent = watchStatements(t);
    await store.updateContact(botId, id, { name: 'New' }, sampleContext({ nowMs: laterMs }));
    assert.deepEqual(sent, [...reading, 'readForWriteById', 'updateContacts', 'saveState', 'insertEvents', 'COMMIT']);
    const found = await store.findContactWithValues(botId, id);
    assert.deepEqual(found?.values.attributes, { [defined.attribute.number]: 'gold' });
    assert.equal(found?.values.tags.length, 1);
    assert.equal((await bot.search('gold new')).total, 1);
  });

  test('an upsert of tags reads the definitions together with the rest', async (t) => {
    const { bot } = await openStores(t, 'plain');
    const { store, botId } = bot;
    const defined = await store.defineAttribute(botId, plan, sampleContext());
    assert.ok(defined.kind === 'defined');
    const { email } = await bot.create({ attributes: { [defined.attribute.number]: 'gold' } });
    const sent = watchStatements(t);
    const outcome = await store.upsertContacts(
      botId,
      [{ ...withKey({ email }), tags: setTags('vip') }],
      sampleContext({ nowMs: laterMs }),
    );
    assert.deepEqual(outcome.kind === 'upserted' && outcome.outcomes, ['updated']);
    const read = ['readForWriteByEmail', 'readAttributes', 'readTagsByKey', 'countTags'];
    const written = [
      'updateContactsWithValues',
      'insertTags',
      'saveNextValueNumber',
      'saveState',
      'insertEvents',
      'COMMIT',
    ];
    assert.deepEqual(sent, [...reading, ...read, ...written]);
  });

  test('of many tags, an update reads those that it names and those of its contact alone', async (t) => {
    const { bot } = await openStores(t, 'plain');
    const { store, botId } = bot;
    await bot.create({ tags: setTags(...Array.from({ length: 40 }, (_, n) => `of others ${n}`)) });
    const { id } = await bot.create({ tags: setTags('old', 'kept') });
    const sent = watchStatements(t);
    const update = async (...tags: string[]) => {
      sent.length = 0;
      const context = sampleContext({ nowMs: laterMs });
      assert.equal((await store.updateContact(botId, id, { tags: setTags(...tags) }, context)).kind, 'updated');
      return sent.slice(reading.length, sent.indexOf('updateContactsWithValues'));
    };
    const named = ['readForWriteById', 'readAttributes', 'readTagsByKey', 'countTags'];
    assert.deepEqual(await update('kept', 'new'), [...named, 'listTagsByNumber']);
    // Those of the contact are among those that were named.
    assert.deepEqual(await update('kept', 'new', 'newer'), named);
    const tags = await store.listTags(botId);
    const own = tags.filter(({ name }) => !name.startsWith('of others'));
    assert.deepEqual(
      own.map(({ name, contactCount }) => [name, contactCount]),
      [
        ['kept', 1],
        ['new', 1],
        ['newer', 1],
      ],
    );
  });
});

suite('attributes and tags on several servers', () => {
  const databases: { kind: DatabaseKind; title: string; setting?: string }[] = [
    { kind: 'plain', title: 'plain' },
    { kind: 'partitioned', title: 'partitioned' },
    {
      kind: 'plain',
      title: 'of an operator who prefers another isolation',
      setting: "SET default_transaction_isolation = 'repeatable read'",
    },
  ];

  for (const { kind, title, setting } of databases) {
    test(`a definition that one server has answered is in force on the others: ${title}`, async (t) => {
      const { first, second, bot } = await openStores(t, kind, setting);
      const { botId } = bot;
      for (let round = 0; round < 5; round++) {
        const defined = await first.defineAttribute(botId, plan, sampleContext());
        assert.ok(defined.kind === 'defined');
        assert.deepEqual(await second.listAttributes(botId), [defined.attribute]);
        const create = () => {
          const attributes = { [defined.attribute.number]: 'pro' };
          return second.createContact(botId, { ...sampleFields(), attributes }, sampleContext({ nowMs: laterMs }));
        };
        assert.equal((await create()).kind, 'created');
        assert.equal(await first.deleteAttribute(botId, 'plan', sampleContext()), true);
        assert.deepEqual(await create(), { kind: 'invalid_values', fault: 'undefined_attribute' });
      }
    });

    test(`a tag that servers make at once is one tag, and counts stay exact: ${title}`, async (t) => {
      const { stores, first, bot } = await openStores(t, kind, setting);
      const { botId } = bot;
      const spellings = ['vip', 'VIP', 'Víp'];
      const creates = stores.flatMap((store, index) =>
        Array.from({ length: 8 }, (_, count) =>
          botIn(store, botId).create(
            { tags: setTags(spellings[index] as string, `own${(index + count) % 4}`) },
            laterMs,
          ),
        ),
      );
      const contacts = await Promise.all(creates);
      const tags = await first.listTags(botId);
      assert.deepEqual(
        tags.map(({ key }) => key),
        ['own0', 'own1', 'own2', 'own3', 'vip'],
      );
      assert.equal(tags.at(-1)?.contactCount, contacts.length);
      // Now each server takes the tag from some of them, and gives it to others that lost it.
      await Promise.all(
        contacts.map(({ id }, index) => {
          const store = stores[index % stores.length] as Store;
          if (index % 5 === 0) return store.deleteContact(botId, id, sampleContext());
          const change = { add: index % 2 === 0 ? [toTag('vip')] : [], remove: index % 2 === 0 ? ['own1'] : ['vip'] };
          return store.updateContact(botId, id, { tags: change }, sampleContext({ nowMs: laterMs }));
        }),
      );
      const page = { after: undefined, limit: 100, withValues: true };
      const { values = [] } = await first.exportContacts(botId, page, sampleCaller);
      const listed = await first.listTags(botId);
      for (const { number, key, contactCount } of listed) {
        assert.equal(contactCount, values.filter((each) => each.tags.includes(number)).length, key);
      }
      const numbers = new Set(values.flatMap((each) => each.tags));
      assert.deepEqual(new Set(listed.map(({ number }) => number)), numbers, 'a tag exists while a contact has it');
    });
  }

  test('deleted attributes and tags are taken from all contacts, though several servers purge at once', async (t) => {
    const { url, stores, first, bot } = await openStores(t, 'plain');
    const { botId } = bot;
    const defined = await first.defineAttribute(botId, plan, sampleContext());
    assert.ok(defined.kind === 'defined');
    const values = { attributes: { [defined.attribute.number]: 'gold' }, tags: setTags('vip', 'kept') };
    const items = Array.from({ length: 300 }, () => ({ ...sampleFields(), ...values }));
    await first.upsertContacts(botId, items, sampleContext());
    await first.deleteAttribute(botId, 'plan', sampleContext());
    await first.purge(40, 0, sampleContext({ nowMs: laterMs }));
    await first.deleteTag(botId, 'vip', sampleContext());
    await Promise.all(
      stores.map(async (store) => {
        while (await store.purge(40, 0, sampleContext({ nowMs: laterMs }))) {}
      }),
    );
    const [kept] = await first.listTags(botId);
    const stored = await query(url, 'SELECT DISTINCT attributes, tags FROM contacts');
    assert.deepEqual(stored, [{ attributes: null, tags: `[${kept?.number}]` }]);
    assert.deepEqual(await query(url, 'SELECT number FROM removed_fields'), []);
    assert.equal((await bot.search('gold')).total, 0);
    assert.equal(kept?.contactCount, 300);
  });

  test('the longest tag that folding can make is kept', async (t) => {
    const { bot } = await openStores(t, 'plain');
    // Folded to eighteen characters each.
    const name = '\ufdfa'.repeat(limits.tagLength);
    await bot.create({ tags: setTags(name) });
    assert.deepEqual(
      (await bot.store.listTags(bot.botId)).map((tag) => tag.name),
      [name],
    );
  });
});
