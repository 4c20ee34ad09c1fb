// The suite on a database that is already there deletes nothing that it did not make.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { addBot } from '../conformance/engine.ts';
import { sampleOrganization } from '../sample.ts';
import { createEmptyDatabase, query } from './databases.ts';
import { claimDatabase, givenDatabaseEngine } from './given-database.ts';

suite('the storage suite on a database that is already there', () => {
  test('makes the schema, and begins each store with empty tables', async (t) => {
    const url = await makeDatabase(t);
    await claimDatabase(url);
    const engine = givenDatabaseEngine(url);
    const first = await engine.open();
    await (await addBot(first)).create();
    await first.close();
    await claimDatabase(url);
    const second = await engine.open();
    assert.deepEqual(await second.store.listOrganizations(), []);
    await second.close();
    assert.deepEqual(await query(url, 'SELECT FROM contacts'), []);
  });

  test('is refused when the database is in use', async (t) => {
    const url = await makeDatabase(t);
    await claimDatabase(url);
    await query(url, 'DROP TABLE roster_test_database');
    const { id, name } = sampleOrganization();
    await query(url, 'INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, 0)', [id, name]);
    await assert.rejects(claimDatabase(url), /holds organizations, and these tests delete everything/);
    assert.equal((await query(url, 'SELECT FROM organizations')).length, 1);
  });
});

async function makeDatabase(t: TestContext): Promise<string> {
  const { url, drop } = await createEmptyDatabase();
  t.after(drop);
  return url;
}
