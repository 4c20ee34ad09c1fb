// Conformance: an upsert happens whole or not at all, and its items apply in order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contact, limits } from '@roster/contract';
import type { UpsertItem } from '../../src/store/store.ts';
import { sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { assertAscending, type Engine, shareStore, type TestBot } from './engine.ts';

const laterMs = sampleNowMs + 60_000;
const later = new Date(laterMs).toISOString();

const item = (email: string, fields: Partial<Contact> = {}): UpsertItem => withKey({ email, ...fields });

const nameless = (...positions: number[]) => positions.map((position) => ({ position, fault: 'nameless' }));

async function upsert({ store, botId }: TestBot, items: UpsertItem[], nowMs = laterMs): Promise<string[]> {
  const outcome = await store.upsertContacts(botId, items, sampleContext({ nowMs }));
  assert.ok(outcome.kind === 'upserted', `not upserted: ${JSON.stringify(outcome)}`);
  return outcome.ids;
}

export function testUpsert(engine: Engine): void {
  const start = shareStore(engine);

  test('an upsert creates what is new and updates what is there, and answers one id an item, in order', async () => {
    const bot = await start();
    const known = await bot.create({ name: 'Known', email: 'known@x.org', phone: '1', mid: 'm' });
    const items = [
      item('a@x.org', { name: 'A', wid: '+15550100' }),
      item('known@x.org', { phone: '2' }),
      item('b@x.org', { name: 'B' }),
    ];
    const ids = await upsert(bot, items);
    assert.equal(ids.length, 3);
    assert.equal(ids[1], known.id);
    assert.deepEqual(await bot.store.findContact(bot.botId, known.id), { ...known, phone: '2', updatedAt: later });
    assert.deepEqual(await bot.store.findContact(bot.botId, ids[0] as string), {
      id: ids[0],
      name: 'A',
      email: 'a@x.org',
      phone: '',
      mid: '',
      wid: '+15550100',
      createdAt: later,
      updatedAt: later,
    });
    assert.equal((await bot.search('')).total, 3);
  });

  test('an upsert gives ids and creation times in input order, whatever the order of the emails', async () => {
    const bot = await start();
    const before = await bot.create();
    const emails = ['m@x', 'z@x', 'a@x', 'q@x', 'b@x', 'y@x'];
    const ids = await upsert(
      bot,
      emails.map((email) => item(email, { name: 'N' })),
    );
    assertAscending([before.id, ...ids], { isStrict: true });
    const contacts = await Promise.all(ids.map((id) => bot.store.findContact(bot.botId, id)));
    assert.deepEqual(
      contacts.map((contact) => contact?.email),
      emails,
    );
    assertAscending(
      contacts.map((contact) => contact?.createdAt ?? ''),
      { isStrict: false },
    );
    assert.deepEqual(
      (await bot.search('')).contacts.map(({ email }) => email),
      [...emails.toReversed(), before.email],
    );
  });

  test('items with the same email are one contact, and the later update the earlier', async () => {
    const bot = await start();
    const ids = await upsert(bot, [
      item('jane@x.org', { name: 'Jane', phone: '1', mid: 'm' }),
      item('other@x.org', { name: 'Other' }),
      item('JANE@x.org', { phone: '2', mid: '' }),
      item('Jane@X.org'),
    ]);
    const [id, other] = ids as [string, string];
    assert.deepEqual(ids, [id, other, id, id]);
    const { name, email, phone, mid, createdAt, updatedAt } = (await bot.store.findContact(bot.botId, id)) as Contact;
    assert.deepEqual([name, email, phone, mid], ['Jane', 'Jane@X.org', '2', '']);
    assert.deepEqual([createdAt, updatedAt], [later, later]);
    assert.equal((await bot.search('')).total, 2);
    assert.ok(other > id, 'a contact is created at the place of its first item');
  });

  test('an upsert says of each item whether its contact was created, updated or left unchanged', async () => {
    const bot = await start();
    await bot.create({ name: 'Same', email: 'same@x.org', phone: '1' });
    await bot.create({ name: 'Other', email: 'other@x.org' });
    await bot.create({ name: 'Back', email: 'back@x.org' });
    const items = [
      item('new@x.org', { name: 'New' }),
      item('same@x.org', { name: 'Same' }),
      item('other@x.org', { phone: '2' }),
      item('NEW@x.org', { phone: '3' }),
      item('Same@x.org'),
      item('back@x.org', { name: 'Changed' }),
      item('back@x.org', { name: 'Back' }),
      item('same@x.org', { phone: '1' }),
    ];
    const outcomesOf = async () => {
      const outcome = await bot.store.upsertContacts(bot.botId, items, sampleContext({ nowMs: laterMs }));
      return outcome.kind === 'upserted' ? outcome.outcomes : outcome.kind;
    };
    const [created, unchanged, updated] = ['created', 'unchanged', 'updated'];
    const first = [created, unchanged, updated, created, unchanged, unchanged, unchanged, unchanged];
    assert.deepEqual(await outcomesOf(), first);
    assert.deepEqual(await outcomesOf(), Array(items.length).fill(unchanged));
  });

  test('an item without a name that would create refuses the whole upsert, with the positions of all of them', async () => {
    const bot = await start();
    const known = await bot.create({ email: 'known@x.org' });
    const items = [
      item('a@x.org'),
      item('known@x.org', { name: 'Changed' }),
      item('b@x.org', { name: 'B' }),
      item('c@x.org', { phone: '1' }),
      item('B@x.org'),
      item('A@x.org'),
    ];
    const outcome = await bot.store.upsertContacts(bot.botId, items, sampleContext({ nowMs: laterMs }));
    assert.deepEqual(outcome, { kind: 'invalid_items', faults: nameless(0, 3, 5) });
    assert.deepEqual(await bot.exportAll(), [known]);
    assert.deepEqual(await bot.search(''), { contacts: [known], total: 1 });
    assert.deepEqual(await bot.store.findFaults(bot.botId, items), nameless(0, 3, 5));
  });

  test('an item without a name before the one that creates is refused; after it, it is not', async () => {
    const bot = await start();
    const [named, unnamed] = [item('a@x.org', { name: 'A' }), item('A@x.org')];
    const outcome = await bot.store.upsertContacts(
      bot.botId,
      [unnamed, named, unnamed],
      sampleContext({ nowMs: laterMs }),
    );
    assert.deepEqual(outcome, { kind: 'invalid_items', faults: nameless(0) });
    assert.equal((await bot.search('')).total, 0);
    assert.equal((await upsert(bot, [named, unnamed])).length, 2);
  });

  test('findFaults sees stored contacts and earlier items, and writes nothing', async () => {
    const bot = await start();
    const other = await start();
    await other.create({ email: 'foreign@x.org' });
    await bot.create({ email: 'known@x.org' });
    const items = [
      item('KNOWN@x.org'),
      item('foreign@x.org'),
      item('new@x.org'),
      item('new@x.org', { name: 'New' }),
      item('new@x.org'),
    ];
    assert.deepEqual(await bot.store.findFaults(bot.botId, items), nameless(1, 2));
    assert.deepEqual(await bot.store.findFaults(bot.botId, []), []);
    assert.equal((await bot.search('')).total, 1);
  });

  test('an upsert that ends where it began keeps updatedAt', async () => {
    const bot = await start();
    const contact = await bot.create({ name: 'Jane', email: 'jane@x.org', phone: '1' });
    await upsert(bot, [item('jane@x.org')]);
    await upsert(bot, [item('jane@x.org', { name: 'Jane', phone: '1', mid: '' })]);
    await upsert(bot, [
      item('JANE@x.org', { name: 'Changed', phone: '' }),
      item('jane@x.org', { name: 'Jane', phone: '1' }),
    ]);
    assert.deepEqual(await bot.store.findContact(bot.botId, contact.id), contact);
  });

  test('a change by an upsert moves updatedAt once, even under a clock that went back', async () => {
    const bot = await start();
    const contact = await bot.create({ name: 'Jane', email: 'jane@x.org' });
    const items = [
      item('jane@x.org', { name: 'J' }),
      item('jane@x.org', { name: 'K' }),
      item('jane@x.org', { name: 'L' }),
    ];
    await upsert(bot, items, sampleNowMs - 1000);
    const updatedAt = new Date(sampleNowMs + 1).toISOString();
    assert.deepEqual(await bot.store.findContact(bot.botId, contact.id), { ...contact, name: 'L', updatedAt });
  });

  test('a new spelling of the email is a change in an upsert too', async () => {
    const bot = await start();
    const contact = await bot.create({ email: 'jane@x.org' });
    await upsert(bot, [item('Jane@x.org')]);
    const expected = { ...contact, email: 'Jane@x.org', updatedAt: later };
    assert.deepEqual(await bot.store.findContactByEmail(bot.botId, 'jane@x.org'), expected);
  });

  test('an upsert of nothing answers nothing', async () => {
    const bot = await start();
    assert.deepEqual(await upsert(bot, []), []);
    assert.equal((await bot.search('')).total, 0);
  });

  test('an upsert in one bot leaves the same emails of another alone', async () => {
    const [bot, other] = [await start(), await start()];
    const contact = await bot.create({ email: 'jane@x.org' });
    await upsert(other, [item('jane@x.org', { name: 'Twin' })]);
    assert.deepEqual(await bot.exportAll(), [contact]);
    assert.equal((await other.search('twin')).total, 1);
  });

  test('an upsert of as many items as a request may hold works, twice', async () => {
    const bot = await start();
    const items = Array.from({ length: limits.contactsPerUpsert }, () => sampleFields());
    const ids = await upsert(bot, items, sampleNowMs);
    assertAscending(ids, { isStrict: true });
    assert.deepEqual(
      await upsert(
        bot,
        items.map((one) => ({ ...one, phone: '7' })),
      ),
      ids,
    );
    assert.equal((await bot.search('')).total, limits.contactsPerUpsert);
    const contacts = await bot.exportAll();
    assert.deepEqual(
      contacts.map(({ id, phone, updatedAt }) => [id, phone, updatedAt]),
      ids.map((id) => [id, '7', later]),
    );
  });
}
