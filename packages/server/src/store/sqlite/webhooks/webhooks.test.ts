// Webhooks in a file that one process has: leases from before a start are over, and a restored backup has all else.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addBot, sqliteUnderLoad } from '../../../../test/conformance/engine.ts';
import { addDeliveries, owner } from '../../../../test/conformance/webhooks.ts';
import { takeWebhooks } from '../../../../test/leases.ts';
import { sampleContext, sampleNowMs } from '../../../../test/sample.ts';
import { restoreSqlite } from '../restore.ts';
import { openSqliteStore } from '../sqlite-store.ts';

/** Opens stores in folders of the test. Those that are open at its end are closed. */
async function makeFolders(t: TestContext) {
  const parent = await mkdtemp(join(tmpdir(), 'roster-webhooks-'));
  const closes: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closes) await close();
    await rm(parent, { recursive: true });
  });
  const pathOf = (name: string) => join(parent, name);
  const onFatal = (error: Error) => {
    throw error;
  };
  const open = async (name: string) => {
    const store = await openSqliteStore({ folder: pathOf(name), ...sqliteUnderLoad, readers: 1, onFatal });
    closes.push(() => store.close());
    return store;
  };
  return { pathOf, open };
}

test('a start ends all leases, and what their owners write is refused', async (t) => {
  const { open } = await makeFolders(t);
  const first = await open('data');
  const { botId, webhookId } = await addDeliveries(await addBot({ store: first }));
  assert.equal((await first.listLeases([botId]))[0]?.owner, owner);
  await first.close();
  const second = await open('data');
  assert.deepEqual(await second.listLeases([botId]), [{ botId, webhookId, owner: undefined, version: 1 }]);
  const results = { owner, attempts: [], failingSinceMs: null };
  assert.equal(await second.saveAttempts(botId, webhookId, results, sampleContext()), false);
  assert.deepEqual(await takeWebhooks(second, botId, 'deliverer 2'), [webhookId]);
});

test('a restored backup has webhooks with their secrets, positions and deliveries', async (t) => {
  const { pathOf, open } = await makeFolders(t);
  const store = await open('data');
  const { botId, webhookId, find, list, plan } = await addDeliveries(await addBot({ store }));
  const before = [await find(), await list()];
  await store.backup?.(pathOf('backup.db'));
  await plan({ position: 99 });
  await store.deleteWebhook(botId, webhookId, sampleContext());
  await restoreSqlite({ folder: pathOf('restored'), file: pathOf('backup.db'), force: false, nowMs: sampleNowMs });
  const restored = await open('restored');
  assert.deepEqual(
    [(await restored.listWebhooks(botId))[0], await restored.listDeliveries(botId, webhookId, { limit: 100 })],
    before,
  );
  assert.equal((await restored.listWebhooks(botId))[0]?.position, 3);
});
