// The log under writes that do not pause: it is copied into the file beside them, and begins anew.
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addTenant } from '../../../test/harness.ts';
import { until } from '../../../test/process/waiting.ts';
import { sampleContext, sampleFields } from '../../../test/sample.ts';
import { type LogState, startCheckpoints } from './checkpoints.ts';
import { openForWriting, prepareDatabase } from './database.ts';
import { defaultSettings } from './settings.ts';
import { openSqliteStore } from './sqlite-store.ts';

const mebibyte = 1024 ** 2;
/** Twice what the log may have before it begins anew. More than any machine needs: a test that fails stops here. */
const batchesMax = 400;

async function openWriting(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-checkpoints-'));
  t.after(() => rm(folder, { recursive: true }));
  let fatal: Error | undefined;
  const store = await openSqliteStore({ folder, readers: 1, onFatal: (error) => (fatal ??= error) });
  t.after(() => store.close());
  const { bot } = await addTenant(store);
  // So long that few contacts fill the log.
  const name = 'x'.repeat(4000);
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
        const items = Array.from({ length: 50 }, () => sampleFields({ name }));
        await store.upsertContacts(bot.id, items, sampleContext());
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

/** A writer without its thread, and a reader that holds the snapshot of its beginning. */
async function openHeldBack(t: TestContext, timeoutMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'roster-checkpoints-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  prepareDatabase(path);
  const db = openForWriting(path);
  // A write that waited for the reader would end the test.
  db.exec('PRAGMA busy_timeout = 3600000; CREATE TABLE ballast (piece BLOB)');
  const exec = t.mock.method(db, 'exec');
  const insert = db.prepare(`INSERT INTO ballast VALUES (zeroblob(${mebibyte}))`);
  const inspect = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  const mebibytesOfLog = () => ((inspect.get() as unknown as LogState).log * 4096) / mebibyte;
  const holds: boolean[] = [];
  const onHold = (isHeld: boolean) => holds.push(isHeld);
  const checkpoints = await startCheckpoints(db, { ...defaultSettings, path }, { onHold, timeoutMs });
  const reader = new DatabaseSync(path, { readOnly: true });
  t.after(async () => {
    reader.close();
    await checkpoints.close();
    db.close();
  });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM ballast').get();
  return {
    reader,
    holds,
    checkpoints,
    /** How often the log was to be emptied: only for that the writer sets its busy timeout to 0. */
    triesToEmpty: () => exec.mock.calls.filter(({ arguments: [sql] }) => sql === 'PRAGMA busy_timeout = 0').length,
    mebibytesOfLog,
    write() {
      assert.ok(mebibytesOfLog() < batchesMax, 'the log grows, and no read is held');
      insert.run();
    },
    /** Looks at the log, after a write each time or without one, until long reads were held and let go so often. */
    async untilHeld(times: number, write: () => void = () => {}) {
      while (holds.length < times) {
        write();
        checkpoints.afterCommit();
        await nextTurn();
      }
    },
  };
}

test('when a reader keeps a large log from beginning anew, long reads are held until it ends, and no write waits', async (t) => {
  const { reader, holds, mebibytesOfLog, write, untilHeld } = await openHeldBack(t, Number.POSITIVE_INFINITY);
  await untilHeld(1, write);
  assert.ok(mebibytesOfLog() >= 60);
  for (let more = 0; more < 10; more++) write();
  reader.exec('COMMIT');
  await untilHeld(2);
  assert.deepEqual(holds, [true, false]);
  write();
  assert.ok(mebibytesOfLog() < 10, 'the log has begun anew');
});

test('a reader that does not end holds long reads for a time only', async (t) => {
  const { holds, mebibytesOfLog, write, untilHeld } = await openHeldBack(t, 0);
  await untilHeld(2, write);
  const firstAt = mebibytesOfLog();
  await untilHeld(3, write);
  assert.deepEqual(holds, [true, false, true]);
  assert.ok(mebibytesOfLog() >= firstAt + 60, 'and then not soon again');
});

test('a log that a reader needs is emptied when the reader has ended, and no write waits', async (t) => {
  const { reader, checkpoints, triesToEmpty, mebibytesOfLog, write } = await openHeldBack(t, 0);
  const lookUntil = (what: string, isReached: () => boolean) =>
    until(what, () => {
      checkpoints.afterCommit();
      return isReached();
    });
  write();
  checkpoints.emptySoon();
  await lookUntil('a try', () => triesToEmpty() > 0);
  write();
  assert.equal(checkpoints.isBusy, true);
  assert.ok(mebibytesOfLog() >= 2);
  reader.exec('COMMIT');
  await lookUntil('an empty log', () => mebibytesOfLog() === 0);
  assert.equal(checkpoints.isBusy, false, 'and not again before the next purge');
});

test('the log is emptied after a purge, whatever was written before', async (t) => {
  const { store, sizeOf, writeUntil, failure } = await openWriting(t);
  await writeUntil(async () => (await sizeOf('roster.db-wal')) > 1);
  await store.purge(100, 0, sampleContext());
  await until('an empty log', async () => (await sizeOf('roster.db-wal')) === 0);
  await store.ping();
  assert.ok((await sizeOf('roster.db-wal')) > 0, 'writes go on');
  assert.equal(failure(), undefined);
});
