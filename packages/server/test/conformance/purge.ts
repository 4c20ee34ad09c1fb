// Conformance: a deleted bot is gone at once, and its rows in slices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTag } from '../../src/contacts/values.ts';
import type { Store } from '../../src/store/store.ts';
import { sampleBotSettings, sampleCaller, sampleContext, sampleFields, sampleNowMs, sampleToken } from '../sample.ts';
import { define } from './attributes.ts';
import { addBot, type Engine, type EngineOptions, openStore, shareStore, type TestBot } from './engine.ts';

const contactCount = 25;

async function fill(bot: TestBot) {
  const { store, botId } = bot;
  const plan = await define(bot, 'plan');
  const seats = await define(bot, 'seats', 'number');
  const values = { attributes: { [plan]: 'pro', [seats]: 1 }, tags: { set: [toTag('vip')] } };
  const items = Array.from({ length: contactCount }, () => sampleFields({ name: 'Jane Doe', ...values }));
  await store.upsertContacts(botId, items, sampleContext());
  // What contacts are still to lose must not outlive them.
  await store.deleteAttribute(botId, 'seats', sampleContext());
  const contacts = await bot.exportAll();
  const tokens = contacts.slice(0, 10).map(() => sampleToken());
  await Promise.all(
    tokens.map((token, index) =>
      store.createContactToken(botId, contacts[index]?.id as string, token, undefined, sampleContext()),
    ),
  );
  return { contacts, tokens };
}

type Filled = Awaited<ReturnType<typeof fill>>;

async function assertGone({ store, botId, search }: TestBot, { contacts, tokens }: Filled): Promise<void> {
  const [contact] = contacts;
  const [token] = tokens;
  assert.ok(contact && token);
  assert.equal(await store.findBot(botId), undefined);
  assert.equal(await store.updateBot(botId, sampleBotSettings(), sampleContext()), false);
  assert.equal(await store.deleteBot(botId, sampleContext()), false);
  assert.equal(await store.findContact(botId, contact.id), undefined);
  assert.equal(await store.findContactByEmail(botId, contact.email), undefined);
  assert.deepEqual(await search(''), { contacts: [], total: 0 });
  assert.deepEqual(await search('jane'), { contacts: [], total: 0 });
  const page = await store.exportContacts(botId, { after: undefined, limit: 10 }, sampleCaller);
  assert.deepEqual([page.contacts, page.next], [[], undefined]);
  assert.equal(await store.findVisitor(botId, token.hash), undefined);
  assert.deepEqual(await store.createContact(botId, sampleFields(), sampleContext()), { kind: 'missing' });
  assert.deepEqual(await store.updateContact(botId, contact.id, { name: 'X' }, sampleContext()), { kind: 'missing' });
  assert.deepEqual(await store.upsertContacts(botId, [sampleFields()], sampleContext()), { kind: 'missing' });
  assert.equal(await store.deleteContact(botId, contact.id, sampleContext()), false);
  assert.equal(await store.createContactToken(botId, contact.id, sampleToken(), undefined, sampleContext()), false);
  assert.equal(await store.revokeContactToken(botId, token.hash, sampleContext()), false);
}

/** Purges `total` rows, as `countLeft` counts them: all of them in the end, and no more than `rows` at a time. */
export async function purgeInSlices(
  store: Store,
  { rows, total, countLeft }: { rows: number; total: number; countLeft: () => Promise<number> },
): Promise<void> {
  let left = await countLeft();
  assert.equal(left, total);
  for (let [slices, isMore] = [0, true]; isMore; slices++) {
    assert.ok(slices < 1000, 'the purge does not end');
    isMore = await store.purge(rows, 0, sampleContext());
    const before = left;
    left = await countLeft();
    assert.ok(before - left <= rows, `${before - left} at once`);
  }
  assert.equal(left, 0);
}

