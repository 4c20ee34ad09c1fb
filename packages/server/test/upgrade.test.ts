// An installation with data of an earlier schema is brought up to date, and its data means what it meant.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { defaultPermissions } from '@roster/contract';
import { migratePostgres } from '../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts';
import { prepareDatabase } from '../src/store/sqlite/database.ts';
import { applicationId } from '../src/store/sqlite/inspection.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import type { StoredDelivery } from '../src/store/webhooks/webhook-store.ts';
import { postgresUnderLoad, sqliteUnderLoad } from './conformance/engine.ts';
import { takeWebhooks } from './leases.ts';
import { createEmptyDatabase, query } from './postgres/databases.ts';
import { sampleAttempt, sampleCaller, sampleContext, sampleFields } from './sample.ts';

/** The schema of the first release, from its migration, which never changes. */
const firstSchema = (engine: string) =>
  readFileSync(new URL(`../src/store/${engine}/migrations/0001-initial.sql`, import.meta.url), 'utf8');

/** One secret by a member whom the audit log names, one by somebody whom it does not, and one by the operator. */
const rows = (hash: (digits: string) => string) => `
  INSERT INTO organizations (id, name, created_at) VALUES ('org_1', 'Acme', 1);
  INSERT INTO secrets (id, organization_id, name, prefix, hash, created_by, created_at) VALUES
    ('sec_1', 'org_1', 'Known', 'rst_a', ${hash('01')}, 'Jane', 1),
    ('sec_2', 'org_1', 'Unknown', 'rst_b', ${hash('02')}, 'Joe', 1),
    ('sec_3', 'org_1', 'First', 'rst_c', ${hash('03')}, NULL, 1);
  INSERT INTO audit_entries (id, organization_id, at, action, actor_kind, actor_id, actor_name, object_id, object_name, count)
  VALUES
    ('aud_1', 'org_1', 1, 'secret.create', 'member', 'mem_1', 'Jane', 'sec_1', 'Known', 1),
    ('aud_2', 'org_1', 1, 'secret.rename', 'member', 'mem_2', 'Joe', 'sec_2', 'Unknown', 1),
    ('aud_3', 'org_1', 1, 'secret.create', 'operator', NULL, 'operator', 'sec_3', 'First', 1);
`;

/** Two contacts of one day and one of the next, the first of them seen twice. The engines differ in what they are named by. */
const usedBot = {
  sqlite: `
    INSERT INTO bots (number, id, organization_id, name, greeting, color, position, allowed_origins, created_at,
      contact_count, next_contact, last_created_us)
    VALUES (1, 'bot_1', 'org_1', 'Bot', '', '#000000', 'right', '[]', 1, 3, 4, 86400000001);
    INSERT INTO contacts (row_id, bot, id, name, email, email_key, phone, mid, wid, created_us, updated_at, search_text) VALUES
      (4294967297, 1, 'con_1', 'A', 'a@x', 'a@x', '', '', '', 1, 1, 'a'),
      (4294967298, 1, 'con_2', 'B', 'b@x', 'b@x', '', '', '', 2, 1, 'b'),
      (4294967299, 1, 'con_3', 'C', 'c@x', 'c@x', '', '', '', 86400000001, 1, 'c');
    INSERT INTO contact_tokens (bot, hash, contact, created_at, expires_at, last_seen_at) VALUES
      (1, x'01', 4294967297, 1, 100, 50), (1, x'02', 4294967297, 1, 100, 40), (1, x'03', 4294967298, 1, 100, NULL);`,
  postgres: `
    INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, created_at)
    VALUES ('bot_1', 'org_1', 'Bot', '', '#000000', 'right', '[]', 1);
    INSERT INTO bot_states (bot_id, contact_count, last_created_us) VALUES ('bot_1', 3, 86400000001);
    INSERT INTO contacts (bot_id, id, name, email, email_key, phone, mid, wid, created_us, updated_at, search_text,
      search_tokens) VALUES
      ('bot_1', 'con_1', 'A', 'a@x', 'a@x', '', '', '', 1, 1, 'a', '{}'),
      ('bot_1', 'con_2', 'B', 'b@x', 'b@x', '', '', '', 2, 1, 'b', '{}'),
      ('bot_1', 'con_3', 'C', 'c@x', 'c@x', '', '', '', 86400000001, 1, 'c', '{}');
    INSERT INTO contact_tokens (bot_id, hash, contact_id, created_at, expires_at, last_seen_at) VALUES
      ('bot_1', '\\x01', 'con_1', 1, 100, 50), ('bot_1', '\\x02', 'con_1', 1, 100, 40),
      ('bot_1', '\\x03', 'con_2', 1, 100, NULL);`,
};

