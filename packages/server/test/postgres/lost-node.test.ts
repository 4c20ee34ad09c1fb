// The loss of a node behind the database, as a sharded database reports it: an error over a connection that lives. The
// write is tried again on the same connection, is done once, and is answered as done.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { addWebhook } from '../conformance/webhooks.ts';
import { addTenant, callerOf, codeOf, startServer } from '../harness.ts';
import { sampleAuditEntry, sampleContext, sampleFields, sampleToken } from '../sample.ts';
import { prepareBreakingStore } from './breaking-store.ts';
import { query } from './databases.ts';

const losses = {
  'a connection that failed': { code: '08006', message: 'connection to the remote node roster@worker-1:5432 failed' },
  'a result that did not come': { code: 'XX000', message: 'SSL SYSCALL error: EOF detected' },
} as const;

const atCommit = {
  severity: 'ERROR',
  code: 'XX000',
  message: 'could not commit transaction for shard 102008 on at least one active node',
};

suite('a node of the database is lost', () => {
  const on = prepareBreakingStore();

  /** The next inserts of contacts fail so, as many as `times`. */
  async function failInserts(t: TestContext, times: number, loss: { code: string; message: string }): Promise<void> {
    await query(
      on.database.url,
      `CREATE SEQUENCE failures;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('failures') <= ${times} THEN RAISE EXCEPTION '${loss.message}' USING ERRCODE = '${loss.code}'; END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON contacts FOR EACH STATEMENT EXECUTE FUNCTION fail()`,
    );
    t.after(() => query(on.database.url, 'DROP FUNCTION fail CASCADE; DROP SEQUENCE failures'));
  }

  /** The server processes behind the connections of all stores. */
  async function findPids(): Promise<number[]> {
    const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'roster' AND datname = current_database()";
    return (await query(on.database.url, sql)).map(({ pid }) => pid);
  }

  for (const [what, loss] of Object.entries(losses)) {
    test(`${what}: the write is tried again on its connection, and the host is kept`, async (t) => {
      const { botId } = await on.addBot();
      // The second host is asked only by whoever leaves the first.
      let visits = 0;
      const second = createServer((socket) => {
        visits++;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(second, 'listening');
      const { port } = second.address() as AddressInfo;
      const { username, password, host, pathname } = new URL(on.database.url);
      const url = `postgres://${username}:${password}@${host},127.0.0.1:${port}${pathname}`;
      // Those of stores that were closed may be listed for a moment longer.
      const others = new Set(await findPids());
      const store = await openPostgresStore({ url, ...postgresUnderLoad, isMigrating: false });
      t.after(async () => {
        await store.close();
        second.close();
      });
      const { create, exportAll } = botIn(store, botId);
      const first = await create();
      const pids = (await findPids()).filter((pid) => !others.has(pid));
      assert.ok(pids.length > 0);
      await failInserts(t, 2, loss);
      const contact = await create();
      assert.deepEqual(await exportAll(), [first, contact]);
      await on.assertCounted(botId, 2);
      const left = new Set(await findPids());
      assert.deepEqual(
        pids.filter((pid) => !left.has(pid)),
        [],
        'connections were closed',
      );
      assert.equal(visits, 0, 'the host was left');
      assert.equal(store.gauges()['store_lost_node_errors_total']?.(), 2);
    });
  }

  test('its loss at COMMIT, which was carried out: a create is done once and answered with the contact', async () => {
    const { botId, exportAll } = await on.addBot();
    const lose = { at: 'COMMIT', when: 'after', error: atCommit } as const;
    const outcome = await on.breaking(lose, () => on.store.createContact(botId, sampleFields(), sampleContext()));
    assert.ok(outcome.kind === 'created', outcome.kind);
    assert.deepEqual(await exportAll(), [outcome.contact]);
    await on.assertCounted(botId, 1);
  });

  test('its loss at COMMIT, which was rolled back: a create is done once and answered with the contact', async (t) => {
    const { botId, exportAll } = await on.addBot();
    await query(
      on.database.url,
      `CREATE SEQUENCE failures;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('failures') = 1 THEN RAISE EXCEPTION '${atCommit.message}' USING ERRCODE = '${atCommit.code}'; END IF;
        RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON contacts DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail()`,
    );
    t.after(() => query(on.database.url, 'DROP FUNCTION fail CASCADE; DROP SEQUENCE failures'));
    const outcome = await on.store.createContact(botId, sampleFields(), sampleContext());
    assert.ok(outcome.kind === 'created', outcome.kind);
    assert.deepEqual(await exportAll(), [outcome.contact]);
    await on.assertCounted(botId, 1);
    const [{ tries }] = (await query(on.database.url, 'SELECT last_value::int AS tries FROM failures')) as [
      { tries: number },
    ];
    assert.equal(tries, 2);
  });

  test('its loss at COMMIT, which was carried out: a deletion and a token are answered as done', async () => {
    const { botId, create } = await on.addBot();
    const [kept, deleted] = [await create(), await create()];
    const lose = { at: 'COMMIT', when: 'after', error: atCommit } as const;
    assert.equal(await on.breaking(lose, () => on.store.deleteContact(botId, deleted.id, sampleContext())), true);
    const token = sampleToken();
    assert.equal(
      await on.breaking(lose, () => on.store.createContactToken(botId, kept.id, token, undefined, sampleContext())),
      true,
    );
    assert.equal((await on.other.findVisitor(botId, token.hash))?.id, kept.id);
    await on.assertCounted(botId, 1);
  });

  test('what concerns many bots leaves out those on it, and is there for the others', async (t) => {
    const { store, database } = on;
    const [lost, other] = [await on.addBot(), await on.addBot()];
    await other.create();
    for (const bot of [lost, other]) await addWebhook(bot);
    await query(
      database.url,
      `CREATE FUNCTION fail(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF $1 = '${lost.botId}' THEN RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006'; END IF;
        RETURN true; END $$;
      ALTER TABLE bot_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY fail ON bot_states USING (fail(bot_id));
      CREATE POLICY fail ON webhooks USING (fail(bot_id))`,
    );
    t.after(() =>
      query(
        database.url,
        `DROP FUNCTION fail(text) CASCADE;
        ALTER TABLE bot_states DISABLE ROW LEVEL SECURITY; ALTER TABLE webhooks DISABLE ROW LEVEL SECURITY`,
      ),
    );
    const botIds = [lost.botId, other.botId];
    const counts = new Map((await store.listBots()).map(({ id, contactCount }) => [id, contactCount]));
    assert.deepEqual(
      botIds.map((id) => counts.get(id)),
      [null, 1],
    );
    assert.deepEqual([...(await store.findFeeds(botIds)).keys()], [other.botId]);
    assert.deepEqual(
      (await store.listLeases(botIds)).map(({ botId }) => botId),
      [other.botId],
    );
    // Whoever follows the feed of one bot is to try again: it has not ended.
    await assert.rejects(store.findFeeds([lost.botId]), StoreUnavailableError);
  });

  test('who follows the feed of a bot on it is answered with 503, and goes on from the same position later', async (t) => {
    const { store, other, database } = on;
    const tenant = await addTenant(other);
    const { url } = await startServer(t, { wrapStore: () => store });
    const call = callerOf(url, tenant);
    const { next } = (await call('GET', 'events?after=now')).json;
    await query(
      database.url,
      `CREATE FUNCTION fail(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF $1 = '${tenant.bot.id}' THEN RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006'; END IF;
        RETURN true; END $$;
      ALTER TABLE bot_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY fail ON bot_states USING (fail(bot_id))`,
    );
    const isBack = () =>
      query(
        database.url,
        'DROP FUNCTION IF EXISTS fail(text) CASCADE; ALTER TABLE bot_states DISABLE ROW LEVEL SECURITY',
      );
    t.after(isBack);
    for (const wanted of [`after=${next}`, `after=${next}&wait=1`, 'after=now']) {
      const reply = await call('GET', `events?${wanted}`);
      assert.deepEqual(codeOf(reply), [503, 'unavailable'], reply.text);
      assert.ok(reply.headers.get('retry-after'));
    }
    await isBack();
    assert.deepEqual((await call('GET', `events?after=${next}`)).json, { data: [], next });
  });

  test('when it is gone without a word, what concerns many bots looks for the others for a second', async (t) => {
    const { store, database } = on;
    const lost: string[] = [];
    while (lost.length < 12) lost.push((await on.addBot()).botId);
    // Counts how often a bot on it was asked for. Each time the database would wait for longer than a second.
    await query(
      database.url,
      `CREATE SEQUENCE tries;
      CREATE FUNCTION fail(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF $1 IN (${lost.map((id) => `'${id}'`)}) THEN
          PERFORM nextval('tries'), pg_sleep(1.5);
          RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
        END IF;
        RETURN true; END $$;
      ALTER TABLE bot_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY fail ON bot_states USING (fail(bot_id))`,
    );
    t.after(() =>
      query(
        database.url,
        'DROP FUNCTION fail(text) CASCADE; DROP SEQUENCE tries; ALTER TABLE bot_states DISABLE ROW LEVEL SECURITY',
      ),
    );
    const counts = new Map((await store.listBots()).map(({ id, contactCount }) => [id, contactCount]));
    assert.deepEqual(
      lost.map((id) => counts.get(id)),
      lost.map(() => null),
    );
    const [{ tries }] = (await query(database.url, 'SELECT last_value::int AS tries FROM tries')) as [
      { tries: number },
    ];
    assert.ok(tries <= 2, `${tries} tries`);
  });

  test('its loss at the COMMIT of an account write: it is done once and answered as done', async () => {
    const { botId, organization } = await on.addBot();
    const lose = { at: 'COMMIT', when: 'after', error: atCommit } as const;
    const context = sampleContext({ audit: { entry: sampleAuditEntry(organization.id) } });
    assert.equal(await on.breaking(lose, () => on.store.deleteBot(botId, context)), true);
    assert.equal(await on.other.findBot(botId), undefined);
  });
});