export function testPurge(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  test('a deleted bot and all that it held are missing at once, and stay so while they are purged', async () => {
    const bot = await start();
    const filled = await fill(bot);
    // Reads before the deletion fill whatever the engine remembers.
    assert.ok(await bot.store.findContact(bot.botId, filled.contacts[0]?.id as string));
    assert.equal(await bot.store.deleteBot(bot.botId, sampleContext()), true);
    await assertGone(bot, filled);
    await bot.store.purge(10, 0, sampleContext());
    await assertGone(bot, filled);
    while (await bot.store.purge(10, 0, sampleContext()));
    await bot.settle();
    await assertGone(bot, filled);
  });

  test('deleting and purging a bot leaves the others as they are', async () => {
    const bots = [await start(), await start(), await start()] as const;
    const filled = [await fill(bots[0]), await fill(bots[1]), await fill(bots[2])] as const;
    await bots[1].settle();
    await bots[1].store.deleteBot(bots[1].botId, sampleContext());
    while (await bots[1].store.purge(10, 0, sampleContext()));
    for (const index of [0, 2] as const) {
      const { store, botId, search, exportAll } = bots[index];
      const { contacts, tokens } = filled[index];
      assert.deepEqual(await exportAll(), contacts);
      assert.deepEqual(await search('jane'), { contacts: contacts.toReversed(), total: contactCount });
      assert.equal((await store.findVisitor(botId, tokens[0]?.hash as Uint8Array))?.id, contacts[0]?.id);
    }
  });

  test('of many concurrent deletions of a bot exactly one succeeds', async () => {
    const { store, botId } = await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => store.deleteBot(botId, sampleContext())));
    assert.equal(answers.filter((isDeleted) => isDeleted).length, 1);
  });

  test('writes beside the deletion of their bot are done before it or refused, and gone in any case', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const create = () => store.createContact(botId, sampleFields({ name: 'Late' }), sampleContext());
    const writes = [create(), create(), store.deleteBot(botId, sampleContext()), create(), create()] as const;
    const [, , isDeleted, ...late] = await Promise.all(writes);
    assert.equal(isDeleted, true);
    for (const outcome of late) assert.ok(['created', 'missing'].includes(outcome.kind));
    assert.deepEqual(await create(), { kind: 'missing' });
    assert.deepEqual(await bot.search('late'), { contacts: [], total: 0 });
  });

  test('a deleted contact leaves no row behind, whether it was changed before or not', async (t) => {
    const opened = await openStore(t, engine, options);
    const { store, settle, countRows } = opened;
    const bot = await addBot(opened);
    await fill(bot);
    await settle?.();
    const rowsBefore = await countRows?.();
    const tags = { set: [toTag('new')] };
    const contacts = [await bot.create({ tags }), await bot.create({ tags }), await bot.create()] as const;
    for (const { id } of contacts)
      await store.createContactToken(bot.botId, id, sampleToken(), undefined, sampleContext());
    await store.deleteContact(bot.botId, contacts[0].id, sampleContext());
    await settle?.();
    await store.deleteContact(bot.botId, contacts[1].id, sampleContext());
    await store.updateContact(bot.botId, contacts[2].id, { name: 'New' }, sampleContext());
    await store.deleteContact(bot.botId, contacts[2].id, sampleContext());
    await settle?.();
    assert.equal(await countRows?.(), rowsBefore);
  });

  test('what the purge knows of the clock is kept', async (t) => {
    const { store, reopen } = await openStore(t, engine, options);
    const find = async ({ findPurging }: Store) => {
      const { purgedAtMs, pausedUntilMs } = await findPurging();
      return { purgedAtMs, pausedUntilMs };
    };
    assert.deepEqual(await find(store), { purgedAtMs: undefined, pausedUntilMs: undefined });
    const paused = { purgedAtMs: sampleNowMs, pausedUntilMs: sampleNowMs + 1 };
    await store.savePurging(paused, sampleContext());
    assert.deepEqual(await find(store), paused);
    const reopened = await reopen();
    assert.deepEqual(await find(reopened), paused);
    await reopened.savePurging({ purgedAtMs: 1 }, sampleContext());
    assert.deepEqual(await find(reopened), { purgedAtMs: 1, pausedUntilMs: undefined });
  });

  test('a purge deletes no more rows at a time than requested, and in the end nothing is left', async (t) => {
    const opened = await openStore(t, engine, options);
    const { store, countRows } = opened;
    assert.equal(await store.purge(10, 0, sampleContext()), false);
    const kept = await addBot(opened);
    await fill(kept);
    while (await store.purge(10, 0, sampleContext()));
    await opened.settle?.();
    const rowsBefore = await countRows?.();
    const toDelete = [await addBot(opened), await addBot(opened)] as const;
    for (const bot of toDelete) await fill(bot);
    // One bot is indexed when it is deleted, the other changed since.
    await opened.settle?.();
    const [changed] = await toDelete[1].exportAll();
    await store.updateContact(toDelete[1].botId, changed?.id as string, { name: 'New' }, sampleContext());
    for (const { botId } of toDelete) await store.deleteBot(botId, sampleContext());
    let slices = 0;
    while (await store.purge(10, 0, sampleContext())) assert.ok(++slices < 10_000, 'the purge does not end');
    assert.ok(slices >= (2 * contactCount) / 10 - 1, `all was gone after ${slices} slices`);
    assert.equal(await store.purge(10, 0, sampleContext()), false);
    await opened.settle?.();
    assert.equal(await countRows?.(), rowsBefore);
    assert.equal((await kept.search('jane')).total, contactCount);
  });
}
