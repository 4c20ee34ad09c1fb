// The PostgreSQL engine: the promises of every store, on plain tables and on tables partitioned by bot.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { dumpPostgresSchema, postgresSchemaPath } from '../../../../../scripts/dump-schema.ts';
import { postgresEngine } from '../../../test/postgres/engine.ts';
import { testStore } from '../../../test/store-conformance.ts';

testStore(postgresEngine('plain'));
testStore(postgresEngine('partitioned'));

test('a migrated PostgreSQL database has the schema of schema.sql', async () => {
  const wanted = await readFile(postgresSchemaPath, 'utf8');
  assert.equal(await dumpPostgresSchema(), wanted, 'run: npm run dump-schema');
});