const engines: Record<string, (t: TestContext) => Promise<Store>> = {
  async SQLite(t) {
    const folder = mkdtempSync(join(tmpdir(), 'roster-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const db = new DatabaseSync(join(folder, 'roster.db'));
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL; ${firstSchema('sqlite')};
      PRAGMA user_version = 1; ${rows((digits) => `x'${digits}'`)} ${usedBot.sqlite}`);
    db.close();
    const onFatal = (error: unknown) => {
      throw error;
    };
    return openSqliteStore({ folder, ...sqliteUnderLoad, onFatal });
  },

  async PostgreSQL(t) {
    const { url, drop } = await createEmptyDatabase();
    t.after(drop);
    await query(
      url,
      `CREATE TABLE installation (id smallint PRIMARY KEY CHECK (id = 1), schema_version integer NOT NULL, checked_at bigint NOT NULL);
      INSERT INTO installation VALUES (1, 1, 0); ${firstSchema('postgres')}; ${rows((digits) => `'\\x${digits}'`)} ${usedBot.postgres}`,
    );
    assert.equal((await migratePostgres(url)).from, 1);
    // A server of the earlier version beside it still creates secrets, and one that is new knows what they may do.
    await query(
      url,
      `INSERT INTO secrets (id, organization_id, name, prefix, hash, created_by, created_at)
       VALUES ('sec_4', 'org_1', 'Meanwhile', 'rst_d', '\\x04', 'Jane', 1)`,
    );
    return openPostgresStore({ url, ...postgresUnderLoad });
  },
};

test('an upgrade on SQLite keeps which bots are indexed, and which of their rows are pending', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-upgrade-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  const first = new DatabaseSync(path);
  first.exec(`PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL; ${firstSchema('sqlite')};
    PRAGMA user_version = 1; ${rows((digits) => `x'${digits}'`)} ${usedBot.sqlite}
    INSERT INTO bots (number, id, organization_id, name, greeting, color, position, allowed_origins, created_at, is_indexed, change_number)
      VALUES (2, 'bot_2', 'org_1', 'Large', '', '#000000', 'right', '[]', 1, 1, 7);
    UPDATE bots SET change_number = 5 WHERE number = 1;
    INSERT INTO search_pending (row_id, has_entry, counted_document) VALUES (1, 0, NULL), (2, 1, 'con_1 a');`);
  first.close();
  prepareDatabase(path);
  using db = new DatabaseSync(path, { readOnly: true });
  const list = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  assert.deepEqual(list('SELECT id, is_indexed FROM bots ORDER BY id'), [
    ['bot_1', 0],
    ['bot_2', 1],
  ]);
  assert.deepEqual(list('SELECT * FROM search_pending ORDER BY row_id'), [
    [1, 0],
    [2, 1],
  ]);
});

suite('an upgrade from the first schema', () => {
  for (const [name, open] of Object.entries(engines)) {
    test(`on ${name} leaves secrets what they could do, and finds out who created them`, async (t) => {
      const store = await open(t);
      try {
        const secrets = await store.listSecrets('org_1');
        assert.deepEqual(
          secrets.slice(0, 3).map(({ id, creatorId, createdBy }) => [id, creatorId, createdBy]),
          [
            ['sec_1', 'mem_1', 'Jane'],
            ['sec_2', undefined, 'Joe'],
            ['sec_3', undefined, undefined],
          ],
        );
        for (const { permissions, bots, parentId } of secrets) {
          assert.deepEqual(
            { permissions, bots, parentId },
            { permissions: [...defaultPermissions], bots: undefined, parentId: undefined },
          );
        }
        assert.equal(await store.revokeSecret('sec_1', sampleContext({ nowMs: 2 })), true);
      } finally {
        await store.close();
      }
    });

    test(`on ${name} counts the contacts that are there by day, and knows that visitors were recognised`, async (t) => {
      const store = await open(t);
      try {
        const wanted = { fromDay: 0, seenSinceMs: 0, tokensMax: 10, visitorsMax: 10 };
        const findActivity = () => store.findActivity('bot_1', wanted, sampleCaller);
        assert.deepEqual(await findActivity(), {
          contactCount: 3,
          widgetLoadedAtMs: 40,
          visitorRecognizedAtMs: 40,
          createdByDay: [
            { day: 0, count: 2 },
            { day: 1, count: 1 },
          ],
          visitorCount: 1,
          hasMoreVisitors: false,
          visitors: [{ id: 'con_1', name: 'A', lastSeenAtMs: 50 }],
        });
        for (const day of [1, 2, 3])
          await store.createContact('bot_1', sampleFields(), sampleContext({ nowMs: day * 86_400_000 }));
        assert.deepEqual((await findActivity())?.createdByDay, [
          { day: 0, count: 2 },
          { day: 1, count: 2 },
          { day: 2, count: 1 },
          { day: 3, count: 1 },
        ]);
      } finally {
        await store.close();
      }
    });
  }
});

/** Deliveries of a webhook with what they are about, and the response. */
const oldDeliveries = [
  { contactId: 'con_1', status: 'succeeded', attempts: 1, dueAt: null, response: 'an echo' },
  { contactId: 'con_1', status: 'failed', attempts: 11, dueAt: null, response: 'kept' },
  { contactId: 'con_gone', status: 'failed', attempts: 11, dueAt: null, response: 'an echo' },
  { contactId: 'con_1', status: 'pending', attempts: 2, dueAt: 500, response: 'again' },
  { contactId: 'con_2', status: 'pending', attempts: 0, dueAt: 100, response: null },
  { contactId: 'con_1', status: 'pending', attempts: 0, dueAt: 100, response: null },
  { contactId: null, status: 'pending', attempts: 1, dueAt: 400, response: 'of the bot' },
  { contactId: null, status: 'pending', attempts: 0, dueAt: 100, response: null },
];

/** Up to the one that first tells deferred deliveries apart. */
function migrationsBefore(engine: string): URL[] {
  const folder = new URL(`../src/store/${engine}/migrations/`, import.meta.url);
  const names = readdirSync(folder).filter((name) => name < '0014');
  return names.map((name) => new URL(name, folder));
}

function oldWebhook(column: 'bot' | 'bot_id', bot: string): string {
  const text = (value: string | number | null) => (typeof value === 'string' ? `'${value}'` : String(value));
  const values = oldDeliveries.map(({ contactId, status, attempts, dueAt, response }, index) => {
    const event = JSON.stringify({
      type: 'contact.updated',
      atMs: 1000 + index,
      contactId,
      actor: { kind: 'operator' },
    });
    const columns = [
      index + 1,
      `evt_${index + 1}`,
      event,
      status,
      attempts,
      1,
      attempts > 0 ? 1 : null,
      dueAt,
      response,
    ];
    return `(${bot}, 'whk_1', ${columns.map(text)})`;
  });
  return `INSERT INTO webhooks (${column}, id, url, description, is_enabled, secret, created_at, position, owner)
      VALUES (${bot}, 'whk_1', 'https://shop.example.com/', '', 1, 'whsec_x', 1, 8, 'me');
    INSERT INTO deliveries (${column}, webhook_id, number, event_id, event, status, attempts, created_at, attempted_at,
      due_at, response) VALUES ${values};`;
}

const enginesWithDeliveries: typeof engines = {
  async SQLite(t) {
    const folder = mkdtempSync(join(tmpdir(), 'roster-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const db = new DatabaseSync(join(folder, 'roster.db'));
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL`);
    const files = migrationsBefore('sqlite');
    for (const file of files) db.exec(readFileSync(file, 'utf8'));
    db.exec(`PRAGMA user_version = ${files.length}; ${rows((digits) => `x'${digits}'`)} ${usedBot.sqlite}
      ${oldWebhook('bot', '1')}`);
    db.close();
    const onFatal = (error: unknown) => {
      throw error;
    };
    return openSqliteStore({ folder, ...sqliteUnderLoad, onFatal });
  },

  async PostgreSQL(t) {
    const { url, drop } = await createEmptyDatabase();
    t.after(drop);
    const folder = mkdtempSync(join(tmpdir(), 'roster-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const file of migrationsBefore('postgres')) copyFileSync(file, join(folder, basename(file.pathname)));
    await migratePostgres(url, { folder: pathToFileURL(`${folder}/`) });
    await query(
      url,
      `${rows((digits) => `'\\x${digits}'`)} ${usedBot.postgres} ${oldWebhook('bot_id', "'bot_1'")}
       INSERT INTO bots_with_webhooks (id) VALUES ('bot_1')`,
    );
    await migratePostgres(url);
    return openPostgresStore({ url, ...postgresUnderLoad });
  },
};

suite('an upgrade with deliveries', () => {
  for (const [name, open] of Object.entries(enginesWithDeliveries)) {
    test(`on ${name} knows which wait behind others, and forgets what receivers answered to successes`, async (t) => {
      const store = await open(t);
      const ofBot = ['bot_1', 'whk_1'] as const;
      const numbersOf = (deliveries: readonly StoredDelivery[] = []) => deliveries.map(({ event }) => event.number);
      const responses = async () =>
        (await store.listDeliveries(...ofBot, { limit: 10 })).map(({ response }) => response).toReversed();
      try {
        assert.deepEqual(await takeWebhooks(store, 'bot_1', 'me'), ['whk_1']);
        assert.deepEqual(numbersOf((await store.findOwned(...ofBot, 'me', 10))?.pending), [5]);
        const { next, oldestMs } = await store.findDeferred(...ofBot, 10);
        assert.deepEqual([numbersOf(next), oldestMs], [[7, 4], 1003]);
        assert.deepEqual(await responses(), [null, 'kept', null, 'again', null, null, 'of the bot', null]);

        await store.deleteContact('bot_1', 'con_1', sampleContext());
        assert.deepEqual(await responses(), [null, null, null, null, null, null, 'of the bot', null]);
        const attempts = [4, 7].map((number) => sampleAttempt(number, { wasDeferred: true, attemptedAtMs: number }));
        assert.ok(await store.saveAttempts(...ofBot, { owner: 'me', attempts, failingSinceMs: null }, sampleContext()));
        assert.deepEqual(numbersOf((await store.findDeferred(...ofBot, 10)).next), [6, 8]);
      } finally {
        await store.close();
      }
    });
  }
});
