// The engine under the HTTP tests: SQLite, or the one that ROSTER_TEST_ENGINE names.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { type OpenedStore, sqliteUnderLoad } from './conformance/engine.ts';

type OpenStore = () => Promise<Pick<OpenedStore, 'store' | 'close'>>;

/** What each opens is new and empty. */
const engines: Record<string, OpenStore> = {
  sqlite: openSqlite,
  postgres: openPostgres,
};

export const engineVariable = 'ROSTER_TEST_ENGINE';

export const openChosenStore: OpenStore = () => {
  const name = process.env[engineVariable] ?? 'sqlite';
  const open = engines[name];
  if (open === undefined) {
    throw new Error(`${engineVariable} is ${name}; the engines are ${Object.keys(engines).join(', ')}.`);
  }
  return open();
};

async function openSqlite() {
  const folder = await mkdtemp(join(tmpdir(), 'roster-test-'));
  const store = await openSqliteStore({
    folder,
    ...sqliteUnderLoad,
    // As few as a server has: a thread takes longer to start than most tests.
    readers: 2,
    onFatal(error) {
      throw error;
    },
  });
  return {
    store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openPostgres() {
  // Tests on SQLite do without its driver.
  const { postgresEngine } = await import('./postgres/engine.ts');
  return postgresEngine('plain').open();
}
