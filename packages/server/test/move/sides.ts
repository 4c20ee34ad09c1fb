// The two sides of a move in tests: a folder and a database of their own, gone with the test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { MoveWatch } from '../../src/store/move.ts';
import { type MoveDirection, moveStore } from '../../src/store/open.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { postgresUnderLoad, sqliteUnderLoad } from '../conformance/engine.ts';
import { createDatabase, type DatabaseKind } from '../postgres/databases.ts';

export const unwatched: MoveWatch = {
  signal: new AbortController().signal,
  begin() {},
  advance() {},
};

export async function makeSides(t: Pick<TestContext, 'after'>, kind: DatabaseKind = 'plain') {
  const home = await mkdtemp(join(tmpdir(), 'roster-move-'));
  const { url, drop } = await createDatabase(kind);
  const opened: Store[] = [];
  t.after(async () => {
    for (const store of opened) await store.close();
    await drop();
    await rm(home, { recursive: true });
  });
  const kept = async <Kept extends Store>(store: Promise<Kept>): Promise<Kept> => {
    opened.push(await store);
    return store;
  };
  const folderOf = (name: string) => join(home, name);
  const moveOnce = (direction: MoveDirection, name: string, watch: Partial<MoveWatch> = {}, indexThreshold?: number) =>
    moveStore(
      direction,
      {
        dataDir: folderOf(name),
        database: { url, isMigrating: true },
        ...(indexThreshold !== undefined && { indexThreshold }),
      },
      { ...unwatched, ...watch },
    );
  return {
    url,
    folderOf,
    /** Folders are known by a name. */
    openSqlite: (name: string, indexThreshold?: number) =>
      kept(
        openSqliteStore({
          folder: folderOf(name),
          ...sqliteUnderLoad,
          readers: 1,
          ...(indexThreshold !== undefined && { indexThreshold }),
          onFatal(error) {
            throw error;
          },
        }),
      ),
    openPostgres: () => kept(openPostgresStore({ url, ...postgresUnderLoad })),
    /** Refused while a server uses the database. */
    moveOnce,
    /** When no server uses the database: a connection that was closed, but takes seconds to end, passes for one. */
    async move(...move: Parameters<typeof moveOnce>) {
      for (let tries = 1; ; tries++) {
        const moved = await moveOnce(...move).catch((error: Error) => {
          if (tries === 10 || !/^Servers are using/.test(error.message)) throw error;
        });
        if (moved !== undefined) return moved;
      }
    },
  };
}
