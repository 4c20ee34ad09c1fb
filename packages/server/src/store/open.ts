// Opens the engine that the settings ask for. The only place, besides tests and tools, that names one.
import { type Migration, migratePostgres } from './postgres/migrate.ts';
import { openPostgresStore } from './postgres/postgres-store.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

export interface StoreSettings {
  dataDir: string;
  /** PostgreSQL instead of SQLite. */
  database: { url: string; connections: number; isMigrating: boolean } | undefined;
  /** The store must not go on: end the process, and a restart will recover. */
  onFatal(error: Error): void;
}

export function openStore({ dataDir, database, onFatal }: StoreSettings): Promise<Store> {
  return database === undefined ? openSqliteStore({ folder: dataDir, onFatal }) : openPostgresStore(database);
}

/** Brings the schema up to date without starting to serve. Undefined for SQLite, whose opening does it. */
export async function migrateStore(settings: StoreSettings): Promise<Migration | undefined> {
  if (settings.database !== undefined) return migratePostgres(settings.database.url);
  await (await openStore(settings)).close();
  return undefined;
}
