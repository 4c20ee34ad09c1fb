// Conformance: the attributes that a bot defines, and the tags that its contacts have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AttributeType, limits } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { NewAttribute, StoredSegment } from '../../src/store/values/attribute-store.ts';
import { sampleContext, withKey } from '../sample.ts';
import { type Engine, shareStore, type TestBot } from './engine.ts';

const missingBot = makeId('bot', 1);

export function newAttribute(key: string, type: AttributeType = 'text'): NewAttribute {
  return { key, type, label: key.toUpperCase(), description: '' };
}

export function sampleSegment(key: string): StoredSegment {
  return { key, label: `The ${key}`, query: '', filter: { tag: ['vip'] }, sort: '-createdAt' };
}

/** Its number. */
export async function define({ store, botId }: TestBot, key: string, type?: AttributeType): Promise<number> {
  const outcome = await store.defineAttribute(botId, newAttribute(key, type), sampleContext());
  assert.ok(outcome.kind === 'defined', `not defined: ${JSON.stringify(outcome)}`);
  return outcome.attribute.number;
}

export async function tagsOf({ store, botId }: TestBot): Promise<(string | number)[][]> {
  return (await store.listTags(botId)).map(({ name, contactCount }) => [name, contactCount]);
}

export function testAttributes(engine: Engine): void {
  const start = shareStore(engine);

  test('segments are kept by key, in the order of their keys, and change as a whole', async () => {
    const { store, botId } = await start();
    const [large, small] = [sampleSegment('large'), sampleSegment('a_small')];
    assert.deepEqual(await store.defineSegment(botId, large, sampleContext()), { kind: 'defined' });
    assert.deepEqual(await store.defineSegment(botId, small, sampleContext()), { kind: 'defined' });
    assert.deepEqual(await store.listSegments(botId), [small, large]);
    const changed = { ...large, label: 'Larger', query: 'jane', filter: { email: 'a@b.c' }, sort: 'name' };
    assert.deepEqual(await store.defineSegment(botId, changed, sampleContext()), { kind: 'changed' });
    assert.deepEqual(await store.listSegments(botId), [small, changed]);
    assert.equal(await store.deleteSegment(botId, 'large', sampleContext()), true);
    assert.equal(await store.deleteSegment(botId, 'large', sampleContext()), false);
    assert.deepEqual(await store.listSegments(botId), [small]);
  });

  test('segments belong to a bot, and go with it', async () => {
    const [{ store, botId }, other] = [await start(), await start()];
    await store.defineSegment(botId, sampleSegment('large'), sampleContext());
    assert.deepEqual(await store.listSegments(other.botId), []);
    await store.deleteBot(botId, sampleContext());
    assert.deepEqual(await store.listSegments(botId), []);
    assert.deepEqual(await store.defineSegment(botId, sampleSegment('large'), sampleContext()), { kind: 'missing' });
    assert.equal(await store.deleteSegment(botId, 'large', sampleContext()), false);
    assert.deepEqual(await store.listSegments(missingBot), []);
  });

  test('a bot has at most so many segments', async () => {
    const { store, botId } = await start();
    for (let count = 0; count < limits.segmentsPerBot; count++)
      await store.defineSegment(botId, sampleSegment(`s${count}`), sampleContext());
    assert.deepEqual(await store.defineSegment(botId, sampleSegment('more'), sampleContext()), {
      kind: 'limit_reached',
    });
    assert.deepEqual(await store.defineSegment(botId, sampleSegment('s0'), sampleContext()), { kind: 'changed' });
  });

  test('attributes are listed by key, with what they were defined with, in their own bot alone', async () => {
    const [bot, other] = [await start(), await start()];
    const plan = { key: 'plan', type: 'text', label: 'Plan', description: 'What they pay for' } as const;
    const outcome = await bot.store.defineAttribute(bot.botId, plan, sampleContext());
    assert.ok(outcome.kind === 'defined');
    assert.deepEqual(outcome.attribute, { ...plan, number: outcome.attribute.number, contactCount: 0 });
    for (const [key, type] of [['b2', 'number'] as const, ['b_', 'boolean'] as const, ['b', 'date'] as const]) {
      await define(bot, key, type);
    }
    const listed = await bot.store.listAttributes(bot.botId);
    assert.deepEqual(
      listed.map(({ key, type }) => `${key} ${type}`),
      ['b date', 'b2 number', 'b_ boolean', 'plan text'],
    );
    assert.deepEqual(listed[3], outcome.attribute);
    assert.equal(new Set(listed.map(({ number }) => number)).size, 4, 'each has a number of its own');
    assert.deepEqual(await other.store.listAttributes(other.botId), []);
  });

  test('a second definition changes label and description, and keeps number and count', async () => {
    const bot = await start();
    const number = await define(bot, 'plan');
    await bot.create({ attributes: { [number]: 'pro' } });
    const changed = { key: 'plan', type: 'text', label: 'New', description: 'Said' } as const;
    const expected = { ...changed, number, contactCount: 1 };
    const outcome = await bot.store.defineAttribute(bot.botId, changed, sampleContext());
    assert.deepEqual(outcome, { kind: 'changed', attribute: expected });
    assert.deepEqual(await bot.store.listAttributes(bot.botId), [expected]);
  });

  test('the type of an attribute never changes', async () => {
    const bot = await start();
    await define(bot, 'plan', 'number');
    const before = await bot.store.listAttributes(bot.botId);
    const outcome = await bot.store.defineAttribute(bot.botId, newAttribute('plan', 'text'), sampleContext());
    assert.deepEqual(outcome, { kind: 'attribute_type_fixed', type: 'number' });
    assert.deepEqual(await bot.store.listAttributes(bot.botId), before);
  });

  test('choices are kept in their order, and those that contacts have stay, in whatever spelling', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const defineChoices = (...choices: string[]) =>
      store.defineAttribute(botId, { ...newAttribute('plan', 'choice'), choices }, sampleContext());
    const defined = await defineChoices('Pro', 'Free', 'Straße');
    assert.ok(defined.kind === 'defined');
    const { number } = defined.attribute;
    assert.deepEqual(defined.attribute.choices, ['Pro', 'Free', 'Straße']);
    await bot.create({ attributes: { [number]: 'pro' } });
    await bot.create({ attributes: { [number]: 'strasse' } });
    const left = await bot.create({ attributes: { [number]: 'strasse' } });
    assert.deepEqual(await defineChoices('Free'), {
      kind: 'choices_in_use',
      choices: [
        { choice: 'Pro', contactCount: 1 },
        { choice: 'Straße', contactCount: 2 },
      ],
    });
    assert.deepEqual((await store.listAttributes(botId))[0], { ...defined.attribute, contactCount: 3 });
    const respelt = await defineChoices('STRASSE', 'PRO', 'Team');
    assert.ok(respelt.kind === 'changed');
    assert.deepEqual(await store.listAttributes(botId), [respelt.attribute]);
    assert.deepEqual(respelt.attribute.choices, ['STRASSE', 'PRO', 'Team']);
    const removed = await store.updateContact(botId, left.id, { attributes: { [number]: 'free' } }, sampleContext());
    assert.deepEqual(removed, { kind: 'invalid_values', fault: 'undefined_attribute' }, 'it was read before');
    const many = [withKey({ email: 'many@x.example', name: 'Many', attributes: { [number]: 'free' } })];
    assert.equal((await store.upsertContacts(botId, many, sampleContext())).kind, 'invalid_items');
    await store.deleteContact(botId, left.id, sampleContext());
    assert.deepEqual(await defineChoices('Pro'), {
      kind: 'choices_in_use',
      choices: [{ choice: 'STRASSE', contactCount: 1 }],
    });
    const again = await bot.reopen();
    assert.deepEqual((await again.listAttributes(botId))[0]?.choices, ['STRASSE', 'PRO', 'Team']);
  });

  test('a bot has so many attributes and no more; those it has can be changed, and a deletion makes room', async () => {
    const bot = await start();
    for (let count = 0; count < limits.attributesPerBot; count++) await define(bot, `key${count}`);
    const defineMore = () => bot.store.defineAttribute(bot.botId, newAttribute('more'), sampleContext());
    assert.deepEqual(await defineMore(), { kind: 'limit_reached' });
    assert.equal((await bot.store.defineAttribute(bot.botId, newAttribute('key7'), sampleContext())).kind, 'changed');
    assert.equal(await bot.store.deleteAttribute(bot.botId, 'key7', sampleContext()), true);
    assert.equal((await defineMore()).kind, 'defined');
    assert.equal((await bot.store.listAttributes(bot.botId)).length, limits.attributesPerBot);
  });

  test('many definitions of one key at once make one attribute', async () => {
    const bot = await start();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => bot.store.defineAttribute(bot.botId, newAttribute('plan'), sampleContext())),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'defined').length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === 'changed').length, 7);
    assert.equal((await bot.store.listAttributes(bot.botId)).length, 1);
  });

  test('a deleted attribute is unknown, and one that is defined again starts empty with another number', async () => {
    const bot = await start();
    const number = await define(bot, 'plan');
    const contact = await bot.create({ attributes: { [number]: 'pro' } });
    assert.equal(await bot.store.deleteAttribute(bot.botId, 'plan', sampleContext()), true);
    assert.equal(await bot.store.deleteAttribute(bot.botId, 'plan', sampleContext()), false);
    assert.deepEqual(await bot.store.listAttributes(bot.botId), []);
    const again = await define(bot, 'plan', 'number');
    assert.notEqual(again, number);
    assert.equal((await bot.store.listAttributes(bot.botId))[0]?.contactCount, 0);
    const found = await bot.store.findContactWithValues(bot.botId, contact.id);
    assert.equal(found?.values.attributes[again], undefined);
    assert.deepEqual(found?.contact, contact, 'updatedAt does not move');
  });

  test('a tag exists while a contact has it, and is shown as it was first written', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const first = await bot.create({ tags: { set: [toTag('VIP'), toTag('Straße')] } });
    const second = await bot.create({ tags: { add: [toTag('vip'), toTag('strasse')], remove: [] } });
    assert.deepEqual(await tagsOf(bot), [
      ['Straße', 2],
      ['VIP', 2],
    ]);
    await store.updateContact(botId, first.id, { tags: { set: [] } }, sampleContext());
    await store.updateContact(botId, second.id, { tags: { add: [], remove: ['vip', 'unknown'] } }, sampleContext());
    assert.deepEqual(await tagsOf(bot), [['Straße', 1]]);
    await store.updateContact(botId, first.id, { tags: { add: [toTag('Vip')], remove: [] } }, sampleContext());
    await store.deleteContact(botId, second.id, sampleContext());
    assert.deepEqual(await tagsOf(bot), [['Vip', 1]]);
    assert.deepEqual(await store.deleteContacts(botId, [first.id], sampleContext()), [true]);
    assert.deepEqual(await tagsOf(bot), []);
  });

  test('tags are listed by the bytes of their folded names, all or those with some numbers', async () => {
    const bot = await start();
    const names = ['b', 'Á', '\ufffd', '𠮷', 'z', 'a b', '李'];
    await bot.create({ tags: { set: names.map(toTag) } });
    const all = await bot.store.listTags(bot.botId);
    const expected = ['Á', 'a b', 'b', 'z', '李', '\ufffd', '𠮷'];
    assert.deepEqual(
      all.map(({ name }) => name),
      expected,
    );
    const some = all.filter(({ name }) => ['Á', '𠮷', '\ufffd'].includes(name));
    const numbers = some.map(({ number }) => number).toReversed();
    assert.deepEqual(await bot.store.listTags(bot.botId, [...numbers, 1_000_000]), some);
    assert.deepEqual(await bot.store.listTags(bot.botId, []), []);
  });

  test('a renamed tag has its new name on all contacts, and no updatedAt moves', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const contacts = [
      await bot.create({ tags: { set: [toTag('lead'), toTag('vip')] } }),
      await bot.create({ tags: { set: [toTag('lead')] } }),
    ];
    const renamed = await store.renameTag(botId, 'lead', toTag('Customer'), sampleContext());
    assert.ok(renamed.kind === 'renamed');
    assert.deepEqual([renamed.tag.name, renamed.tag.key, renamed.tag.contactCount], ['Customer', 'customer', 2]);
    assert.deepEqual(await tagsOf(bot), [
      ['Customer', 2],
      ['vip', 1],
    ]);
    assert.equal((await store.renameTag(botId, 'lead', toTag('x'), sampleContext())).kind, 'missing');
    assert.deepEqual(await bot.exportAll(), contacts);
    // The new name is the tag's own from then on.
    await bot.create({ tags: { set: [toTag('CUSTOMER')] } });
    assert.deepEqual((await tagsOf(bot))[0], ['Customer', 3]);
  });

  test('a tag may be renamed to another spelling of itself, and not to another tag', async () => {
    const bot = await start();
    await bot.create({ tags: { set: [toTag('lead'), toTag('vip')] } });
    const rename = (to: string) => bot.store.renameTag(bot.botId, 'vip', toTag(to), sampleContext());
    assert.equal((await rename('VIP')).kind, 'renamed');
    assert.deepEqual(await rename('Lead'), { kind: 'tag_taken' });
    assert.deepEqual(await tagsOf(bot), [
      ['lead', 1],
      ['VIP', 1],
    ]);
  });

  test('a deleted tag is on no contact, no updatedAt moves, and the same name makes another tag', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const contact = await bot.create({ tags: { set: [toTag('vip'), toTag('lead')] } });
    const [, vip] = await store.listTags(botId);
    assert.equal(await store.deleteTag(botId, 'vip', sampleContext()), true);
    assert.equal(await store.deleteTag(botId, 'vip', sampleContext()), false);
    assert.deepEqual(await tagsOf(bot), [['lead', 1]]);
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
    const other = await bot.create({ tags: { set: [toTag('Vip')] } });
    const [, again] = await store.listTags(botId);
    assert.deepEqual([again?.name, again?.contactCount], ['Vip', 1]);
    assert.notEqual(again?.number, vip?.number);
    // The contact that had the deleted one gets the new one, and is counted.
    const outcome = await store.updateContact(
      botId,
      contact.id,
      { tags: { add: [toTag('vip')], remove: [] } },
      sampleContext({ nowMs: 1 }),
    );
    assert.ok(outcome.kind === 'updated' && outcome.contact.updatedAt > contact.updatedAt);
    assert.deepEqual((await tagsOf(bot))[1], ['Vip', 2]);
    await store.deleteContact(botId, other.id, sampleContext());
    assert.deepEqual((await tagsOf(bot))[1], ['Vip', 1]);
  });

  test('many contacts that get a new tag at once make one tag, counted exactly', async () => {
    const bot = await start();
    const names = ['vip', 'VIP', 'Vip'];
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => bot.create({ tags: { set: [toTag(names[index % 3] as string)] } })),
    );
    const [tag, ...others] = await bot.store.listTags(bot.botId);
    assert.deepEqual([tag?.key, tag?.contactCount, others], ['vip', 12, []]);
  });

  test('a bot that is not there, or is deleted, has no attributes and no tags', async () => {
    const bot = await start();
    const number = await define(bot, 'plan');
    await bot.create({ attributes: { [number]: 'pro' }, tags: { set: [toTag('vip')] } });
    await bot.store.deleteBot(bot.botId, sampleContext());
    for (const botId of [bot.botId, missingBot]) {
      assert.deepEqual(await bot.store.listAttributes(botId), []);
      assert.deepEqual(await bot.store.listTags(botId), []);
      assert.deepEqual(await bot.store.listTags(botId, [number]), []);
      assert.deepEqual(await bot.store.defineAttribute(botId, newAttribute('new'), sampleContext()), {
        kind: 'missing',
      });
      assert.equal(await bot.store.deleteAttribute(botId, 'plan', sampleContext()), false);
      assert.deepEqual(await bot.store.renameTag(botId, 'vip', toTag('x'), sampleContext()), { kind: 'missing' });
      assert.equal(await bot.store.deleteTag(botId, 'vip', sampleContext()), false);
      assert.deepEqual(await bot.store.findFaults(botId, []), []);
    }
  });
}
