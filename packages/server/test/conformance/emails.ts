// Conformance: an email is held by one contact of a bot at a time, whatever runs beside it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@roster/contract';
import type { UpdateOutcome } from '../../src/store/store.ts';
import { noContactValues, sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';

const laterMs = sampleNowMs + 60_000;

export function testEmails(engine: Engine): void {
  const start = shareStore(engine);

  test('a second contact with the same email is refused, naming the first', async () => {
    const { store, botId, create, search } = await start();
    const holder = await create({ email: 'jane@example.com' });
    await create();
    const outcome = await store.createContact(
      botId,
      sampleFields({ email: 'jane@example.com' }),
      sampleContext({ nowMs: laterMs }),
    );
    assert.deepEqual(outcome, { kind: 'email_taken', contactId: holder.id });
    assert.equal((await search('')).total, 2);
  });

  test('other spellings of an email are the same email', async () => {
    const { store, botId, create } = await start();
    const holder = await create({ email: 'José@Example.com' });
    for (const email of ['JOSÉ@example.com', 'jose\u0301@EXAMPLE.COM']) {
      const outcome = await store.createContact(botId, sampleFields({ email }), sampleContext({ nowMs: laterMs }));
      assert.deepEqual(outcome, { kind: 'email_taken', contactId: holder.id });
    }
  });

  test('emails that only look alike are different', async () => {
    const { create } = await start();
    // Databases with a lenient collation take some of these for equal.
    for (const email of [
      'jose@x',
      'josé@x',
      'jøse@x',
      'jose@x.',
      'joſe@x',
      'strasse@x',
      'straße@x',
      'a_b@x',
      'a%b@x',
    ]) {
      await create({ email });
    }
  });

  test('two bots may hold the same email', async () => {
    const [one, other] = [await start(), await start()];
    const contact = await one.create({ email: 'jane@example.com' });
    const twin = await other.create({ email: 'jane@example.com' });
    assert.notEqual(contact.id, twin.id);
    assert.deepEqual(await one.store.findContactByEmail(one.botId, 'jane@example.com'), contact);
    assert.deepEqual(await one.store.findContactByEmail(other.botId, 'jane@example.com'), twin);
  });

  test('of many concurrent creates with one email exactly one wins, and the others name the winner', async () => {
    const { store, botId, search } = await start();
    const spellings = ['jane@example.com', 'Jane@example.com', 'JANE@EXAMPLE.COM'];
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        store.createContact(botId, sampleFields({ email: spellings[index % 3] as string }), sampleContext()),
      ),
    );
    const winners = outcomes.flatMap((outcome) => (outcome.kind === 'created' ? [outcome.contact] : []));
    assert.equal(winners.length, 1);
    const [winner] = winners as [Contact];
    for (const outcome of outcomes) {
      if (outcome.kind !== 'created') assert.deepEqual(outcome, { kind: 'email_taken', contactId: winner.id });
    }
    assert.deepEqual(await search(''), { contacts: [winner], total: 1 });
  });

  test('of many concurrent updates to one email exactly one wins, and the others name the winner', async () => {
    const { store, botId, create } = await start();
    const contacts: Contact[] = [];
    for (let count = 0; count < 10; count++) contacts.push(await create());
    const change = withKey({ email: 'wanted@example.com' });
    const outcomes = await Promise.all(
      contacts.map(({ id }) => store.updateContact(botId, id, change, sampleContext({ nowMs: laterMs }))),
    );
    const winner = (await store.findContactByEmail(botId, change.emailKey)) as Contact;
    assert.ok(contacts.some(({ id }) => id === winner?.id));
    for (const [index, contact] of contacts.entries()) {
      const isWinner = contact.id === winner.id;
      const expected: UpdateOutcome = isWinner
        ? { kind: 'updated', contact: winner, values: noContactValues }
        : { kind: 'email_taken', contactId: winner.id };
      assert.deepEqual(outcomes[index], expected);
      assert.deepEqual(await store.findContact(botId, contact.id), isWinner ? winner : contact);
    }
  });

  test('an update to an email of another contact is refused whole, naming the holder', async () => {
    const { store, botId, create } = await start();
    const holder = await create({ email: 'jane@example.com' });
    const contact = await create();
    const changes = { name: 'New', ...withKey({ email: 'JANE@example.com' }) };
    const outcome = await store.updateContact(botId, contact.id, changes, sampleContext({ nowMs: laterMs }));
    assert.deepEqual(outcome, { kind: 'email_taken', contactId: holder.id });
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
  });

  test('a contact may be updated to its own email', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ email: 'jane@example.com' });
    const outcome = await store.updateContact(
      botId,
      contact.id,
      withKey({ email: 'jane@example.com' }),
      sampleContext({ nowMs: laterMs }),
    );
    assert.deepEqual(outcome, { kind: 'updated', contact, values: noContactValues });
  });

  test('an email is free again once its contact has another one', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ email: 'old@example.com' });
    await store.updateContact(
      botId,
      contact.id,
      withKey({ email: 'new@example.com' }),
      sampleContext({ nowMs: laterMs }),
    );
    assert.equal(await store.findContactByEmail(botId, 'old@example.com'), undefined);
    assert.equal((await store.findContactByEmail(botId, 'new@example.com'))?.id, contact.id);
    const heir = await create({ email: 'old@example.com' });
    assert.notEqual(heir.id, contact.id);
    const taken = await store.createContact(
      botId,
      sampleFields({ email: 'new@example.com' }),
      sampleContext({ nowMs: laterMs }),
    );
    assert.deepEqual(taken, { kind: 'email_taken', contactId: contact.id });
  });

  test('an email is free again once its contact is deleted', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ email: 'jane@example.com' });
    await store.deleteContact(botId, contact.id, sampleContext());
    const heir = await create({ email: 'jane@example.com' });
    assert.notEqual(heir.id, contact.id);
  });
}
