// The tenant cache: what it remembers, for how long, and that a change made through it is in force at once.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addTenant, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { sampleBotSettings, sampleContext, sampleHash, sampleSecret } from '../../test/sample.ts';
import type { Secret, Store } from '../store/store.ts';
import { hashCredential, makeSecret } from './credentials.ts';
import { TenantCache } from './tenant-cache.ts';

const { store } = await startServer(wholeFile);

/** A tenant cache over the real store, with every read counted, and a tenant of its own. */
async function makeTenantCache() {
  const reads = { count: 0 };
  const counted: Store = {
    ...store,
    findSecret: (hash) => {
      reads.count++;
      return store.findSecret(hash);
    },
    findBot: (botId) => {
      reads.count++;
      return store.findBot(botId);
    },
  };
  const tenant = await addTenant(store);
  return { tenantCache: new TenantCache(counted), reads, counted, tenant, text: tenant.secret };
}

/** What is remembered ages by the process's own clock, which the test turns. */
function turnClock(t: TestContext): { ms: number } {
  const time = { ms: 1000 };
  t.mock.method(performance, 'now', () => time.ms);
  return time;
}

test('a live secret and a bot are found, again without the store', async (t) => {
  turnClock(t);
  const { tenantCache, reads, tenant, text } = await makeTenantCache();
  for (let i = 0; i < 3; i++) {
    assert.equal((await tenantCache.findLiveSecret(text, 0))?.id, tenant.secretId);
    assert.equal((await tenantCache.findBot(tenant.bot.id))?.name, tenant.bot.name);
  }
  assert.equal(reads.count, 2);
});

test('an unknown secret is not found, and guesses are not remembered', async () => {
  const { tenantCache, reads } = await makeTenantCache();
  const guess = makeSecret();
  for (let i = 0; i < 3; i++) assert.equal(await tenantCache.findLiveSecret(guess, 0), undefined);
  assert.equal(reads.count, 3);
});

test('what does not look like a secret is refused without the store', async () => {
  const { tenantCache, reads, text } = await makeTenantCache();
  for (const typo of ['', 'x', text.slice(0, -1), `${text}0`]) {
    assert.equal(await tenantCache.findLiveSecret(typo, 0), undefined);
  }
  assert.equal(reads.count, 0);
});

test('a secret that the store confused with another is not believed', async () => {
  const { tenantCache, counted, tenant } = await makeTenantCache();
  counted.findSecret = async () => sampleSecret(tenant.organizationId, { hash: sampleHash() });
  assert.equal(await tenantCache.findLiveSecret(makeSecret(), 0), undefined);
});

test('a secret expires by the clock, although it is remembered', async () => {
  const { tenantCache, tenant } = await makeTenantCache();
  const text = makeSecret();
  await store.createSecret(
    sampleSecret(tenant.organizationId, { hash: hashCredential(text), expiresAtMs: 100 }),
    undefined,
    sampleContext(),
  );
  assert.ok(await tenantCache.findLiveSecret(text, 99));
  assert.equal(await tenantCache.findLiveSecret(text, 100), undefined);
});

test('a revoked secret is refused at once, although it was remembered', async () => {
  const { tenantCache, tenant, text } = await makeTenantCache();
  assert.ok(await tenantCache.findLiveSecret(text, 0));
  assert.equal(await tenantCache.revokeSecret(tenant.secretId, sampleContext({ nowMs: 5 })), true);
  assert.equal(await tenantCache.findLiveSecret(text, 0), undefined);
  assert.equal(await tenantCache.revokeSecret(tenant.secretId, sampleContext({ nowMs: 6 })), false);
});

test('a secret that was read before it was revoked is not remembered after', async () => {
  const { tenantCache, counted, tenant, text } = await makeTenantCache();
  const { findSecret } = counted;
  const reading = Promise.withResolvers<Secret | undefined>();
  counted.findSecret = () => reading.promise;
  const early = tenantCache.findLiveSecret(text, 0);
  const asItWas = await store.findSecret(hashCredential(text));
  await tenantCache.revokeSecret(tenant.secretId, sampleContext({ nowMs: 5 }));
  reading.resolve(asItWas);
  await early;
  counted.findSecret = findSecret;
  assert.equal(await tenantCache.findLiveSecret(text, 0), undefined);
});

test('what another process revoked is refused within a second', async (t) => {
  const time = turnClock(t);
  const { tenantCache, tenant, text } = await makeTenantCache();
  assert.ok(await tenantCache.findLiveSecret(text, 0));
  await store.revokeSecret(tenant.secretId, sampleContext({ nowMs: 5 }));
  time.ms += 999;
  assert.equal(await tenantCache.findLiveSecret(text, 0), undefined);
});

test('what another process changed or deleted of a bot is seen within a second', async (t) => {
  const time = turnClock(t);
  const { tenantCache, tenant } = await makeTenantCache();
  await tenantCache.findBot(tenant.bot.id);
  await store.updateBot(tenant.bot.id, sampleBotSettings({ greeting: 'Changed' }), sampleContext());
  time.ms += 999;
  assert.equal((await tenantCache.findBot(tenant.bot.id))?.greeting, 'Changed');
  await store.deleteBot(tenant.bot.id, sampleContext({ nowMs: 0 }));
  time.ms += 999;
  assert.equal(await tenantCache.findBot(tenant.bot.id), undefined);
});

test('an update or deletion of a bot through the tenant cache is in force at once', async () => {
  const { tenantCache, tenant } = await makeTenantCache();
  await tenantCache.findBot(tenant.bot.id);
  await tenantCache.updateBot(tenant.bot.id, sampleBotSettings({ greeting: 'Changed' }), sampleContext());
  assert.equal((await tenantCache.findBot(tenant.bot.id))?.greeting, 'Changed');
  await tenantCache.deleteBot(tenant.bot.id, sampleContext({ nowMs: 0 }));
  assert.equal(await tenantCache.findBot(tenant.bot.id), undefined);
});

test('a failed read is passed on, not taken for a miss, and the next one tries again', async () => {
  const { tenantCache, counted, text } = await makeTenantCache();
  const { findSecret } = counted;
  counted.findSecret = () => Promise.reject(new Error('away'));
  await assert.rejects(async () => await tenantCache.findLiveSecret(text, 0), /away/);
  counted.findSecret = findSecret;
  assert.ok(await tenantCache.findLiveSecret(text, 0));
});
