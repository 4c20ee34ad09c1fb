// Several hosts in DATABASE_URL: the primary among them is found, and a standby is neither read from nor written to.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { LostConnectionError } from '../../src/store/postgres/driver-errors.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { addBot, postgresUnderLoad } from '../conformance/engine.ts';
import { until } from '../process/waiting.ts';
import { query } from './databases.ts';
import { type PostgresServer, startPostgres } from './server.ts';

suite('several hosts in DATABASE_URL', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;

  before(async () => {
    [primary, standby] = await Promise.all([startPostgres(), startPostgres()]);
    const password = new URL(standby.url('roster')).password;
    await query(primary.superuserUrl('postgres'), `ALTER ROLE roster PASSWORD '${password}'`);
    for (const server of [primary, standby])
      await query(server.superuserUrl('postgres'), 'CREATE DATABASE roster OWNER roster');
    await standby.kill('SIGINT');
    // It recovers for ever: there is no primary that it could follow.
    writeFileSync(join(standby.dataDir, 'standby.signal'), '');
    await standby.restart();
    const [state] = await query(standby.url('roster'), 'SELECT pg_is_in_recovery() AS is_standby');
    assert.equal(state.is_standby, true);
  });
  after(() => Promise.all([primary?.stop(), standby?.stop()]));

  /** `hosts` in the order of the address. */
  async function open(t: TestContext, ...hosts: { port: number }[]): Promise<Store> {
    const { username, password } = new URL(standby.url('roster'));
    const list = hosts.map(({ port }) => `127.0.0.1:${port}`).join();
    const url = `postgres://${username}:${password}@${list}/roster`;
    const store = await openPostgresStore({ url, ...postgresUnderLoad });
    t.after(() => store.close());
    return store;
  }

  /** Every kind of connection is used. */
  async function useAll(store: Store): Promise<void> {
    await store.ping();
    const { botId, create, search, exportAll } = await addBot({ store });
    const contact = await create();
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
    assert.deepEqual(await search(contact.name), { contacts: [contact], total: 1 });
    assert.deepEqual(await exportAll(), [contact]);
  }

  const connections = (server: PostgresServer) =>
    query(server.superuserUrl('roster'), "SELECT FROM pg_stat_activity WHERE application_name = 'roster'");

  /** The store is connected to the primary. A connection that was closed is listed for a moment longer. */
  async function untilStandbyIsAlone(): Promise<void> {
    assert.ok((await connections(primary)).length > 0);
    await until('the standby to be alone', async () => (await connections(standby)).length === 0);
  }

  test('the first is dead: the second is used', async (t) => {
    const store = await open(t, { port: 1 }, primary);
    await useAll(store);
  });

  for (const isFirst of [true, false]) {
    test(`a standby, named ${isFirst ? 'first' : 'last'}, is left alone`, async (t) => {
      const store = await open(t, ...(isFirst ? [standby, primary] : [primary, standby]));
      await useAll(store);
      await untilStandbyIsAlone();
    });
  }

  test('the primary restarts: it is found again, past the standby', async (t) => {
    const store = await open(t, standby, primary);
    await useAll(store);
    await primary.restart();
    // A ping is not retried, and the first may get a connection whose end is not yet known here.
    const isFound = () =>
      store.ping().then(
        () => true,
        (error) => {
          if (error instanceof LostConnectionError) return false;
          throw error;
        },
      );
    await until('the primary to be found again', isFound);
    await useAll(store);
    await untilStandbyIsAlone();
  });
});
