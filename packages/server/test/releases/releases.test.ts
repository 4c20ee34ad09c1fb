// Data of earlier releases, opened by this version: everything that the release answered about it is still answered, after
// the upgrade of a data folder, of a PostgreSQL database, and of a backup that is restored. scripts/release-fixture.ts makes
// the fixture of a release; its files never change afterwards.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { restoreStore } from '../../src/store/open.ts';
import { migratePostgres, newestVersion } from '../../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { postgresUnderLoad, sqliteUnderLoad } from '../conformance/engine.ts';
import { startServer, type TestServer } from '../harness.ts';
import { createEmptyDatabase, query } from '../postgres/databases.ts';
import { type Access, type Everything, readEverything, signIn } from './everything.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const releases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

interface Fixture {
  readAt: string;
  access: Access;
  everything: Everything;
  /** Of PostgreSQL. */
  schemaVersion?: number;
}

for (const { name: version } of releases) {
  const file = (name: string) => join(folder, version, name);
  const fixtureOf = (engine: string) => JSON.parse(readFileSync(file(`${engine}.json`), 'utf8')) as Fixture;
  const unpack = (name: string) => gunzipSync(readFileSync(file(name)));

  suite(`data of ${version}`, () => {
    test('on SQLite is upgraded, and everything in it is as it was', async (t) => {
      const dataDir = makeFolder(t);
      writeFileSync(join(dataDir, 'roster.db'), unpack('sqlite.db.gz'), { mode: 0o600 });
      await assertSame(t, { dataDir }, fixtureOf('sqlite'));
    });

    test('on PostgreSQL is upgraded, and everything in it is as it was', async (t) => {
      const fixture = fixtureOf('postgres');
      const { schemaVersion = 0 } = fixture;
      assert.ok(schemaVersion > 0 && schemaVersion <= newestVersion);
      const { url, drop } = await createEmptyDatabase();
      const schema = await migratePostgres(url, { folder: firstMigrations(t, schemaVersion) });
      assert.equal(schema.to, schemaVersion);
      await query(url, unpack('postgres.sql.gz').toString());
      await assertSame(t, { dataDir: makeFolder(t), url }, fixture);
      t.after(drop);
    });

    test('in a backup is restored, and everything in it is as it was', async (t) => {
      const backup = join(makeFolder(t), 'backup.db');
      const dataDir = join(makeFolder(t), 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      writeFileSync(backup, unpack('sqlite.db.gz'), { mode: 0o600 });
      await restoreStore({ folder: dataDir, file: backup, force: false, nowMs: Date.now() });
      await assertSame(t, { dataDir }, fixtureOf('sqlite'));
    });
  });
}

test('there is a fixture of at least one release', () => assert.ok(releases.length > 0));

/** A server of this version, at the time at which the release answered. */
async function assertSame(
  t: TestContext,
  { dataDir, url: databaseUrl }: { dataDir: string; url?: string },
  { access, everything, readAt }: Fixture,
): Promise<void> {
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await (databaseUrl === undefined
    ? openSqliteStore({ folder: dataDir, ...sqliteUnderLoad, onFatal })
    : openPostgresStore({ url: databaseUrl, ...postgresUnderLoad, connections: 3 }));
  try {
    const clock = { nowMs: Date.parse(readAt) };
    // Requests are sent by `readEverything`, with the credentials of the fixture: the tests' own tenants are left out.
    const beside = { store, clock, mine: {}, theirs: {} } as TestServer;
    const { url } = await startServer(t, { beside });
    const found = await readEverything(url, access);
    assert.deepEqual(likeOf(found, everything), everything);
    assert.equal(await signIn(url, access.owner), 200);
    assert.equal(await signIn(url, { ...access.owner, password: 'not the password' }), 401);
  } finally {
    await store.close();
  }
}

function makeFolder(t: Pick<TestContext, 'after'>): string {
  const made = mkdtempSync(join(tmpdir(), 'roster-release-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The members that `expected` has: later versions may add others, and never remove one. */
function likeOf(found: unknown, expected: unknown): unknown {
  if (Array.isArray(found) && Array.isArray(expected)) return found.map((item, at) => likeOf(item, expected[at]));
  if (typeof expected !== 'object' || expected === null || typeof found !== 'object' || found === null) return found;
  const entries = Object.keys(expected).map((key) => [key, (found as never)[key], (expected as never)[key]] as const);
  return Object.fromEntries(entries.map(([key, one, other]) => [key, likeOf(one, other)]));
}

/** The schema as the release had it: a merged migration never changes. */
function firstMigrations(t: Pick<TestContext, 'after'>, count: number): URL {
  const source = fileURLToPath(new URL('../../src/store/postgres/migrations/', import.meta.url));
  const target = makeFolder(t);
  for (const name of readdirSync(source).toSorted().slice(0, count))
    copyFileSync(join(source, name), join(target, name));
  return pathToFileURL(`${target}/`);
}
