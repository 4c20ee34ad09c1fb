// The migrations of an engine: numbered SQL files, of the sources or of the release.
import { folderOnDisk, releaseFolder } from '../program/release-files.ts';

export interface MigrationFile {
  name: string;
  sql: string;
}

const folders = {
  sqlite: new URL('./sqlite/migrations/', import.meta.url),
  postgres: new URL('./postgres/migrations/', import.meta.url),
};

/** In the order of their numbers. `folder` stands in for the engine's own. */
export function readMigrations(engine: keyof typeof folders, folder?: URL): MigrationFile[] {
  const released = folder === undefined ? releaseFolder(`migrations/${engine}`) : undefined;
  const files = released ?? folderOnDisk(folder ?? folders[engine]);
  return files
    .names()
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({ name, sql: files.read(name).toString() }));
}
