// The databases of the tests are what the tests take them for.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { addBot, postgresUnderLoad } from '../conformance/engine.ts';
import { until } from '../process/waiting.ts';
import { createDatabase, type DatabaseKind, type DatabaseOptions, query } from './databases.ts';

suite('a database of the tests', () => {
  test('that stands in for a sharded one has every table of a bot in partitions by it', async (t) => {
    const url = await makeDatabase(t, 'partitioned');
    const tables = await query(
      url,
      `SELECT c.relname AS name, pg_get_partkeydef(c.oid) AS key
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'bot_id'
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
    );
    assert.ok(tables.some(({ name }) => name === 'contacts'));
    for (const { name, key } of tables) assert.equal(key, 'HASH (bot_id)', name);
  });

  test('that stands in for a sharded one does not sort by bytes', async (t) => {
    const sorted = (url: string) => query(url, "SELECT word FROM (VALUES ('a'), ('B')) AS words (word) ORDER BY word");
    assert.deepEqual(await sorted(await makeDatabase(t, 'plain')), [{ word: 'B' }, { word: 'a' }]);
    assert.deepEqual(await sorted(await makeDatabase(t, 'partitioned')), [{ word: 'a' }, { word: 'B' }]);
  });

  for (const kind of ['plain', 'partitioned'] as const) {
    // In one table every search with a trigram goes by the index; in partitions it is for the planner to choose.
    test(`that passes for large is searched by the index: ${kind}`, async (t) => {
      for (const passesForLarge of [false, true]) {
        const url = await makeDatabase(t, kind, { passesForLarge });
        const store = await openPostgresStore({ url, ...postgresUnderLoad });
        const bot = await addBot({ store });
        const contact = await bot.create({ name: 'Jane' });
        assert.deepEqual((await bot.search('jane')).contacts, [contact]);
        await store.close();
        // What a connection counted is there for others when it has ended, which the store does not wait for.
        const connected = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
        await until('the connections of the store to end', async () => (await query(url, connected)).length === 0);
        const [{ scans }] = await query(
          url,
          "SELECT sum(idx_scan)::int AS scans FROM pg_stat_user_indexes WHERE indexrelname ~ '^contacts.*_search'",
        );
        assert.equal(scans, passesForLarge || kind === 'plain' ? 1 : 0);
      }
    });
  }
});

async function makeDatabase(t: TestContext, kind: DatabaseKind, options?: DatabaseOptions): Promise<string> {
  const { url, drop } = await createDatabase(kind, options);
  t.after(drop);
  return url;
}
