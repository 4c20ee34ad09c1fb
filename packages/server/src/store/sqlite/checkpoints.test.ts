// The log under writes that do not pause: it is copied into the file beside them, and begins anew.
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { addTenant } from '../../../test/harness.ts';
import { sampleFields, sampleNowMs } from '../../../test/sample.ts';
import { openSqliteStore } from './sqlite-store.ts';

const mebibyte = 1024 ** 2;
/** Twice what the log may have before it begins anew. More than any machine needs: a test that fails stops here. */
const batchesMax = 400;

async function openWriting(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-checkpoints-'));
  t.after(() => rm(folder, { recursive: true }));
  let fatal: Error | undefined;
  const store = await openSqliteStore({ folder, onFatal: (error) => (fatal ??= error) });
  t.after(() => store.close());
  const { bot } = await addTenant(store);
  const name = 'x'.repeat(200);
  const sizeOf = async (file: string) => (await stat(join(folder, file))).size / mebibyte;
  let batches = 0;
  return {
    folder,
    store,
    sizeOf,
    failure: () => fatal,
    /** Writes until the condition holds. */
    async writeUntil(isReached: () => Promise<boolean>): Promise<number> {
      while (!(await isReached()) && batches < batchesMax) {
        batches++;
        const items = Array.from({ length: 500 }, () => sampleFields({ name }));
        await store.upsertContacts(bot.id, items, sampleNowMs);
      }
      return batches;
    },
  };
}

test('the log is copied into the file while writes go on, and does not grow without end', async (t) => {
  const { sizeOf, writeUntil, failure } = await openWriting(t);
  // Nothing but a checkpoint makes the file grow.
  const batches = await writeUntil(async () => (await sizeOf('roster.db')) > 60);
  assert.ok(batches < batchesMax, 'the file grows');
  assert.ok((await sizeOf('roster.db-wal')) < 60, `the log has ${await sizeOf('roster.db-wal')} MiB`);
  assert.equal(failure(), undefined);
});

test('a reader with an old snapshot keeps the log from beginning anew, and holds up no write', async (t) => {
  const { folder, sizeOf, writeUntil } = await openWriting(t);
  const reader = new DatabaseSync(join(folder, 'roster.db'), { readOnly: true });
  t.after(() => reader.close());
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM contacts').get();
  assert.ok((await writeUntil(async () => (await sizeOf('roster.db-wal')) > 30)) < batchesMax);
  reader.exec('COMMIT');
  const grownTo = await sizeOf('roster.db-wal');
  const batches = await writeUntil(async () => (await sizeOf('roster.db')) > 60);
  assert.ok(batches < batchesMax, 'the file grows again');
  assert.ok((await sizeOf('roster.db-wal')) < grownTo + 60);
});
