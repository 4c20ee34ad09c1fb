// The PostgreSQL engine on plain tables: the promises of every store, and its schema. For partitioned tables there is
// partitioned-store.test.ts. Each takes some 20 CPU-seconds, and as much in the server: tens of thousands of statements.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { dumpPostgresSchema, postgresSchemaPath } from '../../../../../scripts/dump-schema.ts';
import { postgresUnderLoad } from '../../../test/conformance/engine.ts';
import { createDatabase, createEmptyDatabase, query } from '../../../test/postgres/databases.ts';
import { postgresEngine } from '../../../test/postgres/engine.ts';
import { scansOf, testExportPages } from '../../../test/postgres/query-plans.ts';
import { sampleContext, sampleCounted } from '../../../test/sample.ts';
import { testStore } from '../../../test/store-conformance.ts';
import { statements } from './contacts/statements.ts';
import { openPostgresStore } from './postgres-store.ts';

testStore(postgresEngine('plain'));

test('a migrated PostgreSQL database has the schema of schema.sql', async () => {
  const wanted = await readFile(postgresSchemaPath, 'utf8');
  assert.equal(await dumpPostgresSchema(), wanted, 'run: npm run dump-schema');
});

test('a PostgreSQL database of the first schema is brought up to date with what it holds', async (t) => {
  const { url, drop } = await createEmptyDatabase();
  const first = await readFile(new URL('./migrations/0001-initial.sql', import.meta.url), 'utf8');
  await query(
    url,
    `CREATE TABLE installation (id smallint PRIMARY KEY CHECK (id = 1), schema_version integer NOT NULL,
       checked_at bigint NOT NULL);
     INSERT INTO installation VALUES (1, 1, 0); ${first};
     INSERT INTO organizations (id, name, created_at) VALUES ('org_old', 'Old', 1)`,
  );
  const store = await openPostgresStore({ url, ...postgresUnderLoad });
  t.after(async () => {
    await store.close();
    await drop();
  });
  assert.deepEqual(await store.findOrganization('org_old'), { id: 'org_old', name: 'Old', createdAtMs: 1 });
  assert.deepEqual(await store.reserveAttempt([sampleCounted('x')], sampleContext()), { kind: 'counted' });
});

testExportPages('plain');

for (const [name, parameters] of [
  ['updateContacts', 14],
  ['updateContactsWithValues', 19],
] as const) {
  test(`${name} finds each contact by its key, on a table without statistics too`, async (t) => {
    const { url, drop } = await createDatabase('plain');
    t.after(drop);
    const arrays = Array(parameters - 1).fill([]);
    const [row] = await query(url, `EXPLAIN (FORMAT JSON) ${statements[name].text}`, ['bot_x', ...arrays]);
    const [write, ...scans] = scansOf(row['QUERY PLAN'][0].Plan);
    assert.deepEqual([write?.['Conflict Arbiter Indexes'], scans], [['contacts_pkey'], []]);
  });
}
