// Conformance: creating, finding, updating and deleting one contact.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactSchema, emailKey, limits } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import {
  noContactValues,
  sampleBot,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleNowMs,
  withKey,
} from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';

const laterMs = sampleNowMs + 60_000;

/** Values that a careless engine, driver or thread boundary would change. */
const oddFields = {
  name: `${'n'.repeat(limits.nameLength - 20)} 👩‍💻 O'Neil "%_\\" é e\u0301`,
  email: 'Ünï.E\u0301+tag@BÜCHER.example',
  phone: ' \u00a0(０３) 1234',
  mid: '00123',
  wid: '+15550100123',
};

export function testContacts(engine: Engine): void {
  const start = shareStore(engine);

  test('a new contact has the shape of the contract, and what it was created with', async () => {
    const { store, botId } = await start();
    const fields = sampleFields({ phone: '+1 555', mid: 'm1', wid: '+15550100' });
    const outcome = await store.createContact(botId, fields, sampleContext());
    assert.ok(outcome.kind === 'created');
    const { name, email, phone, mid, wid } = fields;
    const now = new Date(sampleNowMs).toISOString();
    const { id } = contactSchema.parse(outcome.contact);
    assert.deepEqual(outcome.contact, { id, name, email, phone, mid, wid, createdAt: now, updatedAt: now });
  });

  test('an update or deletion of another version than the contact’s does nothing', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    const createdMs = Date.parse(contact.createdAt);
    const of = (...updatedAtMs: number[]) => ({ id: contact.id, updatedAtMs });
    const update = (times: number[], name: string) =>
      store.updateContact(botId, of(...times), { name }, sampleContext({ nowMs: laterMs }));
    const refused = { kind: 'precondition_failed' };
    assert.deepEqual(await update([], 'A'), refused);
    assert.deepEqual(await update([createdMs - 1, createdMs + 1], 'A'), refused);
    assert.deepEqual(await store.deleteContact(botId, of(createdMs + 1), sampleContext()), refused);
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
    const updated = await update([1, createdMs], 'B');
    assert.ok(updated.kind === 'updated');
    assert.deepEqual(await update([createdMs], 'C'), refused);
    assert.deepEqual(await store.findContact(botId, contact.id), updated.contact);
    const unknown = { id: makeId('contact', 1), updatedAtMs: [createdMs] };
    assert.deepEqual(await store.updateContact(botId, unknown, { name: 'D' }, sampleContext()), { kind: 'missing' });
    assert.equal(await store.deleteContact(botId, unknown, sampleContext()), false);
    assert.equal(await store.deleteContact(botId, of(laterMs), sampleContext()), true);
    assert.equal(await store.findContact(botId, contact.id), undefined);
  });

  test('of concurrent updates and deletions of one version exactly one is made', async () => {
    const { store, botId, create } = await start();
    for (let round = 0; round < 5; round++) {
      const { id, createdAt } = await create();
      const seen = { id, updatedAtMs: [Date.parse(createdAt)] };
      // The clock stands still: the winner moves updatedAt all the same.
      const outcomes = await Promise.all([
        ...Array.from({ length: 4 }, (_, n) => store.updateContact(botId, seen, { name: `${n}` }, sampleContext())),
        store.deleteContact(botId, seen, sampleContext()),
        ...Array.from({ length: 4 }, (_, n) => store.updateContact(botId, seen, { phone: `${n}` }, sampleContext())),
      ]);
      const won = outcomes.filter((outcome) => outcome === true || (outcome !== false && outcome.kind === 'updated'));
      assert.equal(won.length, 1, JSON.stringify(outcomes));
    }
  });

  test('a contact is found by its id and by the key of its email', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ email: 'Jane@Example.com' });
    await create();
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
    assert.deepEqual(await store.findContactByEmail(botId, 'jane@example.com'), contact);
    assert.equal(await store.findContactByEmail(botId, 'Jane@Example.com'), undefined);
  });

  test('fields come back as they were given, whatever they hold', async () => {
    const { store, botId, create, search, exportAll } = await start();
    const contact = await create(oddFields);
    for (const [field, value] of Object.entries(oddFields)) assert.equal(contact[field as 'name'], value);
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
    assert.deepEqual(await store.findContactByEmail(botId, emailKey(oddFields.email)), contact);
    assert.deepEqual((await search('')).contacts, [contact]);
    assert.deepEqual(await exportAll(), [contact]);
  });

  test('a contact of another bot is not found, updated or deleted', async () => {
    const [bot, other] = [await start(), await start()];
    const contact = await bot.create();
    const { store } = bot;
    assert.equal(await store.findContact(other.botId, contact.id), undefined);
    assert.equal(await store.findContactByEmail(other.botId, contact.email), undefined);
    assert.deepEqual(
      await store.updateContact(other.botId, contact.id, { name: 'X' }, sampleContext({ nowMs: laterMs })),
      { kind: 'missing' },
    );
    assert.equal(await store.deleteContact(other.botId, contact.id, sampleContext()), false);
    assert.deepEqual(await store.findContact(bot.botId, contact.id), contact);
  });

  test('a contact that does not exist is missing', async () => {
    const { store, botId, create } = await start();
    await create();
    const id = makeId('contact', sampleNowMs * 1000);
    assert.equal(await store.findContact(botId, id), undefined);
    assert.equal(await store.findContactByEmail(botId, 'nobody@example.com'), undefined);
    assert.deepEqual(await store.updateContact(botId, id, { name: 'X' }, sampleContext({ nowMs: laterMs })), {
      kind: 'missing',
    });
    assert.equal(await store.deleteContact(botId, id, sampleContext()), false);
  });

  test('in a bot that does not exist nothing is created, found or counted', async () => {
    const { store } = await start();
    const { id: botId } = sampleBot('org_none');
    assert.deepEqual(await store.createContact(botId, sampleFields(), sampleContext()), { kind: 'missing' });
    assert.deepEqual(await store.upsertContacts(botId, [sampleFields()], sampleContext()), { kind: 'missing' });
    assert.deepEqual(await store.upsertContacts(botId, [], sampleContext()), { kind: 'missing' });
    assert.deepEqual(await store.searchContacts(botId, { words: [], offset: 0, limit: 10 }, sampleCaller), {
      contacts: [],
      total: 0,
    });
    const page = await store.exportContacts(botId, { after: undefined, limit: 10 }, sampleCaller);
    assert.deepEqual([page.contacts, page.next], [[], undefined]);
  });

  test('an update changes the fields it names and keeps the others', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ phone: '1', mid: 'm', wid: '+15550100' });
    const bystander = await create();
    const outcome = await store.updateContact(
      botId,
      contact.id,
      { name: 'New', phone: '' },
      sampleContext({ nowMs: laterMs }),
    );
    const expected = { ...contact, name: 'New', phone: '', updatedAt: new Date(laterMs).toISOString() };
    assert.deepEqual(outcome, { kind: 'updated', contact: expected, values: noContactValues });
    assert.deepEqual(await store.findContact(botId, contact.id), expected);
    assert.deepEqual(await store.findContact(botId, bystander.id), bystander);
  });

  test('each field can be updated alone', async () => {
    const { store, botId, create } = await start();
    let { ...expected } = await create();
    const changes = [
      { name: 'Other' },
      { phone: '+2' },
      { mid: 'm2' },
      { wid: '+15550102' },
      withKey({ email: 'other@example.com' }),
      { phone: '', mid: '', wid: '' },
    ];
    for (const [step, change] of changes.entries()) {
      const nowMs = laterMs + step;
      const { emailKey: _, ...fields } = { emailKey: '', ...change };
      expected = { ...expected, ...fields, updatedAt: new Date(nowMs).toISOString() };
      const outcome = await store.updateContact(botId, expected.id, change, sampleContext({ nowMs }));
      assert.deepEqual(outcome, { kind: 'updated', contact: expected, values: noContactValues });
      assert.deepEqual(await store.findContact(botId, expected.id), expected);
    }
  });

  test('a deleted contact is gone, and only that one', async () => {
    const { store, botId, create, search, exportAll } = await start();
    const [kept, deleted] = [await create(), await create()];
    assert.equal(await store.deleteContact(botId, deleted.id, sampleContext()), true);
    assert.equal(await store.deleteContact(botId, deleted.id, sampleContext()), false);
    assert.equal(await store.findContact(botId, deleted.id), undefined);
    assert.equal(await store.findContactByEmail(botId, emailKey(deleted.email)), undefined);
    assert.deepEqual(await store.updateContact(botId, deleted.id, { name: 'X' }, sampleContext({ nowMs: laterMs })), {
      kind: 'missing',
    });
    assert.deepEqual(await search(''), { contacts: [kept], total: 1 });
    assert.deepEqual(await exportAll(), [kept]);
  });

  test('many are deleted at once, those of this bot, and each once', async () => {
    const [bot, other] = [await start(), await start()];
    const { store, botId, create, search, exportAll } = bot;
    const [kept, one, two] = [await create(), await create(), await create()];
    const theirs = await other.create();
    const ids = [two.id, makeId('contact', 1), one.id, theirs.id, two.id];
    assert.deepEqual(await store.deleteContacts(botId, ids, sampleContext()), [true, false, true, false, false]);
    assert.deepEqual(await store.deleteContacts(botId, ids, sampleContext()), [false, false, false, false, false]);
    assert.deepEqual(await store.deleteContacts(botId, [], sampleContext()), []);
    assert.deepEqual(await search(''), { contacts: [kept], total: 1 });
    assert.deepEqual(await exportAll(), [kept]);
    assert.equal(await store.findContactByEmail(botId, emailKey(one.email)), undefined);
    assert.deepEqual(await store.findContact(other.botId, theirs.id), theirs);
  });
}
