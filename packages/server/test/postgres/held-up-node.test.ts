// A part of a sharded database that hangs holds its share of the connections, and the bots of all others are served. Here
// the parts are partitions. One hangs because a policy of its tables lets whoever touches a row of its bots wait for a lock:
// a lock on the partition itself would hold up statements of the others too, whose plans mention all partitions.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { openPostgresStore, type PostgresSettings } from '../../src/store/postgres/postgres-store.ts';
import { type Store, StoreUnavailableError } from '../../src/store/store.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { addWebhook } from '../conformance/webhooks.ts';
import { until } from '../process/waiting.ts';
import { sampleBot, sampleContext, sampleNowMs, sampleOrganization, sampleToken } from '../sample.ts';
import { createDatabase, type DatabaseKind, query } from './databases.ts';

const partitions = 4;
/** More than there are connections of each kind, which are four. */
const heldUpBots = 6;

suite('a partition that hangs', () => {
  test('holds up the writes to its bots alone', async (t) => {
    const { store, heldUp, healthy, hold } = await start(t);
    const holder = await hold('bot_states');
    const { pending, assertPending } = watch(heldUp.map(({ create }) => create()));
    await holder.isWaitedFor();
    const contact = await healthy.create();
    assert.deepEqual(await store.findContact(healthy.botId, contact.id), contact);
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('holds up the reads of its bots alone', async (t) => {
    const { store, heldUp, healthy, hold } = await start(t);
    const [contact, token] = [await healthy.create({ name: 'Jane Doe' }), sampleToken()];
    await store.createContactToken(healthy.botId, contact.id, token, undefined, sampleContext());
    for (const { botId, first } of heldUp)
      await store.createContactToken(botId, first.id, token, undefined, sampleContext());
    const holder = await hold('contacts');
    const { pending, assertPending } = watch(
      heldUp.flatMap(({ botId, first }) => [
        store.findContact(botId, first.id),
        store.findContactByEmail(botId, first.email),
        store.findVisitor(botId, token.hash),
      ]),
    );
    await holder.isWaitedFor();
    assert.deepEqual(await store.findContact(healthy.botId, contact.id), contact);
    assert.deepEqual(await store.findContactByEmail(healthy.botId, contact.email.toLowerCase()), contact);
    assert.equal((await store.findVisitor(healthy.botId, token.hash))?.id, contact.id);
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('holds up the searches in its bots alone, of whichever organization', async (t) => {
    const { searchIn, heldUp, healthy, hold } = await start(t);
    const contact = await healthy.create({ name: 'Jane Doe' });
    const holder = await hold('contacts');
    const { pending, assertPending } = watch(heldUp.map(({ botId }) => searchIn(botId)));
    await holder.isWaitedFor();
    const found = { contacts: [contact], total: 1 };
    assert.deepEqual(await searchIn(healthy.botId), found);
    assert.deepEqual(await searchIn(healthy.botId, 'org_other'), found);
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('holds up the broad searches in its bots alone, though there is one connection for such', async (t) => {
    const { searchIn, heldUp, healthy, hold } = await start(t, { broadFrom: -1, heldUpAfterMs: 1 });
    const contact = await healthy.create({ name: 'Jane Doe' });
    const holder = await hold('contacts');
    const { pending, assertPending } = watch(heldUp.map(({ botId }) => searchIn(botId)));
    await holder.isWaitedFor();
    assert.deepEqual(await searchIn(healthy.botId), { contacts: [contact], total: 1 });
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('leaves the list of bots there, without the counts of its own', async (t) => {
    const { store, organizationId, heldUp, healthy, hold } = await start(t);
    await healthy.create();
    const holder = await hold('bot_states');
    // A count has a second, which it may exceed on a busy machine.
    await until('the count of the other', async () => {
      const listed = await store.listBots(organizationId);
      const counts = new Map(listed.map(({ id, contactCount }) => [id, contactCount]));
      assert.deepEqual(
        heldUp.map(({ botId }) => counts.get(botId)),
        heldUp.map(() => null),
      );
      return counts.get(healthy.botId) === 1;
    });
    await holder.release();
    const countOf = async () => (await store.listBots(organizationId)).map(({ contactCount }) => contactCount);
    await until('all counts', async () => !(await countOf()).includes(null));
  });

  test('is a reason to try again for whoever follows the feed of a bot there, and not the end of it', async (t) => {
    const { heldUp, healthy, hold, openAnother } = await start(t);
    const [first] = heldUp as [(typeof heldUp)[0], ...typeof heldUp];
    const impatient = await openAnother({ patienceMs: 5000 });
    assert.equal((await impatient.findFeeds([first.botId])).size, 1);
    const holder = await hold('bot_states');
    await assert.rejects(impatient.findFeeds([first.botId]), StoreUnavailableError);
    const several = await impatient.findFeeds([...heldUp, healthy].map(({ botId }) => botId));
    assert.deepEqual([...several.keys()], [healthy.botId]);
    await holder.release();
  });

  test('leaves the owners of webhooks there, without those of its own', async (t) => {
    const { heldUp, healthy, hold, openAnother } = await start(t);
    for (const bot of [...heldUp, healthy]) await addWebhook(bot);
    const holder = await hold('webhooks');
    const impatient = await openAnother({ patienceMs: 5000 });
    const botIds = [...heldUp, healthy].map(({ botId }) => botId);
    const listed = async () => (await impatient.listOwners(botIds).catch(() => [])).map(({ botId }) => botId);
    const isHealthyListed = async () => {
      const found = await listed();
      assert.ok(found.every((botId) => botId === healthy.botId));
      return found.length === 1;
    };
    await until('the owners of the others', isHealthyListed);
    await holder.release();
    await until('all owners', async () => (await listed()).length === botIds.length);
  });
});

test('an organization whose broad searches take long does not stop those of others, on a single node', async (t) => {
  const settings = { broadFrom: -1, heldUpAfterMs: 1 };
  const { searchIn, heldUp, healthy, hold } = await start(t, settings, 'plain');
  const contact = await healthy.create({ name: 'Jane Doe' });
  const holder = await hold('contacts');
  const { pending, assertPending } = watch(heldUp.map(({ botId }) => searchIn(botId)));
  await holder.isWaitedFor();
  assert.deepEqual(await searchIn(healthy.botId, 'org_other'), { contacts: [contact], total: 1 });
  assertPending();
  await holder.release();
  await Promise.all(pending);
});

const policies = `
  CREATE TABLE held (table_name text, bot_id text);
  CREATE FUNCTION is_let_through(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM held WHERE table_name = $1 AND bot_id = $2) THEN
      PERFORM pg_advisory_lock_shared(1);
      PERFORM pg_advisory_unlock_shared(1);
    END IF;
    RETURN true;
  END $$;
  DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY ARRAY['contacts', 'bot_states', 'webhooks'] LOOP
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
      EXECUTE format('CREATE POLICY gate ON %I USING (is_let_through(%L, bot_id))', name, name);
    END LOOP;
  END $$`;

/** Calls that must not be answered yet. */
function watch(calls: readonly unknown[]) {
  let answered = 0;
  const pending = calls.map(async (call) => {
    await call;
    answered++;
  });
  return { pending, assertPending: () => assert.equal(answered, 0, 'what was held up is answered') };
}

async function start(t: TestContext, settings: Partial<PostgresSettings> = {}, kind: DatabaseKind = 'partitioned') {
  const { url, drop } = await createDatabase(kind);
  const stores: Store[] = [];
  const open = async (changes: Partial<PostgresSettings>) => {
    const opened = await openPostgresStore({ url, ...postgresUnderLoad, ...changes });
    stores.push(opened);
    return opened;
  };
  const store = await open(settings);
  const holders: Client[] = [];
  t.after(async () => {
    for (const holder of holders) await holder.end();
    for (const each of stores) await each.close();
    await drop();
  });
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const addBotTo = async (partition: number) => {
    for (;;) {
      const bot = sampleBot(organization.id);
      const sql = `SELECT FROM (SELECT satisfies_hash_partition('contacts'::regclass, ${partitions}, $1, $2::text)) AS one (is_there) WHERE is_there`;
      if (kind === 'partitioned' && (await query(url, sql, [partition, bot.id])).length === 0) continue;
      await store.createBot(bot, undefined, sampleContext());
      return botIn(store, bot.id);
    }
  };
  const addHeldUp = async () => {
    const bot = await addBotTo(0);
    return { ...bot, first: await bot.create({ name: 'Jane Doe' }, sampleNowMs - 1000) };
  };
  const heldUp = await Promise.all(Array.from({ length: heldUpBots }, addHeldUp));
  const healthy = await addBotTo(1);
  // Which part a bot lies in is known from here on, and so are the samples for searches.
  for (const { search } of [...heldUp, healthy]) await search('jane');
  await query(url, policies);

  /** From now on, until it is released, whatever touches a row of these bots in the table waits. */
  const hold = async (table: 'contacts' | 'bot_states' | 'webhooks') => {
    const holder = new Client(url);
    holders.push(holder);
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(1)');
    const held = 'INSERT INTO held SELECT $1, unnest($2::text[])';
    await holder.query(held, [table, heldUp.map(({ botId }) => botId)]);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'roster' AND wait_event_type = 'Lock'`;
    return {
      isWaitedFor: () => until('calls to wait for the lock', async () => (await query(url, waiting)).length > 0),
      release: () => holder.query('SELECT pg_advisory_unlock(1)'),
    };
  };
  const searchIn = (botId: string, organizationId = organization.id) =>
    store.searchContacts(botId, { words: parseQuery('jane'), offset: 0, limit: 10 }, { organizationId });
  return { store, openAnother: open, organizationId: organization.id, heldUp, healthy, hold, searchIn };
}
