// A connection that breaks around the COMMIT of a write of attributes and tags: it is done once and counted once, and
// answered as done.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AttributeType } from '@roster/contract';
import { toTag } from '../../src/contacts/values.ts';
import type { Store } from '../../src/store/store.ts';
import type { ContactValues, TagChange } from '../../src/store/values/attribute-store.ts';
import { sampleSegment } from '../conformance/attributes.ts';
import { sampleAuditEntry, sampleCaller, sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { prepareBreakingStore } from './breaking-store.ts';

const laterMs = sampleNowMs + 60_000;
const later = new Date(laterMs).toISOString();
const attribute = (key: string, type: AttributeType = 'text') => ({ key, type, label: key, description: '' });
const setTags = (...names: string[]): TagChange => ({ set: names.map(toTag) });
const manyTags = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

suite('a write of attributes and tags whose connection breaks', () => {
  const on = prepareBreakingStore();

  /** A bot with the attribute `plan` and a contact that has it and two tags. */
  async function addFilledBot() {
    const bot = await on.addBot();
    const defined = await on.other.defineAttribute(bot.botId, attribute('plan'), sampleContext());
    assert.ok(defined.kind === 'defined');
    const plan = defined.attribute.number;
    const contact = await bot.create({ attributes: { [plan]: 'pro' }, tags: setTags('lead', 'vip') });
    return { ...bot, plan, contact };
  }

  /** What contacts have, with tags by name; the stored counts are those of the contacts. */
  async function readAll(store: Store, botId: string) {
    const page = await store.exportContacts(botId, { after: undefined, limit: 100, withValues: true }, sampleCaller);
    const { contacts, values = [] } = page;
    const [attributes, tags] = [await store.listAttributes(botId), await store.listTags(botId)];
    const countOf = (has: (values: ContactValues) => boolean) => values.filter(has).length;
    for (const { number, contactCount, key } of attributes) {
      assert.equal(
        contactCount,
        countOf((each) => number in each.attributes),
        key,
      );
    }
    for (const { number, contactCount, key } of tags) {
      assert.equal(
        contactCount,
        countOf((each) => each.tags.includes(number)),
        key,
      );
    }
    return contacts.map(({ email, updatedAt }, index) => ({
      email,
      updatedAt,
      attributes: values[index]?.attributes,
      tags: tags.filter(({ number }) => values[index]?.tags.includes(number)).map(({ name }) => name),
    }));
  }

  const moments = {
    'after its COMMIT was carried out': { at: 'COMMIT', when: 'after' },
    'before its COMMIT reaches the database': { at: 'COMMIT', when: 'before' },
  } as const;

  for (const [moment, next] of Object.entries(moments)) {
    suite(moment, () => {
      test('a create is done once, with its values', async () => {
        const { botId, plan } = await addFilledBot();
        const fields = { ...sampleFields(), attributes: { [plan]: 'free' }, tags: setTags('New', 'vip') };
        const outcome = await on.breaking(next, () =>
          on.store.createContact(botId, fields, sampleContext({ nowMs: laterMs })),
        );
        assert.ok(outcome.kind === 'created');
        assert.deepEqual(outcome.values.attributes, { [plan]: 'free' });
        const [, created] = await readAll(on.other, botId);
        assert.deepEqual(created?.tags, ['New', 'vip']);
        assert.equal(outcome.values.tags.length, 2);
        await on.assertCounted(botId, 2);
      });

      test('an update is done once, and answered with the values', async () => {
        const { botId, plan, contact } = await addFilledBot();
        const tags = { add: [toTag('New')], remove: ['lead'] };
        const changes = { attributes: { [plan]: null }, tags };
        const outcome = await on.breaking(next, () =>
          on.store.updateContact(botId, contact.id, changes, sampleContext({ nowMs: laterMs })),
        );
        assert.ok(outcome.kind === 'updated');
        assert.deepEqual([outcome.contact.updatedAt, outcome.values.attributes], [later, {}]);
        assert.equal(outcome.values.tags.length, 2);
        const expected = { email: contact.email, updatedAt: later, attributes: {}, tags: ['New', 'vip'] };
        assert.deepEqual(await readAll(on.other, botId), [expected]);
      });

      test('an upsert says what it did to each contact', async () => {
        const { botId, plan, contact } = await addFilledBot();
        const known = { ...withKey({ email: contact.email }), tags: setTags('New') };
        const upsert = (items: Parameters<Store['upsertContacts']>[1]) =>
          on.breaking(next, () => on.store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs })));
        const updating = await upsert([known]);
        assert.deepEqual(updating, { kind: 'upserted', ids: [contact.id], outcomes: ['updated'] });
        const fields = { ...sampleFields(), attributes: { [plan]: 'free' }, tags: setTags('new', 'other') };
        const creating = await upsert([known, fields]);
        assert.deepEqual(creating.kind === 'upserted' && creating.outcomes, ['unchanged', 'created']);
        assert.deepEqual(await readAll(on.other, botId), [
          { email: contact.email, updatedAt: later, attributes: { [plan]: 'pro' }, tags: ['New'] },
          { email: fields.email, updatedAt: later, attributes: { [plan]: 'free' }, tags: ['New', 'other'] },
        ]);
      });

      test('an upsert that could not be done again on what it made is answered as done', async () => {
        const { botId, contact } = await addFilledBot();
        const item = withKey({ email: contact.email });
        const items = [
          { ...item, tags: { add: manyTags('first', 30).map(toTag), remove: [] } },
          { ...item, tags: setTags(...manyTags('last', 40)) },
        ];
        const outcome = await on.breaking(next, () =>
          on.store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs })),
        );
        assert.deepEqual(outcome, {
          kind: 'upserted',
          ids: [contact.id, contact.id],
          outcomes: ['updated', 'updated'],
        });
        const [stored] = await readAll(on.other, botId);
        assert.deepEqual(stored?.tags, manyTags('last', 40).toSorted());
      });

      test('a deleted contact is taken from the counts once', async () => {
        const { botId, contact, create, plan } = await addFilledBot();
        await create({ attributes: { [plan]: 'free' }, tags: setTags('vip') });
        assert.equal(await on.breaking(next, () => on.store.deleteContact(botId, contact.id, sampleContext())), true);
        const [left, ...others] = await readAll(on.other, botId);
        assert.deepEqual([left?.tags, others], [['vip'], []]);
        assert.deepEqual(
          (await on.other.listTags(botId)).map(({ name }) => name),
          ['vip'],
        );
      });

      test('what a secret defines, which no audit entry proves, is defined once, though it may be answered as changed', async () => {
        const { botId } = await on.addBot();
        const define = () => on.store.defineAttribute(botId, attribute('seats', 'number'), sampleContext());
        assert.equal((await on.breaking(next, define)).kind, next.when === 'after' ? 'changed' : 'defined');
        const segment = sampleSegment('big');
        const save = () => on.store.defineSegment(botId, segment, sampleContext());
        assert.equal((await on.breaking(next, save)).kind, next.when === 'after' ? 'changed' : 'defined');
        assert.deepEqual(await on.other.listSegments(botId), [segment]);
        assert.equal(await on.breaking(next, () => on.store.deleteSegment(botId, segment.key, sampleContext())), true);
        assert.equal(await on.store.deleteSegment(botId, segment.key, sampleContext()), false);
        assert.deepEqual(
          (await on.other.listAttributes(botId)).map(({ key }) => key),
          ['seats'],
        );
      });

      test('definitions are made, changed and deleted once', async () => {
        const { botId, organization } = await addFilledBot();
        const { store } = on;
        const breaking = <Result>(write: () => Promise<Result>) => on.breaking(next, write);
        const define = () => {
          const context = sampleContext({ audit: { entry: sampleAuditEntry(organization.id) } });
          return breaking(() => store.defineAttribute(botId, attribute('seats', 'number'), context));
        };
        assert.deepEqual([(await define()).kind, (await define()).kind], ['defined', 'changed']);
        const renamed = await breaking(() => store.renameTag(botId, 'lead', toTag('Customer'), sampleContext()));
        assert.ok(renamed.kind === 'renamed' && renamed.tag.contactCount === 1);
        assert.equal(await breaking(() => store.deleteTag(botId, 'customer', sampleContext())), true);
        assert.equal(await store.deleteTag(botId, 'customer', sampleContext()), false);
        assert.equal(await breaking(() => store.deleteAttribute(botId, 'plan', sampleContext())), true);
        assert.equal(await store.deleteAttribute(botId, 'plan', sampleContext()), false);
        assert.deepEqual(
          (await on.other.listAttributes(botId)).map(({ key }) => key),
          ['seats'],
        );
        while (await on.other.purge(100, 0, sampleContext({ nowMs: laterMs }))) {}
        const [contact] = await readAll(on.other, botId);
        assert.deepEqual([contact?.attributes, contact?.tags], [{}, ['vip']]);
      });
    });
  }

  test('after the COMMIT of an update, and what it set is deleted before the retry: it stays deleted', async () => {
    const { botId, plan, contact } = await addFilledBot();
    await on.other.createContact(botId, { ...sampleFields(), tags: setTags('gold') }, sampleContext());
    const changes = { attributes: { [plan]: 'free' }, tags: setTags('gold') };
    const meanwhile = async () => {
      assert.equal(await on.other.deleteTag(botId, 'gold', sampleContext()), true);
      assert.equal(await on.other.deleteAttribute(botId, 'plan', sampleContext()), true);
    };
    const outcome = await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, () =>
      on.store.updateContact(botId, contact.id, changes, sampleContext({ nowMs: laterMs })),
    );
    assert.ok(outcome.kind === 'updated' && outcome.contact.updatedAt === later);
    assert.deepEqual(await on.other.listTags(botId), []);
    const [stored] = await readAll(on.other, botId);
    assert.deepEqual([stored?.updatedAt, stored?.tags], [later, []]);
  });

  test('before its COMMIT, and another server deletes an attribute that it sets: decided anew', async () => {
    const { botId, plan, contact } = await addFilledBot();
    const meanwhile = async () => assert.equal(await on.other.deleteAttribute(botId, 'plan', sampleContext()), true);
    const update = () =>
      on.store.updateContact(botId, contact.id, { attributes: { [plan]: 'free' } }, sampleContext({ nowMs: laterMs }));
    const outcome = await on.breaking({ at: 'COMMIT', when: 'before', meanwhile }, update);
    assert.deepEqual(outcome, { kind: 'invalid_values', fault: 'undefined_attribute' });
  });

  test('after the COMMIT of a deletion, and the key is defined anew before the retry: the new one stays', async () => {
    const { botId, plan } = await addFilledBot();
    const meanwhile = async () => {
      assert.equal((await on.other.defineAttribute(botId, attribute('plan'), sampleContext())).kind, 'defined');
    };
    const remove = () => on.store.deleteAttribute(botId, 'plan', sampleContext());
    assert.equal(await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, remove), true);
    const [defined, ...others] = await on.other.listAttributes(botId);
    assert.deepEqual([defined?.key, others], ['plan', []]);
    assert.notEqual(defined?.number, plan);
  });

  test('before the COMMIT of a definition, and another server defines the key otherwise: refused', async () => {
    const { botId } = await addFilledBot();
    const meanwhile = async () => {
      assert.equal(
        (await on.other.defineAttribute(botId, attribute('seats', 'number'), sampleContext())).kind,
        'defined',
      );
    };
    const outcome = await on.breaking({ at: 'COMMIT', when: 'before', meanwhile }, () =>
      on.store.defineAttribute(botId, attribute('seats', 'text'), sampleContext()),
    );
    assert.deepEqual(outcome, { kind: 'attribute_type_fixed', type: 'number' });
  });

  test('before the COMMIT of a new name, and another server deletes the tag: missing', async () => {
    const { botId } = await addFilledBot();
    const meanwhile = async () => assert.equal(await on.other.deleteTag(botId, 'lead', sampleContext()), true);
    const rename = () => on.store.renameTag(botId, 'lead', toTag('Customer'), sampleContext());
    assert.deepEqual(await on.breaking({ at: 'COMMIT', when: 'before', meanwhile }, rename), { kind: 'missing' });
  });
});
