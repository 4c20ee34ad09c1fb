// SQLite for the benchmark: a folder for each server. A copy of a data set is a copy of its database file.
import { constants, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseName } from '../packages/server/src/store/sqlite/database.ts';
import type { Engine, Storage } from './engine.ts';
import { end, forkBare, requestFrom } from './processes.ts';

/** Rows per message to the bare script: few enough that the progress bar moves. */
const bareRows = 5000;

export function openSqliteEngine(home: string): Engine {
  removeLeftovers(home);
  const runFolder = join(home, `run-${process.pid}`);
  const bareFile = (contacts: number) => join(home, `bare-${contacts}.db`);
  return {
    kind: 'sqlite',
    version: `SQLite ${process.versions['sqlite']}`,
    async make(name) {
      rmSync(join(home, name), { recursive: true, force: true });
      return storageIn(join(home, name));
    },
    async finish() {},
    async copy(name) {
      const folder = join(runFolder, name);
      mkdirSync(folder, { recursive: true });
      // A server that has stopped leaves a single file, unless it ran out of time to checkpoint its WAL.
      for (const file of [databaseName, `${databaseName}-wal`]) {
        const from = join(home, name, file);
        if (existsSync(from)) cpSync(from, join(folder, file), { mode: constants.COPYFILE_FICLONE });
      }
      return storageIn(folder);
    },
    makeTemporary: async (name) => storageIn(join(runFolder, name)),
    async fillBareSearch(contacts, bar) {
      const file = bareFile(contacts);
      if (existsSync(file)) return;
      const unfinished = `${file}.unfinished`;
      rmSync(unfinished, { force: true });
      const script = forkBare('search-sqlite', [unfinished]);
      bar.begin(`bare ${contacts}`, contacts);
      for (let from = 0; from < contacts; from += bareRows) {
        const count = Math.min(bareRows, contacts - from);
        await requestFrom(script, { kind: 'fill', from, count });
        bar.advance(count);
      }
      await requestFrom(script, { kind: 'finish', file });
      await end(script);
      bar.end();
    },
    startBareSearch: async ({ contacts }) => forkBare('search-sqlite', [bareFile(contacts)]),
    async startBareUpserts() {
      const { folder } = storageIn(join(runFolder, 'bare'));
      return forkBare('upserts-sqlite', [join(folder, databaseName)]);
    },
    async close() {
      rmSync(runFolder, { recursive: true, force: true });
    },
  };
}

function storageIn(folder: string): Storage {
  mkdirSync(folder, { recursive: true });
  return {
    folder,
    env: { ROSTER_DATA_DIR: folder },
    async bytes() {
      return readdirSync(folder)
        .map((name) => statSync(join(folder, name)).size)
        .reduce((sum, bytes) => sum + bytes, 0);
    },
    isQuiet: async () => true,
  };
}

/** Removes the copies that killed runs left behind. */
function removeLeftovers(home: string): void {
  mkdirSync(home, { recursive: true });
  for (const name of readdirSync(home)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(home, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
