// Searches and exports of the embedded engine: what a database of an earlier version is searched by, and what a page
// of an export costs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { botIn } from '../../../test/conformance/engine.ts';
import { sampleNowMs } from '../../../test/sample.ts';
import { makeId } from '../../contacts/ids.ts';
import { matches, parseQuery, searchTextOf } from '../../contacts/search-text.ts';
import { openForReading, prepareDatabase } from './database.ts';
import { applicationId, migrationsFolder } from './inspection.ts';
import { contactNumberMax, rowIdOf } from './row-ids.ts';
import { exportStatement } from './search.ts';
import { openSqliteStore } from './sqlite-store.ts';

const contactCount = 3500;

/** A database of the schema before short pieces were counted, with one indexed bot. Some of its rows wait. */
function makeEarlierDatabase(path: string): { botId: string } {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL`);
  for (const name of ['0001-initial.sql', '0002-token-last-seen.sql']) {
    db.exec(readFileSync(new URL(name, migrationsFolder), 'utf8'));
  }
  db.exec("PRAGMA user_version = 2; BEGIN; INSERT INTO organizations VALUES ('org', 'Old', 0)");
  const botId = makeId('bot', 1);
  db.prepare(
    `INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, created_at, contact_count,
       next_contact, last_created_us, is_indexed)
     VALUES (?, 'org', 'Old', '', '#000000', 'right', '[]', 0, ?, ?, ?, 1)`,
  ).run(botId, contactCount, contactCount + 1, contactCount + 1);
  const insert = db.prepare(
    `INSERT INTO contacts (row_id, bot, id, name, email, email_key, phone, mid, wid, created_us, updated_at, search_text)
     VALUES (?, 1, ?, ?, ?, ?, '', '', '', ?, 0, ?)`,
  );
  const index = db.prepare('INSERT INTO search_index (rowid, search_text) VALUES (?, ?)');
  const note = db.prepare('INSERT INTO search_pending (row_id, has_entry) VALUES (?, ?)');
  for (let number = 1; number <= contactCount; number++) {
    const name = number % 7 === 0 ? `Zwq ${number}` : `Person ${number}`;
    const email = `p${number}@x.example`;
    const [rowId, text] = [rowIdOf(1, number), searchTextOf({ name, email, phone: '', mid: '', wid: '' })];
    insert.run(rowId, makeId('contact', number), name, email, email, number, text);
    const isPending = number % 100 === 0;
    if (isPending) note.run(rowId, number % 200 === 0 ? 1 : 0);
    if (!isPending || number % 200 === 0) index.run(rowId, isPending ? 'zwq of an older text' : text);
  }
  db.exec('COMMIT');
  db.close();
  return { botId };
}

test('a database of an earlier version is searched exactly while its short pieces are counted, and after', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-earlier-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  const { botId } = makeEarlierDatabase(path);
  const store = await openSqliteStore({
    folder,
    onFatal: (error) => {
      throw error;
    },
  });
  t.after(() => store.close());
  const { search, exportAll, create } = botIn(store, botId);
  const looking = openForReading(path);
  t.after(() => looking.close());
  const isCounted = () => {
    const { counted_through } = looking.prepare('SELECT counted_through FROM bots').get() as {
      counted_through: number;
    };
    return counted_through === contactNumberMax;
  };
  const compare = async () => {
    const all = (await exportAll()).toReversed();
    for (const query of ['zw', 'z', '7', 'zw 7', 'a1', 'zz', 'zwq', 'person 12']) {
      const found = all.filter((contact) => matches(contact, parseQuery(query)));
      assert.deepEqual(await search(query), { contacts: found.slice(0, 100), total: found.length }, query);
    }
  };
  const someIds = (await exportAll()).filter((_, index) => index % 50 === 0).map(({ id }) => id);
  let rounds = 0;
  // Somebody writes all the time, and the counting must come to its end all the same.
  do {
    assert.ok(rounds < 30, 'the counting does not end');
    // Contacts on both sides of what has been counted so far are changed, deleted and added.
    const [changed, deleted] = [someIds.pop() as string, someIds.shift() as string];
    await store.updateContact(botId, changed, { name: `Zw changed ${rounds}` }, sampleNowMs);
    await store.deleteContact(botId, deleted);
    await create({ name: 'Zw new', email: `new${rounds}@zw.example` });
    await compare();
    rounds++;
  } while (!isCounted() || rounds < 5);
  while (store.gauges()['store_unindexed_rows'] !== 0) await store.ping();
  await compare();
  const sum = looking.prepare("SELECT contact_count FROM piece_counts WHERE piece = 'zw'").get();
  assert.equal((sum as { contact_count: number }).contact_count, (await search('zw')).total);
});

test('a page of an export is read from where the one before ended, at any depth', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-export-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'roster.db');
  prepareDatabase(path);
  const db = openForReading(path);
  t.after(() => db.close());
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${exportStatement}`).all(1, 'con_', 10) as { detail: string }[];
  // One range of one index, in its order: nothing before the position is read, and nothing is sorted.
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ['SEARCH contacts USING INDEX contacts_by_id (bot=? AND id>?)'],
  );
});
