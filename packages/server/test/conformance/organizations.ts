// Conformance: organizations, bots and secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import type { Organization, Secret, Store } from '../../src/store/store.ts';
import {
  sampleBot,
  sampleBotSettings,
  sampleContext,
  sampleHash,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
} from '../sample.ts';
import { listCountedBots } from './counted-bots.ts';
import { botIn, type Engine, openStore, shareStore } from './engine.ts';

function sampleFirst() {
  const organization = sampleOrganization();
  return { organization, bot: sampleBot(organization.id), secret: sampleSecret(organization.id) };
}

export function testOrganizations(engine: Engine): void {
  test('the first organization is created by exactly one of many callers, and whole', async (t) => {
    const { store } = await openStore(t, engine);
    const callers = Array.from({ length: 20 }, sampleFirst);
    const answers = await Promise.all(callers.map((first) => store.createFirstOrganization(first, sampleContext())));
    assert.equal(answers.filter((hasWon) => hasWon).length, 1);
    for (const [index, { bot, secret }] of callers.entries()) {
      const hasWon = answers[index];
      assert.deepEqual(await store.findBot(bot.id), hasWon ? bot : undefined);
      assertSecret(await store.findSecret(secret.hash), hasWon ? secret : undefined);
    }
  });

  const start = shareStore(engine);

  test('after any other organization there is no first one', async () => {
    const { store } = await start();
    const first = sampleFirst();
    assert.equal(await store.createFirstOrganization(first, sampleContext()), false);
    assert.equal(await store.findBot(first.bot.id), undefined);
    assert.equal(await store.findSecret(first.secret.hash), undefined);
  });

  test('deleting the only bot does not make room for a first organization', async (t) => {
    const { store } = await openStore(t, engine);
    const first = sampleFirst();
    assert.equal(await store.createFirstOrganization(first, sampleContext()), true);
    assert.equal(await store.deleteBot(first.bot.id, sampleContext()), true);
    while (await store.purge(100, 0, sampleContext()));
    assert.equal(await store.createFirstOrganization(sampleFirst(), sampleContext()), false);
  });

  test('a store that is open answers a ping, and its gauges are numbers', async () => {
    const { store } = await start();
    await store.ping();
    for (const [name, read] of Object.entries(store.gauges())) assert.ok(Number.isFinite(await read()), name);
  });

  test('a bot is found with all that it was created with', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const bot = sampleBot(organization.id, {
      name: 'Zoë’s "bot" 👍',
      greeting: '',
      position: 'left',
      allowedOrigins: ['https://example.com', 'http://localhost:3000'],
      channels: [
        { type: 'whatsapp', value: '+15550100123', label: 'Zoë’s "chat" 👍' },
        { type: 'link', value: 'https://example.com/?a=1&b=%22', label: '' },
      ],
      greetings: { de: 'Grüß Gott!', 'zh-Hant-TW': '您好' },
      tokenMaxSeconds: 3600,
    });
    await store.createBot(bot, undefined, sampleContext());
    assert.deepEqual(await store.findBot(bot.id), bot);
  });

  test('updating a bot changes its settings and nothing else', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const [bot, other] = [sampleBot(organization.id), sampleBot(organization.id)];
    await store.createBot(bot, undefined, sampleContext());
    await store.createBot(other, undefined, sampleContext());
    const settings = sampleBotSettings({
      color: '#000000',
      allowedOrigins: ['https://example.org'],
      channels: [{ type: 'email', value: 'help@example.org', label: 'Write to us' }],
      greetings: { fr: 'Bonjour' },
      tokenMaxSeconds: 60,
    });
    assert.equal(await store.updateBot(bot.id, settings, sampleContext()), true);
    assert.deepEqual(await store.findBot(bot.id), { ...bot, ...settings });
    assert.deepEqual(await store.findBot(other.id), other);
  });

  test('a bot that does not exist is not found, updated or deleted', async () => {
    const { store } = await start();
    const { id } = sampleBot('org_none');
    assert.equal(await store.findBot(id), undefined);
    assert.equal(await store.updateBot(id, sampleBotSettings(), sampleContext()), false);
    assert.equal(await store.deleteBot(id, sampleContext()), false);
  });

  test('a secret is found by its hash and by no other', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const secret = sampleSecret(organization.id, { expiresAtMs: sampleNowMs + 1 });
    const endless = sampleSecret(organization.id);
    await store.createSecret(secret, undefined, sampleContext());
    await store.createSecret(endless, undefined, sampleContext());
    assertSecret(await store.findSecret(secret.hash), secret);
    assertSecret(await store.findSecret(endless.hash), endless);
    assert.equal(await store.findSecret(sampleHash()), undefined);
    assert.equal(await store.findSecret(secret.hash.subarray(0, 31)), undefined);
  });

  test('an expired secret is still found: judging it is the caller’s task', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const secret = sampleSecret(organization.id, { expiresAtMs: 1 });
    await store.createSecret(secret, undefined, sampleContext());
    while (await store.purge(100, 0, sampleContext()));
    assertSecret(await store.findSecret(secret.hash), secret);
  });

  test('a secret is revoked once, and found as revoked from then on', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const secret = sampleSecret(organization.id);
    const other = sampleSecret(organization.id);
    await store.createSecret(secret, undefined, sampleContext());
    await store.createSecret(other, undefined, sampleContext());
    assert.equal(await store.revokeSecret(secret.id, sampleContext({ nowMs: sampleNowMs + 5 })), true);
    assert.equal(await store.revokeSecret(secret.id, sampleContext({ nowMs: sampleNowMs + 9 })), false);
    assertSecret(await store.findSecret(secret.hash), { ...secret, revokedAtMs: sampleNowMs + 5 });
    assertSecret(await store.findSecret(other.hash), other);
  });

  test('of many concurrent revocations of a secret exactly one succeeds', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const secret = sampleSecret(organization.id);
    await store.createSecret(secret, undefined, sampleContext());
    const answers = await Promise.all(Array.from({ length: 8 }, () => store.revokeSecret(secret.id, sampleContext())));
    assert.equal(answers.filter((hasRevoked) => hasRevoked).length, 1);
  });

  test('organizations are listed in the order of creation, found, and renamed one at a time', async () => {
    const { store } = await start();
    const others = await store.listOrganizations();
    const all = [3, 1, 2].map((second) =>
      sampleOrganization({ id: makeId('organization', second * 1_000_000), createdAtMs: second * 1000 }),
    );
    for (const organization of all) await store.createOrganization(organization, sampleContext());
    const [third, first, second] = all as [Organization, Organization, Organization];
    const assertListed = async (...listed: Organization[]) =>
      assert.deepEqual(await store.listOrganizations(), [...listed, ...others].toSorted(byId));
    await assertListed(first, second, third);
    assert.equal(await store.renameOrganization(second.id, 'Zoë’s "shop" 👍', sampleContext()), true);
    const renamed = { ...second, name: 'Zoë’s "shop" 👍' };
    await assertListed(first, renamed, third);
    assert.deepEqual(await store.findOrganization(second.id), renamed);
    const unknown = sampleOrganization().id;
    assert.equal(await store.findOrganization(unknown), undefined);
    assert.equal(await store.renameOrganization(unknown, 'Nobody', sampleContext()), false);
    await assertListed(first, renamed, third);
  });

  test('the settings of an organization are off until they are changed, for that one alone', async () => {
    const { store } = await start();
    const [changed, other] = [sampleOrganization(), sampleOrganization()];
    for (const organization of [changed, other]) await store.createOrganization(organization, sampleContext());
    const unknown = sampleOrganization().id;
    const on = { membersMayManageWebhooks: true };
    const off = { membersMayManageWebhooks: false };
    assert.equal(await store.updateOrganizationSettings(changed.id, on, sampleContext()), true);
    assert.equal(await store.updateOrganizationSettings(unknown, on, sampleContext()), false);
    assert.deepEqual(await store.findOrganizationSettings(changed.id), on);
    for (const { id } of [other, { id: unknown }]) assert.deepEqual(await store.findOrganizationSettings(id), off);
    assert.equal(await store.updateOrganizationSettings(changed.id, off, sampleContext()), true);
    assert.deepEqual(await store.findOrganizationSettings(changed.id), off);
  });

  test('bots are listed with their counts, of one organization or of all, and deleted ones are not', async () => {
    const { store } = await start();
    const others = await listCountedBots(store);
    const [mine, theirs] = [await addOrganization(store), await addOrganization(store)];
    const makeBot = (organizationId: string, second: number) =>
      sampleBot(organizationId, { id: makeId('bot', second * 1_000_000), allowedOrigins: ['https://example.com'] });
    const [one, two] = [makeBot(mine.id, 1), makeBot(mine.id, 2)];
    const [other, deleted] = [makeBot(theirs.id, 3), makeBot(mine.id, 4)];
    for (const bot of [deleted, two, other, one]) await store.createBot(bot, undefined, sampleContext());
    const contacts = await Promise.all([1, 2, 3].map(() => botIn(store, two.id).create()));
    await store.deleteContact(two.id, contacts[0]?.id as string, sampleContext());
    await store.deleteBot(deleted.id, sampleContext());
    const listed = {
      one: { ...one, contactCount: 0 },
      two: { ...two, contactCount: 2 },
      other: { ...other, contactCount: 0 },
    };
    assert.deepEqual(await listCountedBots(store), [listed.one, listed.two, listed.other, ...others].toSorted(byId));
    assert.deepEqual(await listCountedBots(store, mine.id), [listed.one, listed.two]);
    assert.deepEqual(await listCountedBots(store, theirs.id), [listed.other]);
    assert.deepEqual(await store.listBots(sampleOrganization().id), []);
  });

  test('settings that an update leaves out keep their value, also when updates of others run beside it', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const bot = sampleBot(organization.id, {
      allowedOrigins: ['https://example.com'],
      channels: [{ type: 'phone', value: '+1 555 010 0123', label: '' }],
      greetings: { de: 'Hallo' },
      tokenMaxSeconds: 3600,
    });
    await store.createBot(bot, undefined, sampleContext());
    assert.equal(await store.updateBot(bot.id, {}, sampleContext()), true);
    assert.deepEqual(await store.findBot(bot.id), bot);
    await Promise.all([
      store.updateBot(bot.id, { name: 'New name' }, sampleContext()),
      store.updateBot(bot.id, { greeting: '' }, sampleContext()),
      store.updateBot(bot.id, { color: '#000000' }, sampleContext()),
      store.updateBot(bot.id, { position: 'left' }, sampleContext()),
      store.updateBot(bot.id, { allowedOrigins: [] }, sampleContext()),
      store.updateBot(bot.id, { channels: [] }, sampleContext()),
      store.updateBot(bot.id, { greetings: { it: 'Ciao' } }, sampleContext()),
      store.updateBot(bot.id, { tokenMaxSeconds: 60 }, sampleContext()),
    ]);
    const lists = { allowedOrigins: [], channels: [], greetings: { it: 'Ciao' } };
    const changed = {
      name: 'New name',
      greeting: '',
      color: '#000000',
      position: 'left',
      ...lists,
      tokenMaxSeconds: 60,
    };
    assert.deepEqual(await store.findBot(bot.id), { ...bot, ...changed });
  });

  test('secrets are listed without their hash, revoked and expired ones too, and renamed', async () => {
    const { store } = await start();
    const others = await store.listSecrets();
    const [mine, theirs] = [await addOrganization(store), await addOrganization(store)];
    const makeSecret = (organizationId: string, second: number, changes = {}) =>
      sampleSecret(organizationId, { id: makeId('secret', second * 1_000_000), ...changes });
    const live = makeSecret(mine.id, 1);
    const expired = makeSecret(mine.id, 2, { expiresAtMs: 1 });
    const revoked = makeSecret(theirs.id, 3);
    for (const secret of [revoked, expired, live]) await store.createSecret(secret, undefined, sampleContext());
    await store.revokeSecret(revoked.id, sampleContext());
    assert.equal(await store.renameSecret(live.id, 'Renamed', sampleContext()), true);
    assert.equal(await store.renameSecret(revoked.id, 'Leaked', sampleContext()), true);
    assert.equal(await store.renameSecret(sampleSecret(mine.id).id, 'Nobody', sampleContext()), false);
    const { hash: _, ...liveState } = live;
    const { hash: __, ...expiredState } = expired;
    const { hash: ___, ...revokedState } = revoked;
    const listed = [{ ...liveState, name: 'Renamed' }, expiredState];
    const leaked = { ...revokedState, name: 'Leaked', revokedAtMs: sampleNowMs };
    assert.deepEqual(await store.listSecrets(), [...listed, leaked, ...others].toSorted(byId));
    assert.deepEqual(await store.listSecrets(mine.id), listed);
    assert.deepEqual(await store.listSecrets(theirs.id), [leaked]);
    assertSecret(await store.findSecret(live.hash), { ...live, name: 'Renamed' });
  });

  test('a secret keeps how it begins, who made it and when it was last used, which moves forward only', async () => {
    const { store } = await start();
    const organization = await addOrganization(store);
    const secret = sampleSecret(organization.id, { prefix: 'rst_Zk0v', createdBy: 'Zoë' });
    const other = sampleSecret(organization.id, { prefix: '', lastUsedAtMs: sampleNowMs });
    for (const each of [secret, other]) await store.createSecret(each, undefined, sampleContext());
    const used = (secretId: string, after: number) => ({ secretId, usedAtMs: sampleNowMs + after });
    await store.noteSecretsUsed([used(secret.id, 5), used(sampleSecret(organization.id).id, 5)], sampleContext());
    await store.noteSecretsUsed([used(secret.id, 3), used(other.id, 8)], sampleContext());
    assertSecret(await store.findSecret(secret.hash), { ...secret, lastUsedAtMs: sampleNowMs + 5 });
    assertSecret(await store.findSecret(other.hash), { ...other, lastUsedAtMs: sampleNowMs + 8 });
    await store.noteSecretsUsed([], sampleContext());
  });

  test('the contacts of a bot are counted as they come and go, and a bot that does not exist has none', async () => {
    const { store, botId, create } = await start();
    assert.equal(await store.countContacts(botId), 0);
    const [contact] = [await create(), await create()];
    assert.equal(await store.countContacts(botId), 2);
    await store.deleteContact(botId, contact?.id as string, sampleContext());
    assert.equal(await store.countContacts(botId), 1);
    await store.deleteBot(botId, sampleContext());
    assert.equal(await store.countContacts(botId), 0);
    assert.equal(await store.countContacts(makeId('bot', 1)), 0);
  });

  test('a secret that does not exist is not revoked', async () => {
    const { store } = await start();
    assert.equal(await store.revokeSecret(sampleSecret('org_none').id, sampleContext()), false);
  });
}

/** The order of creation. */
const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

async function addOrganization(store: Store) {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  return organization;
}

/** The hash may come back as any kind of byte array. */
function assertSecret(actual: Secret | undefined, expected: Secret | undefined): void {
  const plain = (secret: Secret | undefined) => secret && { ...secret, hash: Buffer.from(secret.hash).toString('hex') };
  assert.deepEqual(plain(actual), plain(expected));
}
