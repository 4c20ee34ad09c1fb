// A full disk, for real: a small one, mounted for one process only. Writes are refused, reads go on, and as soon as
// there is room writes work again. The test runs itself a second time, as that process.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Contact } from '@roster/contract';
import { botIn } from '../../../test/conformance/engine.ts';
import { addTenant } from '../../../test/harness.ts';
import { sampleFields, sampleNowMs } from '../../../test/sample.ts';
import { StoreUnavailableError } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

const smallDisk = process.env['ROSTER_TEST_SMALL_DISK'];
const smallDiskMiB = 64;
/** A mount of its own, which ends with the process, however it ends. As another user than root, in a user namespace. */
const ownMounts = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];

if (smallDisk === undefined) {
  const canMount = spawnSync('unshare', [...ownMounts, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  const skip = canMount ? false : 'needs Linux, and root or user namespaces, to mount a small disk';

  test('a full disk', { skip }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'roster-full-disk-'));
    t.after(() => rm(folder, { recursive: true }));
    const mounted = `mount -t tmpfs -o size=${smallDiskMiB}m none "$1" && shift && exec "$@"`;
    // A failed test leaves its store open, and that would keep the process.
    const run = [process.execPath, '--test-force-exit', '--test-reporter=tap', fileURLToPath(import.meta.url)];
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const ran = promisify(execFile)('unshare', [...ownMounts, 'sh', '-c', mounted, 'sh', folder, ...run], {
      env: { ...env, ROSTER_TEST_SMALL_DISK: folder },
    });
    await ran.catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  });
} else {
  suite('a full disk', () => {
    // Each amount makes another file the first one that cannot grow: the log, its index, or the database.
    for (const freeKiB of [0, 4, 20, 100, 700, 20_000]) {
      test(`with ${freeKiB} KiB left refuses writes, answers reads, and recovers when there is room`, async (t) => {
        const folder = join(smallDisk, `free-${freeKiB}`);
        await mkdir(folder);
        t.after(() => rm(folder, { recursive: true }));
        let fatal: Error | undefined;
        const settings = {
          folder,
          readers: 1,
          onFatal(error: Error) {
            fatal ??= error;
          },
        };
        const store = await openSqliteStore(settings);
        const bot = botIn(store, (await addTenant(store)).bot.id);
        const first = await bot.create({ name: 'Jane First' });
        const answered: string[] = [first.id];
        const ballast = join(folder, 'ballast');
        await fillDisk(ballast, freeKiB);

        let refusal: unknown;
        while (refusal === undefined) {
          const items = Array.from({ length: 50 }, () => sampleFields({ name: 'x'.repeat(2000) }));
          await store.upsertContacts(bot.botId, items, sampleNowMs).then(
            (outcome) => answered.push(...(outcome.kind === 'upserted' ? outcome.ids : [])),
            (error: unknown) => {
              refusal = error;
            },
          );
        }
        assert.ok(refusal instanceof StoreUnavailableError, `not a StoreUnavailableError: ${refusal}`);
        assert.match(refusal.message, /full/);

        const idsOf = (contacts: Contact[]) => contacts.map(({ id }) => id);
        assert.deepEqual(await store.findContact(bot.botId, first.id), first);
        assert.equal((await bot.search('jane first')).total, 1);
        assert.deepEqual(idsOf(await bot.exportAll()), answered);
        await rm(ballast);
        answered.push((await bot.create({ name: 'Jane Last' })).id);
        assert.deepEqual(idsOf(await bot.exportAll()), answered);
        await store.close();
        assert.equal(fatal, undefined);

        const db = new DatabaseSync(join(folder, 'roster.db'), { readOnly: true });
        assert.deepEqual({ ...db.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
        db.close();
      });
    }
  });
}

/** Leaves so much of the disk, to the page. */
async function fillDisk(path: string, freeKiB: number): Promise<void> {
  const { bavail, bsize } = await statfs(join(path, '..'));
  const bytes = bavail * bsize - freeKiB * 1024;
  if (bytes > 0) await writeFile(path, Buffer.alloc(bytes));
}
