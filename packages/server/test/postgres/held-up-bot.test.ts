// A bot that hangs leaves a connection of each kind to the others. It hangs because a policy of the tables lets whoever touches
// one of its rows wait for a lock: a lock on a table would hold up the others too.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { openPostgresStore, type PostgresSettings } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { until } from '../process/waiting.ts';
import { sampleBot, sampleCaller, sampleContext, sampleOrganization, sampleToken } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

/** More than there are connections of each kind, which are four. */
const calls = Array.from({ length: 6 }, (_, index) => index);

suite('a bot that hangs', () => {
  test('holds up its own writes alone', async (t) => {
    const { store, heldUp, healthy, hold } = await start(t);
    const holder = await hold('bot_states');
    const define = (n: number) =>
      store.defineAttribute(
        heldUp.botId,
        { key: `key_${n}`, type: 'text', label: 'Key', description: '' },
        sampleContext(),
      );
    const { pending, assertPending } = watch(calls.map(define));
    await holder.isWaitedFor();
    const contact = await healthy.create();
    assert.deepEqual(await store.findContact(healthy.botId, contact.id), contact);
    assertPending();
    await holder.release();
    await Promise.all(pending);
    assert.equal((await store.listAttributes(heldUp.botId)).length, calls.length);
  });

  test('holds up its own reads alone', async (t) => {
    const { store, heldUp, healthy, hold } = await start(t);
    const [contact, token] = [await healthy.create(), sampleToken()];
    await store.createContactToken(healthy.botId, contact.id, token, undefined, sampleContext());
    const { id } = await heldUp.create();
    const holder = await hold('contacts');
    const { pending, assertPending } = watch(
      calls.map(() => store.findContactsWithValues(heldUp.botId, [id], sampleCaller)),
    );
    await holder.isWaitedFor();
    assert.deepEqual(await store.findContact(healthy.botId, contact.id), contact);
    assert.equal((await store.findVisitor(healthy.botId, token.hash))?.id, contact.id);
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('holds up what is asked of several bots, and no reads of one', async (t) => {
    const { store, organizationId, healthy, hold } = await start(t);
    const contact = await healthy.create();
    const holder = await hold('bot_states');
    const { pending, assertPending } = watch(calls.map(() => store.listBots(organizationId)));
    await holder.isWaitedFor();
    assert.deepEqual(await store.findContact(healthy.botId, contact.id), contact);
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('holds up its own searches alone, whoever asks', async (t) => {
    const { searchIn, organizationId, heldUp, healthy, hold } = await start(t);
    await heldUp.create({ name: 'Jane Doe' });
    const contact = await healthy.create({ name: 'Jane Doe' });
    const holder = await hold('contacts');
    const { pending, assertPending } = watch(calls.map(() => searchIn(heldUp.botId, organizationId)));
    await holder.isWaitedFor();
    for (const asking of [organizationId, 'org_other'])
      assert.deepEqual(await searchIn(healthy.botId, asking), { contacts: [contact], total: 1 });
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('holds up broad searches, and no quick ones of others', async (t) => {
    const { store, searchIn, organizationId, heldUp, healthy, hold } = await start(t, { broadFrom: -1 });
    await heldUp.create({ name: 'Jane Doe' });
    const contact = await healthy.create({ name: 'Jane Doe' });
    const holder = await hold('contacts');
    const { pending, assertPending } = watch(calls.map(() => searchIn(heldUp.botId, organizationId)));
    await holder.isWaitedFor();
    const page = await store.exportContacts(healthy.botId, { after: undefined, limit: 10 }, { organizationId });
    assert.deepEqual(page.contacts, [contact]);
    assertPending();
    await holder.release();
    await Promise.all(pending);
  });

  test('gets 503 for what waits too long behind its own calls', async (t) => {
    const { open, heldUp, healthy, hold } = await start(t);
    const { id } = await heldUp.create();
    const contact = await healthy.create();
    // As in production, whoever waits gives up sooner than a statement does.
    const impatient = await open({});
    const holder = await hold('contacts');
    const asked = calls.map(() => impatient.findContactsWithValues(heldUp.botId, [id], sampleCaller));
    const answers = await Promise.allSettled(asked);
    // The bot has three of the four connections.
    for (const [position, answer] of answers.entries()) {
      assert.ok(answer.status === 'rejected');
      assert.equal(answer.reason.message, position < 3 ? 'the database is busy' : 'database calls take too long');
    }
    await holder.release();
    assert.deepEqual(await impatient.findContact(healthy.botId, contact.id), contact);
    assert.equal((await impatient.findContact(heldUp.botId, id))?.id, id);
  });
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
    FOREACH name IN ARRAY ARRAY['contacts', 'bot_states'] LOOP
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
      EXECUTE format('CREATE POLICY gate ON %I USING (is_let_through(%L, bot_id))', name, name);
    END LOOP;
  END $$`;

/** Calls that must not be answered yet. */
function watch(asked: readonly Promise<unknown>[]) {
  let answered = 0;
  const pending = asked.map(async (call) => {
    await call;
    answered++;
  });
  return { pending, assertPending: () => assert.equal(answered, 0, 'what was held up is answered') };
}

async function start(t: TestContext, settings: Partial<PostgresSettings> = {}) {
  // On a plain table, a search may look at rows of other bots first.
  const { url, drop } = await createDatabase('partitioned');
  const stores: Store[] = [];
  const open = async (changes: Partial<PostgresSettings>) => {
    const opened = await openPostgresStore({ url, ...changes });
    stores.push(opened);
    return opened;
  };
  const store = await open({ ...postgresUnderLoad, ...settings });
  const holder = new Client(url);
  await holder.connect();
  t.after(async () => {
    await holder.end();
    for (const each of stores) await each.close();
    await drop();
  });
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const addBot = async () => {
    const bot = sampleBot(organization.id);
    await store.createBot(bot, undefined, sampleContext());
    return botIn(store, bot.id);
  };
  const [heldUp, healthy] = [await addBot(), await addBot()];
  // The samples for searches are there from here on.
  for (const { search } of [heldUp, healthy]) await search('jane');
  await query(url, policies);

  /** From now on, until it is released, whatever touches a row of the bot in the table waits. */
  const hold = async (table: 'contacts' | 'bot_states') => {
    await holder.query('SELECT pg_advisory_lock(1)');
    await holder.query('INSERT INTO held VALUES ($1, $2)', [table, heldUp.botId]);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'roster' AND wait_event_type = 'Lock'`;
    return {
      isWaitedFor: () => until('calls to wait for the lock', async () => (await query(url, waiting)).length > 0),
      release: () => holder.query('SELECT pg_advisory_unlock(1)'),
    };
  };
  const searchIn = (botId: string, organizationId: string) =>
    store.searchContacts(botId, { words: parseQuery('jane'), offset: 0, limit: 10 }, { organizationId });
  return { store, open, organizationId: organization.id, heldUp, healthy, hold, searchIn };
}
