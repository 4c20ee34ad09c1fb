// Conformance: ids and creation times ascend whatever the clock does, and `updatedAt` moves only with a change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idKinds } from '@roster/contract';
import { noContactValues, sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { assertAscending, type Engine, shareStore } from './engine.ts';

const iso = (ms: number) => new Date(ms).toISOString();

export function testTimes(engine: Engine): void {
  const start = shareStore(engine);

  test('ids and creation times ascend in the order of creation', async () => {
    const { create } = await start();
    const contacts = [];
    for (let step = 0; step < 40; step++) contacts.push(await create({}, sampleNowMs + Math.floor(step / 8)));
    assertAscending(
      contacts.map(({ id }) => id),
      { isStrict: true },
    );
    assertAscending(
      contacts.map(({ createdAt }) => createdAt),
      { isStrict: false },
    );
    assert.equal(contacts.at(-1)?.createdAt, iso(sampleNowMs + 4));
    for (const { id } of contacts) assert.match(id, idKinds.contact.pattern);
  });

  test('a clock that goes back takes neither ids nor creation times with it', async () => {
    const { create } = await start();
    const before = await create({}, sampleNowMs);
    const after = await create({}, sampleNowMs - 3_600_000);
    assert.ok(after.id > before.id);
    assert.ok(after.createdAt >= before.createdAt);
    assert.equal(after.updatedAt, after.createdAt);
  });

  test('a deleted contact was the newest: the next one is newer, even if the clock goes back', async () => {
    const { store, botId, create } = await start();
    const deleted = await create({}, sampleNowMs);
    await store.deleteContact(botId, deleted.id, sampleContext());
    const next = await create({}, sampleNowMs - 3_600_000);
    assert.ok(next.id > deleted.id);
    assert.ok(next.createdAt >= deleted.createdAt);
  });

  test('a clock that goes back takes the ids of an upsert with it no more than those of a create', async () => {
    const { store, botId, create } = await start();
    const before = await create({}, sampleNowMs);
    const items = Array.from({ length: 5 }, () => sampleFields());
    const outcome = await store.upsertContacts(botId, items, sampleContext({ nowMs: sampleNowMs - 3_600_000 }));
    assert.ok(outcome.kind === 'upserted');
    assertAscending([before.id, ...outcome.ids], { isStrict: true });
  });

  test('one bot’s clock does not push another’s', async () => {
    const [one, other] = [await start(), await start()];
    await one.create({}, sampleNowMs + 3_600_000);
    assert.equal((await other.create({}, sampleNowMs)).createdAt, iso(sampleNowMs));
  });

  test('an update that changes nothing keeps updatedAt', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ phone: '1' });
    const { name, email, phone, mid, wid } = contact;
    for (const changes of [{}, { name }, { phone }, withKey({ name, email, phone, mid, wid })]) {
      const outcome = await store.updateContact(
        botId,
        contact.id,
        changes,
        sampleContext({ nowMs: sampleNowMs + 1000 }),
      );
      assert.deepEqual(outcome, { kind: 'updated', contact, values: noContactValues });
    }
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
  });

  test('a change moves updatedAt to now, and createdAt not at all', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    const outcome = await store.updateContact(
      botId,
      contact.id,
      { name: 'New' },
      sampleContext({ nowMs: sampleNowMs + 1000 }),
    );
    const expected = { ...contact, name: 'New', updatedAt: iso(sampleNowMs + 1000) };
    assert.deepEqual(outcome, { kind: 'updated', contact: expected, values: noContactValues });
  });

  test('a change under a clock that stands or goes back moves updatedAt by one millisecond', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    for (const [step, nowMs] of [sampleNowMs, sampleNowMs - 1000, sampleNowMs + 1].entries()) {
      const outcome = await store.updateContact(botId, contact.id, { name: `New ${step}` }, sampleContext({ nowMs }));
      assert.ok(outcome.kind === 'updated');
      assert.equal(outcome.contact.updatedAt, iso(sampleNowMs + step + 1));
    }
  });

  test('a new spelling of the same email is a change', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ email: 'jane@example.com' });
    const changes = withKey({ email: 'Jane@example.com' });
    const outcome = await store.updateContact(botId, contact.id, changes, sampleContext({ nowMs: sampleNowMs + 1000 }));
    const expected = { ...contact, email: 'Jane@example.com', updatedAt: iso(sampleNowMs + 1000) };
    assert.deepEqual(outcome, { kind: 'updated', contact: expected, values: noContactValues });
    assert.deepEqual(await store.findContactByEmail(botId, 'jane@example.com'), expected);
  });

  test('a refused create takes no time from the next one', async () => {
    const { store, botId, create } = await start();
    const first = await create({ email: 'jane@example.com' });
    await store.createContact(
      botId,
      sampleFields({ email: 'jane@example.com' }),
      sampleContext({ nowMs: sampleNowMs + 3_600_000 }),
    );
    const next = await create({}, sampleNowMs + 1);
    assert.equal(next.createdAt, iso(sampleNowMs + 1));
    assert.ok(next.id > first.id);
  });
}
