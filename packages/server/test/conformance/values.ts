// Conformance: what contacts have beside their fields, as writes change it, reads return it and searches find it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@roster/contract';
import { longestTime } from '../../src/contacts/filters.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { UpsertItem } from '../../src/store/store.ts';
import type { TagChange, ValueChanges } from '../../src/store/values/attribute-store.ts';
import {
  noContactValues,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleNowMs,
  sampleToken,
  withKey,
} from '../sample.ts';
import { define, tagsOf } from './attributes.ts';
import { botIn, type Engine, type EngineOptions, shareStore, type TestBot } from './engine.ts';
import { purgeInSlices } from './purge.ts';

const laterMs = sampleNowMs + 60_000;
const later = new Date(laterMs).toISOString();

const set = (...names: string[]): TagChange => ({ set: names.map(toTag) });
const add = (...names: string[]): TagChange => ({ add: names.map(toTag), remove: [] });
const manyTags = (count: number, prefix = 'tag') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

async function defineAll(bot: TestBot) {
  return {
    plan: await define(bot, 'plan', 'text'),
    seats: await define(bot, 'seats', 'number'),
    trial: await define(bot, 'trial', 'boolean'),
    renewal: await define(bot, 'renewal', 'date'),
  };
}

async function countsOf({ store, botId }: TestBot): Promise<Record<string, number>> {
  const attributes = await store.listAttributes(botId);
  return Object.fromEntries(attributes.map(({ key, contactCount }) => [key, contactCount]));
}

/** By the names of tags. */
async function valuesOf({ store, botId }: TestBot, contactId: string) {
  const found = await store.findContactWithValues(botId, contactId);
  assert.ok(found);
  const tags = await store.listTags(botId, found.values.tags);
  return { attributes: found.values.attributes, tags: tags.map(({ name }) => name) };
}

async function update({ store, botId }: TestBot, contactId: string, changes: ValueChanges, nowMs = laterMs) {
  const outcome = await store.updateContact(botId, contactId, changes, sampleContext({ nowMs }));
  assert.ok(outcome.kind === 'updated', `not updated: ${JSON.stringify(outcome)}`);
  return outcome;
}

async function purgeAll({ store, settle }: TestBot): Promise<void> {
  while (await store.purge(10, 0, sampleContext()));
  await settle();
}

