// Conformance: an export walks all contacts, oldest first, whatever happens to them meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@roster/contract';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { sampleCaller, sampleContext, sampleFields, sampleNowMs } from '../sample.ts';
import { assertAscending, type Engine, shareStore, type TestBot } from './engine.ts';

async function fill({ store, botId, exportAll }: TestBot, count: number): Promise<Contact[]> {
  await store.upsertContacts(
    botId,
    Array.from({ length: count }, () => sampleFields()),
    sampleContext(),
  );
  return exportAll();
}

export function testExport(engine: Engine): void {
  const start = shareStore(engine);

  test('an export yields every contact once, oldest first, in pages of the size asked for', async () => {
    const bot = await start();
    const contacts = [];
    for (let count = 0; count < 10; count++) contacts.push(await bot.create());
    const { store, botId } = bot;
    const first = await store.exportContacts(botId, { after: undefined, limit: 4 }, sampleCaller);
    assert.deepEqual(first, { contacts: contacts.slice(0, 4), next: contacts[3]?.id });
    const second = await store.exportContacts(botId, { after: first.next, limit: 4 }, sampleCaller);
    assert.deepEqual(second, { contacts: contacts.slice(4, 8), next: contacts[7]?.id });
    const third = await store.exportContacts(botId, { after: second.next, limit: 4 }, sampleCaller);
    assert.deepEqual(third, { contacts: contacts.slice(8), next: undefined });
    for (const limit of [1, 3, 9, 10, 11]) assert.deepEqual(await bot.exportAll(limit), contacts);
  });

  test('a full last page is the last page', async () => {
    const bot = await start();
    const contacts = await fill(bot, 4);
    const page = await bot.store.exportContacts(bot.botId, { after: contacts[1]?.id, limit: 2 }, sampleCaller);
    assert.deepEqual(page, { contacts: contacts.slice(2), next: undefined });
  });

  test('an empty bot, and the end, are an empty last page', async () => {
    const bot = await start();
    const empty = await bot.store.exportContacts(bot.botId, { after: undefined, limit: 10 }, sampleCaller);
    assert.deepEqual(empty, { contacts: [], next: undefined });
    const newest = await bot.create();
    const end = await bot.store.exportContacts(bot.botId, { after: newest.id, limit: 10 }, sampleCaller);
    assert.deepEqual(end, { contacts: [], next: undefined });
  });

  test('an export holds the contacts of its bot only', async () => {
    const [bot, other] = [await start(), await start()];
    const contacts = await fill(bot, 3);
    const others = await fill(other, 3);
    assert.deepEqual(await bot.exportAll(2), contacts);
    assert.deepEqual(await other.exportAll(2), others);
  });

  test('an export goes on after a position whose contact was deleted', async () => {
    const bot = await start();
    const contacts = await fill(bot, 6);
    const page = await bot.store.exportContacts(bot.botId, { after: undefined, limit: 3 }, sampleCaller);
    await bot.store.deleteContact(bot.botId, page.next as string, sampleContext());
    const rest = await bot.store.exportContacts(bot.botId, { after: page.next, limit: 3 }, sampleCaller);
    assert.deepEqual(rest, { contacts: contacts.slice(3), next: undefined });
  });

  test('an updated contact keeps its place', async () => {
    const bot = await start();
    const contacts = await fill(bot, 5);
    await bot.store.updateContact(
      bot.botId,
      contacts[1]?.id as string,
      { name: 'New' },
      sampleContext({ nowMs: sampleNowMs + 1000 }),
    );
    assert.deepEqual(
      (await bot.exportAll(2)).map(({ id }) => id),
      contacts.map(({ id }) => id),
    );
  });

  test('an export of what matches has full pages but the last, and goes on after a position that matches no more', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const made = [];
    for (let count = 0; count < 12; count++)
      made.push(await bot.create({ name: count % 2 === 0 ? 'Even Jane' : 'Odd' }));
    const even = made.filter((_, index) => index % 2 === 0);
    const words = parseQuery('JANE even');
    const first = await store.exportContacts(botId, { words, after: undefined, limit: 4 }, sampleCaller);
    assert.deepEqual(first, { contacts: even.slice(0, 4), next: even[3]?.id });
    const full = await store.exportContacts(botId, { words, after: even[1]?.id, limit: 4 }, sampleCaller);
    assert.deepEqual(full, { contacts: even.slice(2), next: undefined });
    await store.updateContact(
      botId,
      first.next as string,
      { name: 'Nobody' },
      sampleContext({ nowMs: sampleNowMs + 1 }),
    );
    const rest = await store.exportContacts(botId, { words, after: first.next, limit: 4 }, sampleCaller);
    assert.deepEqual(rest, { contacts: even.slice(4), next: undefined });
    for (const impossible of ['nul\0', '\ud800']) {
      const page = { words: parseQuery(impossible), after: undefined, limit: 4 };
      assert.deepEqual(await store.exportContacts(botId, page, sampleCaller), { contacts: [], next: undefined });
    }
  });

  test('under concurrent writes an export neither skips nor repeats a contact that was there throughout', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const contacts = await fill(bot, 120);
    const kept = contacts.filter((_, index) => index % 3 > 0);
    const toDelete = contacts.filter((_, index) => index % 3 === 0);
    let isWalking = true;
    const walk = bot.exportAll(7).finally(() => {
      isWalking = false;
    });
    const write = async (ids: readonly string[], run: (id: string) => Promise<unknown>) => {
      for (const id of ids) if (isWalking) await run(id);
    };
    await Promise.all([
      write(toDelete.map(({ id }) => id).toReversed(), (id) => store.deleteContact(botId, id, sampleContext())),
      write(
        kept.map(({ id }) => id),
        (id) => store.updateContact(botId, id, { name: 'New' }, sampleContext({ nowMs: sampleNowMs + 1 })),
      ),
      write(Array(100).fill(''), () => store.createContact(botId, sampleFields(), sampleContext())),
    ]);
    const seen = (await walk).map(({ id }) => id);
    assertAscending(seen, { isStrict: true });
    const seenSet = new Set(seen);
    for (const { id } of kept) assert.ok(seenSet.has(id), `${id} was skipped`);
  });
}
