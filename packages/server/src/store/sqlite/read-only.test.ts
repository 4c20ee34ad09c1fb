// A database that this user cannot write is refused at the start, in one line that says what to do.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { StoreOpenError } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** As root, whom permissions do not bind, in the name of another user: opening a store first looks at its files. */
function asOther<Value>(work: () => Value): Value {
  if (!isRoot) return work();
  process.seteuid?.(nobody);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

const open = (folder: string) => openSqliteStore({ folder, readers: 1, onFatal: assert.fail });

/** A closed database in a folder that any user may write. */
async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-read-only-'));
  t.after(() => rm(folder, { recursive: true }));
  await (await open(folder)).close();
  await chmod(folder, 0o777);
  for (const name of ['roster.db', 'roster.lock']) await chmod(join(folder, name), 0o666);
  return folder;
}

suite('a start is refused in one line that names what this user cannot write,', {
  skip: process.platform === 'win32',
}, () => {
  for (const name of ['roster.db', 'roster.db-wal', 'roster.db-shm']) {
    for (const mode of [0o444, 0o000]) {
      test(`${name} with mode ${mode.toString(8)}`, async (t) => {
        const folder = await makeFolder(t);
        const file = join(folder, name);
        if (name !== 'roster.db') await writeFile(file, '');
        await chmod(file, mode);
        await assert.rejects(() => asOther(() => open(folder)), {
          name: StoreOpenError.name,
          message: `Cannot open ${join(folder, 'roster.db')}: EACCES: permission denied, open '${file}'. Start Roster as the user who owns the file, or give this user write access.`,
        });
      });
    }
  }

  for (const name of ['.', 'roster.lock']) {
    test(name === '.' ? 'the data folder' : name, async (t) => {
      const folder = await makeFolder(t);
      await chmod(join(folder, name), name === '.' ? 0o555 : 0o444);
      const line = await asOther(() => open(folder)).then(
        () => undefined,
        (error: Error) => error,
      );
      assert.ok(line instanceof StoreOpenError, String(line));
      assert.match(
        line.message,
        /^Cannot write to the data folder [^\n]+ Give this user write access, or set ROSTER_DATA_DIR to another folder\.$/,
      );
    });
  }
});