export function testValues(engine: Engine): void {
  const start = shareStore(engine);

  test('values of every type are kept as they are, and every read that is asked for them returns them', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const { plan, seats, trial, renewal } = await defineAll(bot);
    const attributes = {
      [plan]: 'Pro\n\t"ü" 👍🏽 \\ {}',
      [seats]: -0.1,
      [trial]: false,
      [renewal]: -62_167_219_200_000,
    };
    const outcome = await store.createContact(
      botId,
      sampleFields({ attributes, tags: set('b', 'a') }),
      sampleContext(),
    );
    assert.ok(outcome.kind === 'created');
    const { contact, values } = outcome;
    assert.deepEqual(values.attributes, attributes);
    assert.deepEqual(await valuesOf(bot, contact.id), { attributes, tags: ['a', 'b'] });
    const plain = await bot.create();
    const page = { words: [], offset: 0, limit: 10 };
    const expected = { contacts: [plain, contact], total: 2 };
    assert.deepEqual(await store.searchContacts(botId, page, sampleCaller), expected);
    const searched = await store.searchContacts(botId, { ...page, withValues: true }, sampleCaller);
    assert.deepEqual(searched, { ...expected, values: [noContactValues, values] });
    const exported = await store.exportContacts(botId, { after: undefined, limit: 1, withValues: true }, sampleCaller);
    assert.deepEqual(exported, { contacts: [contact], values: [values], next: contact.id });
    const bare = await store.exportContacts(botId, { after: contact.id, limit: 1 }, sampleCaller);
    assert.deepEqual(bare, { contacts: [plain], next: undefined });
    assert.equal(await store.findContactWithValues(botId, 'con_none'), undefined);
    const ids = [contact.id, 'con_none', plain.id];
    const many = await store.findContactsWithValues(botId, ids, sampleCaller);
    assert.deepEqual(
      new Map(many.map((found) => [found.contact.id, found])),
      new Map([
        [contact.id, { contact, values }],
        [plain.id, { contact: plain, values: noContactValues }],
      ]),
    );
    const other = await start();
    assert.deepEqual(await store.findContactsWithValues(other.botId, ids, sampleCaller), []);
  });

  test('a value that is named changes, one left out stays, and null removes it; counts are exact', async () => {
    const bot = await start();
    const { plan, seats, trial } = await defineAll(bot);
    const contact = await bot.create({ attributes: { [plan]: 'pro', [seats]: 5 } });
    await bot.create({ attributes: { [plan]: 'pro' } });
    const outcome = await update(bot, contact.id, { attributes: { [seats]: null, [trial]: true } });
    assert.deepEqual(outcome.values, { attributes: { [plan]: 'pro', [trial]: true }, tags: [] });
    assert.equal(outcome.contact.updatedAt, later);
    assert.deepEqual(await countsOf(bot), { plan: 2, renewal: 0, seats: 0, trial: 1 });
    await bot.store.deleteContact(bot.botId, contact.id, sampleContext());
    assert.deepEqual(await countsOf(bot), { plan: 1, renewal: 0, seats: 0, trial: 0 });
  });

  test('fields keep their values when attributes change, and the other way round', async () => {
    const bot = await start();
    const { plan } = await defineAll(bot);
    const contact = await bot.create({ name: 'Jane', phone: '1', attributes: { [plan]: 'pro' }, tags: set('vip') });
    const renamed = await bot.store.updateContact(
      bot.botId,
      contact.id,
      { name: 'Joan' },
      sampleContext({ nowMs: laterMs }),
    );
    assert.ok(renamed.kind === 'updated');
    assert.deepEqual(renamed.contact, { ...contact, name: 'Joan', updatedAt: later });
    assert.deepEqual(await valuesOf(bot, contact.id), { attributes: { [plan]: 'pro' }, tags: ['vip'] });
    const { contact: after } = await update(bot, contact.id, { attributes: { [plan]: null } }, laterMs + 1);
    assert.deepEqual([after.name, after.phone], ['Joan', '1']);
  });

  test('what changes nothing moves no updatedAt and no count', async () => {
    const bot = await start();
    const { plan, seats } = await defineAll(bot);
    const contact = await bot.create({ attributes: { [plan]: 'pro', [seats]: 0 }, tags: set('vip', 'lead') });
    const same: ValueChanges[] = [
      {},
      { attributes: {} },
      { attributes: { [seats]: 0, [plan]: 'pro' } },
      { tags: set('LEAD', 'VIP') },
      { tags: { add: [toTag('Vip')], remove: ['unknown'] } },
    ];
    for (const changes of same) assert.deepEqual((await update(bot, contact.id, changes)).contact, contact);
    const item = { ...withKey({ email: contact.email }), attributes: { [plan]: 'pro' }, tags: add('vip') };
    const outcome = await bot.store.upsertContacts(bot.botId, [item], sampleContext({ nowMs: laterMs }));
    assert.deepEqual(outcome, { kind: 'upserted', ids: [contact.id], outcomes: ['unchanged'] });
    assert.deepEqual(await countsOf(bot), { plan: 1, renewal: 0, seats: 1, trial: 0 });
    assert.deepEqual(await tagsOf(bot), [
      ['lead', 1],
      ['vip', 1],
    ]);
  });

  test('within an upsert attributes merge and tags apply in order', async () => {
    const bot = await start();
    const { plan, seats } = await defineAll(bot);
    const known = await bot.create({ email: 'known@x.org', tags: set('old'), attributes: { [seats]: 1 } });
    const item = (email: string, values: ValueChanges): UpsertItem => ({ ...withKey({ email, name: 'N' }), ...values });
    const items = [
      item('known@x.org', { attributes: { [plan]: 'pro' }, tags: add('a', 'b') }),
      item('new@x.org', { attributes: { [plan]: 'free', [seats]: 2 }, tags: set('A') }),
      item('KNOWN@x.org', { attributes: { [plan]: 'max', [seats]: null }, tags: { add: [], remove: ['a', 'old'] } }),
      item('new@x.org', { tags: set('c') }),
      item('new@x.org', { attributes: { [plan]: null } }),
    ];
    const outcome = await bot.store.upsertContacts(bot.botId, items, sampleContext({ nowMs: laterMs }));
    assert.ok(outcome.kind === 'upserted');
    assert.deepEqual(await valuesOf(bot, known.id), { attributes: { [plan]: 'max' }, tags: ['b'] });
    assert.deepEqual(await valuesOf(bot, outcome.ids[1] as string), { attributes: { [seats]: 2 }, tags: ['c'] });
    assert.deepEqual(await countsOf(bot), { plan: 1, renewal: 0, seats: 1, trial: 0 });
    assert.deepEqual(await tagsOf(bot), [
      ['b', 1],
      ['c', 1],
    ]);
  });

  test('an upsert that changes values and changes them back moves no updatedAt, also after deletions', async () => {
    const bot = await start();
    const { plan, seats } = await defineAll(bot);
    const values = { attributes: { [plan]: 'pro', [seats]: 1 }, tags: set('vip', 'gone') };
    const contact = await bot.create(values);
    await bot.store.deleteAttribute(bot.botId, 'seats', sampleContext());
    await bot.store.deleteTag(bot.botId, 'gone', sampleContext());
    const item = (changes: ValueChanges) => ({ ...withKey({ email: contact.email }), ...changes });
    const items = [
      item({ attributes: { [plan]: 'max' }, tags: set('new') }),
      item({ attributes: { [plan]: 'pro' }, tags: set('vip') }),
    ];
    const outcome = await bot.store.upsertContacts(bot.botId, items, sampleContext({ nowMs: laterMs }));
    assert.ok(outcome.kind === 'upserted');
    assert.deepEqual(outcome.outcomes, ['unchanged', 'unchanged']);
    assert.deepEqual(await bot.store.findContact(bot.botId, contact.id), contact);
    assert.deepEqual(await tagsOf(bot), [['vip', 1]]);
  });

  test('a value of an attribute that is not defined is refused, and nothing is written', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const { plan } = await defineAll(bot);
    const contact = await bot.create({ tags: set('old') });
    await store.deleteAttribute(botId, 'plan', sampleContext());
    const values = { attributes: { [plan]: 'pro' }, tags: set('new') };
    const fault = 'undefined_attribute' as const;
    const refused = { kind: 'invalid_values', fault };
    assert.deepEqual(
      await store.createContact(botId, sampleFields(values), sampleContext({ nowMs: laterMs })),
      refused,
    );
    assert.deepEqual(
      await store.updateContact(botId, contact.id, { name: 'New', ...values }, sampleContext({ nowMs: laterMs })),
      refused,
    );
    const items = [sampleFields({ tags: set('new') }), sampleFields(values)];
    const faults = [{ position: 1, fault }];
    assert.deepEqual(await store.findFaults(botId, items), faults);
    assert.deepEqual(await store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs })), {
      kind: 'invalid_items',
      faults,
    });
    assert.deepEqual(await bot.exportAll(), [contact]);
    assert.deepEqual(await tagsOf(bot), [['old', 1]]);
  });

  test('an email that is taken is reported before faults of values, and leaves nothing of them', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const { plan } = await defineAll(bot);
    const holder = await bot.create({ email: 'jane@x.org' });
    const other = await bot.create();
    const taken = { kind: 'email_taken', contactId: holder.id };
    for (const attributes of [{ [plan]: 'pro' }, { 1000000: 'pro' }]) {
      const values = { attributes, tags: set('vip') };
      const fields = sampleFields({ email: 'JANE@x.org', ...values });
      assert.deepEqual(await store.createContact(botId, fields, sampleContext({ nowMs: laterMs })), taken);
      const changes = { ...withKey({ email: 'jane@X.org' }), ...values };
      assert.deepEqual(await store.updateContact(botId, other.id, changes, sampleContext({ nowMs: laterMs })), taken);
    }
    assert.deepEqual(await tagsOf(bot), []);
    assert.deepEqual(await countsOf(bot), { plan: 0, renewal: 0, seats: 0, trial: 0 });
  });

  test('all text values of a contact together have a limit, in code points', async () => {
    const bot = await start();
    const texts = await Promise.all(Array.from({ length: 9 }, (_, index) => define(bot, `text${index}`)));
    const seats = await define(bot, 'seats', 'number');
    // Each of these characters has two UTF-16 units.
    const full = '😀'.repeat(limits.attributeTextLength);
    const attributes = Object.fromEntries(texts.slice(0, 8).map((number) => [number, full]));
    const contact = await bot.create({ attributes: { ...attributes, [seats]: 1 } });
    const last = texts[8] as number;
    const refused = { kind: 'invalid_values', fault: 'too_much_text' };
    const change = (changes: ValueChanges) =>
      bot.store.updateContact(bot.botId, contact.id, changes, sampleContext({ nowMs: laterMs }));
    assert.deepEqual(await change({ attributes: { [last]: 'x' } }), refused);
    await update(bot, contact.id, { attributes: { [last]: 'x', [texts[0] as number]: null } });
    const { values } = await update(bot, contact.id, { attributes: { [texts[0] as number]: full.slice(2) } });
    assert.equal(Object.keys(values.attributes).length, 10);
  });

  test('a contact has so many tags and no more, item by item', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const contact = await bot.create({ tags: set(...manyTags(limits.tagsPerContact)) });
    const refused = { kind: 'invalid_values', fault: 'too_many_tags' };
    assert.deepEqual(
      await store.updateContact(botId, contact.id, { tags: add('more') }, sampleContext({ nowMs: laterMs })),
      refused,
    );
    const swap = { add: [toTag('more')], remove: ['tag0'] };
    await update(bot, contact.id, { tags: swap });
    const item = (tags: TagChange) => ({ ...withKey({ email: contact.email }), tags });
    const items = [item(add('another')), item({ add: [], remove: ['more'] }), item(add('another'))];
    const faults = [{ position: 0, fault: 'too_many_tags' }];
    assert.deepEqual(await store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs })), {
      kind: 'invalid_items',
      faults,
    });
    assert.equal((await valuesOf(bot, contact.id)).tags.includes('more'), true);
  });

  test('a bot has so many different tags and no more; what goes makes room', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const perContact = limits.tagsPerContact;
    const all = manyTags(limits.tagsPerBot);
    const items = Array.from({ length: limits.tagsPerBot / perContact }, (_, index) =>
      sampleFields({ tags: set(...all.slice(index * perContact, (index + 1) * perContact)) }),
    );
    const outcome = await store.upsertContacts(botId, items, sampleContext());
    assert.ok(outcome.kind === 'upserted');
    const fault = 'too_many_tags_in_bot' as const;
    const refused = { kind: 'invalid_values', fault };
    assert.deepEqual(
      await store.createContact(botId, sampleFields({ tags: set('more') }), sampleContext({ nowMs: laterMs })),
      refused,
    );
    // Those that there are can be used.
    const contact = await bot.create({ tags: set('TAG0', 'tag999') });
    const [first = ''] = outcome.ids;
    const swap = { add: [toTag('more')], remove: ['tag1'] };
    await update(bot, first, { tags: swap });
    const change = [sampleFields({ tags: set('tag2') }), sampleFields({ tags: add('again') })];
    const faults = [{ position: 1, fault }];
    assert.deepEqual(await store.upsertContacts(botId, change, sampleContext({ nowMs: laterMs })), {
      kind: 'invalid_items',
      faults,
    });
    assert.deepEqual(await store.findFaults(botId, change), faults);
    assert.equal((await store.listTags(botId)).length, limits.tagsPerBot);
    await store.deleteTag(botId, 'tag5', sampleContext());
    await update(bot, contact.id, { tags: add('again') });
    assert.equal((await store.listTags(botId)).length, limits.tagsPerBot);
  });

  test('writes at once to many contacts keep counts exact', async () => {
    const bot = await start();
    const { plan } = await defineAll(bot);
    const contacts = await Promise.all(Array.from({ length: 10 }, () => bot.create()));
    const work = contacts.map(async ({ id }, index) => {
      for (let round = 0; round < 6; round++) {
        const isSet = (index + round) % 2 === 0;
        await update(bot, id, { attributes: { [plan]: isSet ? 'pro' : null }, tags: isSet ? set('vip') : set('lead') });
      }
      if (index % 5 === 4) await bot.store.deleteContact(bot.botId, id, sampleContext());
    });
    await Promise.all(work);
    // In the last round the odd ones get the value; two of all are deleted.
    const kept = [...contacts.keys()].filter((index) => index % 5 !== 4);
    const having = kept.filter((index) => (index + 5) % 2 === 0).length;
    assert.equal((await countsOf(bot))['plan'], having);
    assert.deepEqual(await tagsOf(bot), [
      ['lead', kept.length - having],
      ['vip', having],
    ]);
  });

  test('values, definitions and counts are there after the store was closed and opened again', async () => {
    const bot = await start();
    const { plan, renewal } = await defineAll(bot);
    const contact = await bot.create({ attributes: { [plan]: 'pro', [renewal]: 0 }, tags: set('vip') });
    const before = [await valuesOf(bot, contact.id), await countsOf(bot), await tagsOf(bot)];
    const again = { ...botIn(await bot.reopen(), bot.botId), settle: bot.settle };
    assert.deepEqual([await valuesOf(again, contact.id), await countsOf(again), await tagsOf(again)], before);
    const numbers = (await again.store.listAttributes(bot.botId)).map(({ number }) => number);
    assert.ok(!numbers.includes(await define(again, 'new')), 'no number is given twice');
  });

  test('when a contact was last seen is found for many at once, and outlives the tokens', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const [often, once, never] = [await bot.create(), await bot.create(), await bot.create()];
    const tokens = [sampleToken(), sampleToken(), sampleToken({ expiresAtMs: laterMs })];
    const owners = [often, often, once];
    const see = (index: number, seenAtMs: number) =>
      store.noteTokensSeen(botId, [{ hash: tokens[index]?.hash as Uint8Array, seenAtMs }], sampleContext());
    for (const [index, token] of tokens.entries()) {
      await store.createContactToken(botId, owners[index]?.id as string, token, undefined, sampleContext());
      await see(index, sampleNowMs + index);
    }
    await see(0, sampleNowMs - 10);
    await store.createContactToken(botId, never.id, sampleToken(), undefined, sampleContext());
    const ids = [never.id, often.id, 'con_none', once.id];
    const expected = [undefined, sampleNowMs + 1, undefined, sampleNowMs + 2];
    assert.deepEqual(await store.findLastSeen(botId, ids), expected);
    await store.revokeContactTokens(botId, often.id, sampleContext());
    while (await store.purge(10, laterMs + 1, sampleContext()));
    await store.updateContact(botId, often.id, { name: 'Renamed' }, sampleContext());
    assert.deepEqual(await store.findLastSeen(botId, ids), expected);
    assert.deepEqual(await store.findLastSeen(botId, []), []);
    const again = await bot.reopen();
    assert.deepEqual(await again.findLastSeen(botId, ids), expected);
    const other = await start();
    assert.deepEqual(await other.store.findLastSeen(other.botId, [often.id]), [undefined]);
  });

  test('a contact that is seen often is moved once in five minutes, and its tokens tell more', async () => {
    const { store, botId, create } = await start();
    const { id } = await create();
    const token = sampleToken();
    await store.createContactToken(botId, id, token, undefined, sampleContext());
    const minuteMs = 60_000;
    const startMs = Math.ceil(sampleNowMs / (5 * minuteMs)) * 5 * minuteMs;
    const see = (minutes: number) => {
      const seenAtMs = startMs + minutes * minuteMs;
      return store.noteTokensSeen(botId, [{ hash: token.hash, seenAtMs }], sampleContext());
    };
    const isFoundSince = async (minutes: number) => {
      const filter = { kind: 'lastSeenAt' as const, ...longestTime, fromMs: startMs + minutes * minuteMs };
      const page = { words: [], filters: [filter], offset: 0, limit: 10 };
      return (await store.searchContacts(botId, page, sampleCaller)).total === 1;
    };
    for (const minutes of [1, 2, 4]) await see(minutes);
    assert.deepEqual([await isFoundSince(1), await isFoundSince(2)], [true, false]);
    assert.deepEqual(await store.findLastSeen(botId, [id]), [startMs + 4 * minuteMs]);
    await see(5);
    await see(3);
    assert.equal(await isFoundSince(5), true);
    await see(9);
    await store.revokeContactTokens(botId, id, sampleContext());
    assert.deepEqual(await store.findLastSeen(botId, [id]), [startMs + 5 * minuteMs]);
  });

  test('that a contact is seen changes nothing else of it', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const contact = await bot.create();
    const token = sampleToken();
    await store.createContactToken(botId, contact.id, token, undefined, sampleContext());
    await store.noteTokensSeen(botId, [{ hash: token.hash, seenAtMs: sampleNowMs + 5 }], sampleContext());
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
    const found = await store.readEvents(botId, { after: 0, limit: 10 }, sampleCaller);
    assert.ok(found.kind === 'page');
    const types = found.events.map(({ type }) => type);
    assert.deepEqual(types, ['contact.created', 'token.created', 'visitor.recognized']);
  });
}

