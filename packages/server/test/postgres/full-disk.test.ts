// PostgreSQL says that its disk is full: by a trigger, in the words and with the code of the database itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { DiskFullError } from '../../src/store/store.ts';
import { postgresUnderLoad } from '../conformance/engine.ts';
import { addTenant, callerOf, startServer } from '../harness.ts';
import { createDatabase, query } from './databases.ts';

test('a write for which PostgreSQL has no room is refused with what to do, and readiness says read-only', async (t) => {
  const { url, drop } = await createDatabase('plain');
  const store = await openPostgresStore({ url, ...postgresUnderLoad });
  t.after(async () => {
    await store.close();
    await drop();
  });
  const server = await startServer(t, { wrapStore: () => store });
  const tenant = await addTenant(store);
  const call = callerOf(server.url, tenant);
  assert.deepEqual((await call('GET', '/readyz')).json, { status: 'ready' });
  assert.equal(store.gauges()['store_read_only']?.(), 0);

  await query(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full';
    END $$; CREATE TRIGGER full_disk BEFORE INSERT ON contacts EXECUTE FUNCTION refuse()`,
  );
  const { status, json } = await call('PUT', 'contacts', { body: { name: 'Joe', email: 'joe@example.com' } });
  assert.deepEqual([status, json.code], [503, 'unavailable']);
  assert.match(json.detail, /^The server’s disk is full, so this change was not stored\. Free some space/);
  assert.equal((await call('GET', 'contacts')).status, 200);
  server.clock.nowMs += 1000;
  const ready = await call('GET', '/readyz');
  assert.deepEqual([ready.status, ready.json], [200, { status: 'ready', mode: 'read-only' }]);
  await assert.rejects(store.ping(), DiskFullError);
  assert.equal(store.gauges()['store_read_only']?.(), 1);
});
