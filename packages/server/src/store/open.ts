// Opens the engine that the settings ask for. The only place, besides tests and tools, that names one. What PostgreSQL needs is
// loaded only for it.
import { join } from 'node:path';
import type { Archive, NewArchive } from './archive.ts';
import type { Finding } from './finding.ts';
import { type MovedTable, type MoveWatch, move } from './move.ts';
import type { DiagnosedDatabase } from './postgres/doctor.ts';
import type { Migration } from './postgres/migrate.ts';
import { fillSqlite, readSqlite } from './sqlite/archive.ts';
import { databaseName } from './sqlite/database.ts';
import type { DatabaseWatch } from './sqlite/database-state.ts';
import { diagnoseSqlite } from './sqlite/doctor.ts';
import { inspectFile } from './sqlite/inspection.ts';
import { defaultSettings } from './sqlite/settings.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import { type Store, StoreOpenError } from './store.ts';

export interface StoreSettings {
  dataDir: string;
  /** PostgreSQL instead of SQLite. */
  database: { url: string; connections: number; isMigrating: boolean } | undefined;
  /** How long to wait for a data folder that another process has. Left out: not at all. */
  waitMs?: number;
  /** Threads that search an SQLite database. Left out: as many as a server has. */
  readers?: number;
  /** The store must not go on: end the process, and a restart will recover. */
  onFatal(error: Error): void;
  /** For a server with an SQLite database. */
  watch?: DatabaseWatch;
}

export async function openStore(settings: StoreSettings): Promise<Store> {
  const { dataDir, database, readers = defaultSettings.readers, ...others } = settings;
  if (database === undefined) return openSqliteStore({ folder: dataDir, readers, ...others });
  const { openPostgresStore } = await import('./postgres/postgres-store.ts');
  return openPostgresStore(database);
}

/** The SQLite database of a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, databaseName);
}

export { isFolderTaken } from './sqlite/database.ts';

/** Puts a backup in the place of an SQLite database. */
export { restoreSqlite as restoreStore } from './sqlite/restore.ts';

/** Whether a file can be one that `restoreStore` takes: by its header alone. */
export function isBackupFile(file: string): boolean {
  try {
    return inspectFile(file) > 0;
  } catch (error) {
    if (error instanceof StoreOpenError) return false;
    throw error;
  }
}

/** Looks at the storage that the settings ask for, and changes nothing. */
export async function diagnoseStore(dataDir: string, database: DiagnosedDatabase | undefined): Promise<Finding[]> {
  if (database === undefined) return diagnoseSqlite(dataDir);
  const { diagnosePostgres } = await import('./postgres/doctor.ts');
  return diagnosePostgres(database);
}

/** Brings the schema up to date without starting to serve. Undefined for SQLite, whose opening does it. */
export async function migrateStore(settings: StoreSettings): Promise<Migration | undefined> {
  if (settings.database === undefined) {
    await (await openStore({ ...settings, readers: 1 })).close();
    return undefined;
  }
  const { migratePostgres } = await import('./postgres/migrate.ts');
  return migratePostgres(settings.database.url);
}

export type MoveDirection = 'to-postgres' | 'to-sqlite';

export interface MoveSettings {
  dataDir: string;
  database: { url: string; isMigrating: boolean };
  /** For tests. */
  indexThreshold?: number;
}

/** Moves all data from one engine to the other, or nothing. */
export async function moveStore(
  direction: MoveDirection,
  { dataDir, database, indexThreshold = defaultSettings.indexThreshold }: MoveSettings,
  watch: MoveWatch,
): Promise<{ from: string; to: string; tables: MovedTable[] }> {
  const { fillPostgres, readPostgres } = await import('./postgres/archive.ts');
  const run = async (source: Archive, target: NewArchive) => ({
    from: source.title,
    to: target.title,
    tables: await move(source, target, watch),
  });
  return direction === 'to-postgres'
    ? readSqlite(dataDir, (source) => fillPostgres(database, (target) => run(source, target)))
    : readPostgres(database, (source) =>
        fillSqlite({ folder: dataDir, indexThreshold }, (target) => run(source, target)),
      );
}
