// Conformance: what was answered is there when the store is opened again, and closing leaves no caller waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  sampleBot,
  sampleBotSettings,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleToken,
  withKey,
} from '../sample.ts';
import { botIn, type Engine, type EngineOptions, shareStoreInSuite } from './engine.ts';

/** A call that is never answered would hold up the whole run; these tests are there to find one. */
const timeout = 300_000;

export function testDurability(engine: Engine, options: EngineOptions): void {
  // With many bots a purge returns true even when there is nothing to remove.
  const start = shareStoreInSuite(engine, options);

  test('a store that is opened again holds everything, and continues where it was', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const deleted = await start();
    await store.updateBot(botId, sampleBotSettings(), sampleContext());
    const storedBot = await store.findBot(botId);
    const secret = sampleSecret(storedBot?.organizationId as string);
    await store.createSecret(secret, undefined, sampleContext());
    await store.revokeSecret(secret.id, sampleContext({ nowMs: sampleNowMs + 7 }));
    await store.upsertContacts(
      botId,
      Array.from({ length: 20 }, () => sampleFields({ name: 'Jane' })),
      sampleContext(),
    );
    await bot.settle();
    const newest = await bot.create({ name: 'Jane Newest' });
    const [oldest] = await bot.exportAll();
    await store.updateContact(botId, oldest?.id as string, { name: 'Renamed' }, sampleContext());
    await store.deleteContact(botId, newest.id, sampleContext());
    const token = sampleToken();
    await store.createContactToken(botId, oldest?.id as string, token, undefined, sampleContext());
    await store.deleteBot(deleted.botId, sampleContext());
    const before = { contacts: await bot.exportAll(), jane: await bot.search('jane'), all: await bot.search('') };
    assert.equal(before.jane.total, 19);

    const again = botIn(await bot.reopen(), botId);
    assert.deepEqual(await again.store.findBot(botId), storedBot);
    assert.equal(await again.store.findBot(deleted.botId), undefined);
    assert.equal((await again.store.findSecret(secret.hash))?.revokedAtMs, sampleNowMs + 7);
    assert.deepEqual(await again.exportAll(), before.contacts);
    assert.deepEqual(await again.search('jane'), before.jane);
    assert.deepEqual(await again.search(''), before.all);
    assert.equal((await again.store.findVisitor(botId, token.hash))?.name, 'Renamed');
    const next = await again.create({}, sampleNowMs - 1000);
    assert.ok(next.id > newest.id, 'ids go on after the newest there ever was');
    const organization = sampleOrganization();
    const first = { organization, bot: sampleBot(organization.id), secret: sampleSecret(organization.id) };
    assert.equal(await again.store.createFirstOrganization(first, sampleContext()), false);
    assert.equal(await again.store.purge(10, 0, sampleContext()), true, 'the deleted bot is still to be purged');
  });

  test('closing answers every call in flight, and what was answered as written is there again', {
    timeout,
  }, async () => {
    const { store, botId, search, reopen } = await start();
    const fields = Array.from({ length: 60 }, () => sampleFields());
    const writes = fields.map((one) => store.createContact(botId, one, sampleContext()));
    const reads = fields.flatMap(({ emailKey, email }) => [
      search('person'),
      store.exportContacts(botId, { after: undefined, limit: 10 }, sampleCaller),
      store.findContactByEmail(botId, emailKey),
      store.findFaults(botId, [{ email, emailKey }]),
    ]);
    let answers = 0;
    for (const call of [...writes, ...reads]) call.catch(() => {}).finally(() => answers++);
    await store.close();
    assert.equal(answers, writes.length + reads.length, 'all are answered when the store is closed');
    const outcomes = await Promise.allSettled(writes);
    const again = await reopen();
    for (const [index, outcome] of outcomes.entries()) {
      const contact =
        outcome.status === 'fulfilled' && outcome.value.kind === 'created' ? outcome.value.contact : undefined;
      assert.deepEqual(await again.findContactByEmail(botId, fields[index]?.emailKey as string), contact);
    }
  });

  test('a closed store rejects calls; it does not leave them pending', { timeout }, async () => {
    const { store, botId, search, reopen } = await start();
    const again = await reopen();
    await assert.rejects(store.createContact(botId, sampleFields(), sampleContext()));
    await assert.rejects(async () => await store.findContact(botId, 'con_none'));
    await assert.rejects(search('person'));
    await assert.rejects(store.ping());
    assert.deepEqual(await botIn(again, botId).exportAll(), []);
    assert.deepEqual(await again.findFaults(botId, [withKey({ email: 'a@x' })]), [{ position: 0, fault: 'nameless' }]);
  });
}