/** By each way in which an engine may search. */
export function testSearchedValues(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  /** Enough contacts for an index, if there may be one. */
  async function fill(bot: TestBot) {
    const numbers = await defineAll(bot);
    // The numbers of sample emails go on, and would once contain a number that is searched for.
    const others = [...'abcdefghijkl'].map((letter) =>
      sampleFields({ name: `Other ${letter}`, email: `other.${letter}@example.com` }),
    );
    await bot.store.upsertContacts(bot.botId, others, sampleContext());
    return numbers;
  }

  test('searches find text values by their words, and no other values', async () => {
    const bot = await start();
    const { plan, seats, renewal } = await fill(bot);
    const attributes = { [plan]: 'Zürich\nBahnhof\tGleis 4711', [seats]: 987_654, [renewal]: 987_654_321 };
    const contact = await bot.create({ name: 'Jane', email: 'jane@example.com', attributes, tags: set('tagged') });
    for (const isSettled of [false, true]) {
      if (isSettled) await bot.settle();
      for (const query of ['zurich', 'bahnhof gleis', 'jane ZÜRICH', 'rich', '4711', '47-11', 'jane 4711']) {
        assert.deepEqual(await bot.search(query), { contacts: [contact], total: 1 }, query);
      }
      for (const query of ['987654', '987', 'tagged', 'zurichbahnhof', 'bahnhofgleis', 'jane zurich other']) {
        assert.deepEqual(await bot.search(query), { contacts: [], total: 0 }, query);
      }
      assert.deepEqual(await bot.exportAll(5, 'gleis'), [contact]);
    }
  });

  test('a changed text value is found as it is, and a removed one not at all', async () => {
    const bot = await start();
    const { plan } = await fill(bot);
    const contact = await bot.create({ attributes: { [plan]: 'Professional' } });
    await bot.settle();
    assert.equal((await bot.search('professional')).total, 1);
    const { contact: changed } = await update(bot, contact.id, { attributes: { [plan]: 'Enterprise' } });
    for (const isSettled of [false, true]) {
      if (isSettled) await bot.settle();
      assert.equal((await bot.search('professional')).total, 0);
      assert.deepEqual(await bot.search('enter'), { contacts: [changed], total: 1 });
    }
    await bot.store.updateContact(bot.botId, contact.id, { name: 'Renamed' }, sampleContext({ nowMs: laterMs + 1 }));
    assert.equal((await bot.search('renamed enterprise')).total, 1);
    await update(bot, contact.id, { attributes: { [plan]: null } }, laterMs + 2);
    assert.equal((await bot.search('enterprise')).total, 0);
  });

  test('a purge removes deleted attributes and tags from contacts in slices, and changes nothing else', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const { plan } = await fill(bot);
    const note = await define(bot, 'note', 'text');
    const items = Array.from({ length: 25 }, (_, index) =>
      sampleFields({ attributes: { [plan]: `secretive ${index}`, [note]: 'staying' }, tags: set('gone', 'kept') }),
    );
    await store.upsertContacts(botId, items, sampleContext());
    await bot.settle();
    assert.equal((await bot.search('secretive')).total, 25);
    const before = await bot.exportAll();
    await store.deleteAttribute(botId, 'plan', sampleContext());
    await store.deleteTag(botId, 'gone', sampleContext());
    // One of them is written before its turn comes.
    const touched = before.at(-1)?.id as string;
    const { contact } = await update(bot, touched, { attributes: { [note]: 'stayed' } });
    const page = { after: undefined, limit: 100, withValues: true };
    const countLeft = async () => {
      const { values = [] } = await store.exportContacts(botId, page, sampleCaller);
      return values.filter(({ attributes }) => plan in attributes).length;
    };
    // The write has already removed what was deleted from its own.
    await purgeInSlices(store, { rows: 10, total: 24, countLeft });
    for (const isSettled of [false, true]) {
      if (isSettled) await bot.settle();
      assert.deepEqual(await bot.search('secretive'), { contacts: [], total: 0 });
      assert.equal((await bot.search('staying')).total, 24);
    }
    assert.deepEqual(await bot.exportAll(), [...before.slice(0, -1), contact]);
    const { values = [] } = await store.exportContacts(botId, page, sampleCaller);
    const left = values.filter(({ attributes }) => note in attributes);
    assert.equal(left.length, 25);
    for (const each of left) assert.deepEqual([Object.keys(each.attributes), each.tags.length], [[String(note)], 1]);
    assert.deepEqual(await tagsOf(bot), [['kept', 25]]);
    assert.equal((await countsOf(bot))['note'], 25);
    await purgeAll(bot);
  });
}
