// Behind a pooler that gives each transaction another connection (PgBouncer with pool_mode = transaction), which
// DATABASE_URL tells: nothing is left on a connection that the next transaction would need or suffer from.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { addBot, postgresUnderLoad } from '../conformance/engine.ts';
import { createDatabase, query } from './databases.ts';

/** What each insert of a contact sees of its connection. */
async function seenBy(t: TestContext, parameter: string) {
  const { url, drop } = await createDatabase('plain');
  const name = new URL(url).pathname.slice(1);
  await query(
    url,
    `ALTER DATABASE ${name} SET statement_timeout = '77s';
    CREATE TABLE seen (timeout text, prepared int);
    CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO seen SELECT current_setting('statement_timeout'), (SELECT count(*) FROM pg_prepared_statements);
      RETURN NULL; END $$;
    CREATE TRIGGER look AFTER INSERT ON contacts FOR EACH STATEMENT EXECUTE FUNCTION look()`,
  );
  const store = await openPostgresStore({ url: `${url}${parameter}`, ...postgresUnderLoad });
  t.after(async () => {
    await store.close();
    await drop();
  });
  const { create, search } = await addBot({ store });
  const contacts = [await create(), await create(), await create()];
  assert.deepEqual(await search(''), { contacts: contacts.toReversed(), total: 3 });
  return query(url, 'SELECT DISTINCT timeout, prepared > 0 AS "isPrepared" FROM seen');
}

suite('a pooler by transaction', () => {
  test('finds no prepared statements and no settings on a connection', async (t) => {
    assert.deepEqual(await seenBy(t, '?pool_mode=transaction'), [{ timeout: '77s', isPrepared: false }]);
  });

  test('is not assumed', async (t) => {
    const timeout = `${postgresUnderLoad.patienceMs / 60_000}min`;
    assert.deepEqual(await seenBy(t, ''), [{ timeout, isPrepared: true }]);
  });
});
