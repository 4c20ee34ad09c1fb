// Opens the engine that the settings ask for. The only place, besides tests, that names one.
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

export interface StoreSettings {
  dataDir: string;
  /** The store must not go on: end the process, and a restart will recover. */
  onFatal(error: Error): void;
}

export function openStore({ dataDir, onFatal }: StoreSettings): Promise<Store> {
  return openSqliteStore({ folder: dataDir, onFatal });
}
