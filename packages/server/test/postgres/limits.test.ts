// What the service does when the database is too slow or held up: it refuses with 503 in time, and recovers by itself.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import type { FirstRun } from '../../src/process/first-run.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { postgresUnderLoad } from '../conformance/engine.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { callFirstBot } from '../process/server-process.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { until } from '../process/waiting.ts';
import { sampleBot, sampleContext } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

/** A call that is not answered within this hangs. The engine's own limits end well before. */
const hangsAfterMs = 300_000;

let made = 0;
const newContact = () => ({ name: 'Jane', email: `jane${++made}@example.com` });

// Side by side: they mostly wait.
suite('limits of the database', { concurrency: 4 }, () => {
  test('a lock on the contacts: all that needs them is refused in time, and works when it is gone', async (t) => {
    const { url, connect, call, contactId } = await start(t);
    const locker = await connect();
    await locker.query('BEGIN; LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE');
    const calls = [
      ...Array.from({ length: 10 }, () => () => call('GET', `contacts/${contactId}`)),
      () => call('PUT', 'contacts', newContact()),
      () => call('PATCH', 'contacts', { data: [newContact()] }),
      () => call('PATCH', `contacts/${contactId}`, { name: 'Renamed' }),
      () => call('POST', 'contacts?query=jane'),
      () => call('GET', 'export'),
      () => call('POST', 'auth/contact', { id: contactId }),
    ];
    const refused = Promise.all(calls.map((ask) => ask()));
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    for (const { status, retryAfter, text } of await refused) {
      assert.equal(status, 503, text);
      assert.match(retryAfter, /^\d+$/);
    }
    await locker.query('ROLLBACK');
    const answered = await Promise.all(calls.map((ask) => unlessBusy(ask)));
    for (const { status, text } of answered) assert.ok(status === 200 || status === 201, text);
  });

  test('a statement that takes too long: 503, and nothing is written', async (t) => {
    const { databaseUrl, call } = await start(t);
    await query(
      databaseUrl,
      `CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';
      CREATE TRIGGER slowly BEFORE INSERT ON contacts FOR EACH ROW EXECUTE FUNCTION slowly()`,
    );
    const contact = newContact();
    const { status, text } = await call('PUT', 'contacts', contact);
    assert.equal(status, 503, text);
    await query(databaseUrl, 'DROP TRIGGER slowly ON contacts');
    assert.equal((await unlessBusy(() => call('PUT', 'contacts', contact))).status, 201);
  });

  test('bots that are held up, more than there are connections: 503 for them, and all work afterwards', async (t) => {
    const { connect, callBot, botIds, contactId, call } = await start(t, { ROSTER_DATABASE_CONNECTIONS: '3' });
    const locker = await connect();
    await locker.query('BEGIN; SELECT FROM bot_states FOR UPDATE');
    const creates = botIds.map((botId) => () => callBot(botId, 'PUT', 'contacts', newContact()));
    const readMeanwhile = async () => {
      const refused = Promise.all(creates.map((create) => create()));
      const read = await call('GET', `contacts/${contactId}`);
      for (const { status, text } of await refused) assert.equal(status, 503, text);
      return read;
    };
    assert.equal((await unlessBusy(readMeanwhile)).status, 200, 'reads go on');
    await locker.query('ROLLBACK');
    const answered = await Promise.all(creates.map((create) => unlessBusy(create)));
    for (const { status, text } of answered) assert.equal(status, 201, text);
  });

  test('searches that take long hold up nothing else; those beyond the connections are refused', async (t) => {
    const { url, databaseUrl, call, contactId } = await start(t);
    await slowSearches(databaseUrl);
    // Whoever answers this has noticed that its connections are closed.
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const statuses: number[] = [];
    const searches = Array.from({ length: 12 }, async () => {
      const { status } = await call('POST', 'contacts?query=jane');
      statuses.push(status);
    });
    const running = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    await until('searches to be in flight', async () => (await query(databaseUrl, running)).length >= 3);
    for (let round = 0; round < 5; round++) {
      assert.equal((await unlessBusy(() => call('GET', `contacts/${contactId}`))).status, 200);
      assert.equal((await unlessBusy(() => call('PUT', 'contacts', newContact()))).status, 201);
      assert.equal((await unlessBusy(() => fetch(`${url}/readyz`))).status, 200);
    }
    await until('searches to be refused', () => statuses.length === 9);
    assert.deepEqual(new Set(statuses), new Set([503]));
    await query(databaseUrl, 'DELETE FROM slow.down');
    await Promise.all(searches);
    assert.deepEqual(statuses.slice(9), [200, 200, 200]);
    assert.equal((await unlessBusy(() => call('POST', 'contacts?query=jane'))).status, 200);
  });
});

async function start(t: TestContext, settings: Record<string, string> = {}) {
  const home = await makeHomeHere(t);
  const { url: databaseUrl, drop } = await createDatabase('plain');
  const outsiders: Client[] = [];
  t.after(async () => {
    for (const client of outsiders) await client.end();
    await drop();
  });
  /** Somebody outside of Roster. */
  const connect = async () => {
    const client = new Client(databaseUrl);
    outsiders.push(client);
    await client.connect();
    return client;
  };
  const { url, firstRun } = await home.startFirst({ DATABASE_URL: databaseUrl, ...settings });
  const botIds = [firstRun.botId, ...(await addBots(databaseUrl, firstRun, 5))];
  const callBot = async (botId: string, method: string, path: string, body?: unknown) => {
    const answered = callFirstBot(url, { ...firstRun, botId }, method, path, body);
    const reply = await Promise.race([answered, hang(t)]);
    const text = await reply.text();
    return { status: reply.status, retryAfter: reply.headers.get('retry-after') ?? '', text };
  };
  const call = (method: string, path: string, body?: unknown) => callBot(firstRun.botId, method, path, body);
  const { data } = JSON.parse((await unlessBusy(() => call('PUT', 'contacts', newContact()))).text);
  return { url, databaseUrl, connect, callBot, call, botIds, contactId: data.id as string };
}

function hang(t: TestContext): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('a call hangs')), hangsAfterMs);
  t.after(() => clearTimeout(timer));
  timer.unref();
  return promise;
}

async function addBots(databaseUrl: string, { organizationId }: FirstRun, count: number): Promise<string[]> {
  const store = await openPostgresStore({ url: databaseUrl, ...postgresUnderLoad });
  const bots = Array.from({ length: count }, () => sampleBot(organizationId));
  for (const bot of bots) await store.createBot(bot, undefined, sampleContext());
  await store.close();
  return bots.map(({ id }) => id);
}

/** What searches compare texts with is replaced by something that waits until the table `slow.down` is empty. */
async function slowSearches(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `CREATE SCHEMA slow;
    CREATE TABLE slow.down AS SELECT true AS is_so;
    CREATE FUNCTION slow.is_like(text, text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      WHILE EXISTS (SELECT FROM slow.down) LOOP PERFORM pg_sleep(0.05); END LOOP;
      RETURN pg_catalog.textlike($1, $2);
    END $$;
    CREATE OPERATOR slow.~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = slow.is_like);
    ALTER DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET search_path = slow, pg_catalog, public`,
  );
  // Connections that know the old way are closed; the service makes new ones.
  await query(
    databaseUrl,
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}
