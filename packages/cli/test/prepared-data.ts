// Data folders for tests to start from. The product makes each of them once, and they are kept in memory: a copy takes a
// hundredth of the time of opening a database.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { loadConfig, migrate } from '@roster/server/operator';
import type { FirstRun } from '../../server/src/process/first-run.ts';
import { startServing } from '../../server/src/process/serve.ts';
import { findFirstRun } from '../../server/test/process/server-process.ts';

export interface Copies {
  /** Makes the folder if it is not there. */
  copyTo(folder: string): Promise<void>;
}

/** Runs `make` in a new folder, and keeps what it leaves there. By then no process may have any of it open. */
export async function prepare(make: (folder: string) => Promise<void>): Promise<Copies> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-prepared-'));
  try {
    await make(folder);
    return await readCopies(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readCopies(folder: string): Promise<Copies> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = await Promise.all(
    found.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isDirectory() ? undefined : await readFile(path);
      return { path: relative(folder, path), content, mode: (await stat(path)).mode & 0o777 };
    }),
  );
  const folderMode = (await stat(folder)).mode & 0o777;
  return {
    async copyTo(target) {
      await mkdir(target, { recursive: true });
      await chmod(target, folderMode);
      // A folder is found before what is in it.
      for (const { path, content, mode } of entries) {
        const copy = join(target, path);
        if (content === undefined) await mkdir(copy);
        else await writeFile(copy, content);
        await chmod(copy, mode);
      }
    },
  };
}

let migration: Promise<Copies> | undefined;
let firstStart: ReturnType<typeof prepareFirstStart> | undefined;

/** A data folder whose database has the newest schema and holds nothing. */
export function afterMigration(): Promise<Copies> {
  migration ??= prepare(async (folder) => {
    await migrate(loadConfig({}, { ROSTER_DATA_DIR: folder }, folder));
  });
  return migration;
}

/** The data folder that a server leaves which has started once. */
export function afterFirstStart(): Promise<Copies & { firstRun: FirstRun }> {
  firstStart ??= prepareFirstStart();
  return firstStart;
}

async function prepareFirstStart(): Promise<Copies & { firstRun: FirstRun }> {
  let firstRun: FirstRun | undefined;
  const copies = await prepare(async (folder) => {
    const settings = { ROSTER_DATA_DIR: folder, ROSTER_PORT: '0', ROSTER_LOG_LEVEL: 'silent' };
    const { welcome = '', stop } = await startServing(loadConfig({}, settings, folder));
    await stop();
    firstRun = findFirstRun(welcome);
  });
  if (firstRun === undefined) throw new Error('a first start said nothing of what it created');
  return { ...copies, firstRun };
}
