// Conformance: what holds while many callers read and write at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@roster/contract';
import { sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { assertAscending, type Engine, type EngineOptions, shareStore } from './engine.ts';

export function testConcurrency(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  test('every read after an answered write sees it', async () => {
    const { store, botId, create, search } = await start();
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let step = 0; step < 10; step++) {
          const name = `client${client}step${step}`;
          const contact = await create({ name });
          assert.deepEqual(await search(name), { contacts: [contact], total: 1 });
          assert.deepEqual(await store.findContact(botId, contact.id), contact);
          assert.deepEqual(await store.findContactByEmail(botId, contact.email), contact);
          const outcome = await store.updateContact(
            botId,
            contact.id,
            { name: `${name}changed` },
            sampleContext({ nowMs: sampleNowMs + 1 }),
          );
          assert.ok(outcome.kind === 'updated');
          assert.deepEqual(await store.findContact(botId, contact.id), outcome.contact);
          assert.deepEqual((await search(`${name}changed`)).contacts, [outcome.contact]);
          if (step % 2 === 0) {
            await store.deleteContact(botId, contact.id, sampleContext());
            assert.deepEqual(await search(name), { contacts: [], total: 0 });
            assert.equal(await store.findContact(botId, contact.id), undefined);
          }
        }
      }),
    );
    assert.equal((await search('')).total, 40);
  });

  test('ids and creation times ascend in the order in which concurrent creates are answered by the store', async () => {
    const { create, exportAll } = await start();
    const rounds: Contact[][] = [];
    for (let round = 0; round < 5; round++) {
      // The clocks of concurrent callers need not agree.
      rounds.push(await Promise.all(Array.from({ length: 20 }, (_, index) => create({}, sampleNowMs - index))));
    }
    const ids = rounds.map((round) => round.map(({ id }) => id).toSorted());
    assertAscending(ids.flat(), { isStrict: true });
    const all = await exportAll();
    assert.deepEqual(
      all.map(({ id }) => id),
      ids.flat(),
    );
    assertAscending(
      all.map(({ createdAt }) => createdAt),
      { isStrict: false },
    );
  });

  test('concurrent upserts of the same emails make one contact of each', async () => {
    const { store, botId, search } = await start();
    const emails = Array.from({ length: 12 }, (_, index) => `person${index}@x.org`);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, caller) => {
        const items = emails.map((email) => withKey({ email, name: `Caller ${caller}`, mid: String(caller) }));
        return store.upsertContacts(botId, caller % 2 === 0 ? items : items.toReversed(), sampleContext());
      }),
    );
    for (const [caller, outcome] of outcomes.entries()) {
      assert.ok(outcome.kind === 'upserted');
      const ids = caller % 2 === 0 ? outcome.ids : outcome.ids.toReversed();
      const [first] = outcomes;
      assert.deepEqual(ids, first?.kind === 'upserted' ? first.ids : []);
    }
    const { contacts, total } = await search('');
    assert.equal(total, emails.length);
    // Each upsert is whole, so all contacts carry the values of the same, last one.
    assert.deepEqual(new Set(contacts.map(({ name, mid }) => `${name}/${mid}`)).size, 1);
  });

  test('a search never sees half an upsert, and its page and total agree', async () => {
    const { store, botId, search, exportAll } = await start();
    let isWriting = true;
    const write = async () => {
      for (let round = 0; round < 15; round++) {
        const items = Array.from({ length: 6 }, () => sampleFields({ name: 'Batch' }));
        await store.upsertContacts(botId, items, sampleContext({ nowMs: sampleNowMs + round }));
      }
      isWriting = false;
    };
    const read = async (query: string) => {
      let before = 0;
      while (isWriting) {
        const { contacts, total } = await search(query);
        assert.equal(contacts.length, total);
        assert.equal(total % 6, 0, `${total} contacts`);
        assert.ok(total >= before);
        before = total;
      }
    };
    const walk = async () => {
      while (isWriting) assert.equal((await exportAll()).length % 6, 0);
    };
    await Promise.all([write(), read(''), read('batch'), read('at ch'), walk()]);
    assert.equal((await search('batch')).total, 90);
  });

  test('after concurrent writes of all kinds, counts, pages, keys and export agree', async () => {
    const { store, botId, search, exportAll, settle } = await start();
    const emails = Array.from({ length: 15 }, (_, index) => `person${index}@x.org`);
    const client = async (number: number) => {
      for (let step = 0; step < 12; step++) {
        const fields = sampleFields({ name: `Mixed ${number}`, email: emails[(number * 7 + step * 4) % 15] as string });
        const created = await store.createContact(botId, fields, sampleContext({ nowMs: sampleNowMs + step }));
        assert.ok(created.kind === 'created' || created.kind === 'email_taken');
        const id = created.kind === 'created' ? created.contact.id : created.contactId;
        const email = emails[(number + step) % 15] as string;
        await store.updateContact(botId, id, withKey({ email, phone: String(step) }), sampleContext());
        await store.upsertContacts(botId, [withKey({ email, name: 'Mixed' }), sampleFields()], sampleContext());
        if (step % 3 === 0) await store.deleteContact(botId, id, sampleContext());
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
    for (const isSettled of [false, true]) {
      if (isSettled) await settle();
      const all = await exportAll();
      assert.ok(all.length > 50);
      assert.equal(new Set(all.map(({ email }) => email.toLowerCase())).size, all.length);
      assert.deepEqual(await search('', { limit: 1000 }), { contacts: all.toReversed(), total: all.length });
      const mixed = all.filter(({ name }) => name.startsWith('Mixed')).toReversed();
      assert.deepEqual(await search('mixed', { limit: 1000 }), { contacts: mixed, total: mixed.length });
      for (const contact of all) {
        assert.deepEqual(await store.findContact(botId, contact.id), contact);
        assert.deepEqual(await store.findContactByEmail(botId, contact.email), contact);
      }
    }
  });
}
