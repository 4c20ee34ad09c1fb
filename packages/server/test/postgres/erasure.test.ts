// What is deleted is gone from all tables, and so from a dump. What PostgreSQL keeps in its own files is its own matter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { addBot, postgresUnderLoad } from '../conformance/engine.ts';
import { addMarked, eraseSome, marksIn } from '../marked-contacts.ts';
import { sampleContext } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

const contactCount = 600;

/** Every row of every table, as `pg_dump` would read it. */
async function dump(url: string): Promise<string> {
  const tables = await query(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  const texts = tables.map(({ name }) =>
    query(url, `SELECT string_agg("row"::text, chr(10)) AS text FROM "${name}" "row"`),
  );
  return (await Promise.all(texts)).map(([{ text }]) => text).join('\n');
}

test('after the next purge no table holds what a contact had that was deleted or changed', async (t) => {
  const { url, drop } = await createDatabase('plain');
  const store = await openPostgresStore({ url, ...postgresUnderLoad });
  t.after(async () => {
    await store.close();
    await drop();
  });
  const bot = await addBot({ store });
  const made = await addMarked(bot, contactCount);
  const all = Array.from({ length: contactCount }, (_, number) => number);
  assert.equal(marksIn(await dump(url), all).length, 2 * contactCount);
  const gone = await eraseSome(bot, contactCount, made);
  while (await store.purge(500, 0, sampleContext()));
  const dumped = await dump(url);
  assert.deepEqual(marksIn(dumped, gone), []);
  assert.equal(marksIn(dumped, all).length, 2 * (contactCount - gone.length));
});
