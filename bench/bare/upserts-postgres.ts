// The baseline of bulk writes in PostgreSQL: the engine's two statements in a plain loop on one connection of the
// driver, without HTTP, locks, reads or validation. Reads commands from its parent, as upserts-sqlite.ts does.
import { emailKey } from '@roster/contract';
import pg from 'pg';
import { makeId } from '../../packages/server/src/contacts/ids.ts';
import { searchTextOf } from '../../packages/server/src/contacts/search-text.ts';
import { statements } from '../../packages/server/src/store/postgres/contacts/statements.ts';
import { migratePostgres } from '../../packages/server/src/store/postgres/migrate.ts';
import { tokenizer } from '../../packages/server/src/store/postgres/search/tokens.ts';
import { changedContact, type SampleContact, sampleContact } from '../sample-contacts.ts';
import type { Command } from './upserts-sqlite.ts';

const url = process.env['DATABASE_URL'] as string;
await migratePostgres(url);
const client = new pg.Client({ connectionString: url, pipeline: true });
await client.connect();
await client.query('SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan');

const botId = 'bot';
await client.query({ ...statements.insertState, values: [botId] });
const ids: string[] = [];
let changes = 0;

/** Contacts as arrays of columns; the first contact has number `from`. New ones get an id. */
function columnsOf(contacts: readonly SampleContact[], from: number): unknown[][] {
  const tokens: number[] = [];
  const rows = contacts.map(({ name, email, phone, mid = '', wid = '' }, i) => {
    const nowUs = Date.now() * 1000;
    ids[from + i] ??= makeId('contact', nowUs);
    const text = searchTextOf({ name, email, phone, mid, wid });
    const start = tokens.length + 1;
    tokens.push(...tokenizer(botId)(text));
    const row = [ids[from + i], name, email, phone, mid, wid, nowUs, nowUs / 1000, emailKey(email)];
    return [...row, text, start, tokens.length];
  });
  return [...(rows[0] ?? []).map((_, column) => rows.map((row) => row[column])), tokens];
}

/** Changes the newest `known` contacts and creates others, in one transaction. */
async function upsert(known: number, created: number): Promise<void> {
  const from = ids.length - known;
  const change = changes++;
  const changed = Array.from({ length: known }, (_, i) => changedContact(from + i, change));
  const added = Array.from({ length: created }, (_, i) => sampleContact(from + known + i));
  await Promise.all([
    client.query('BEGIN'),
    known > 0 && client.query({ ...statements.updateContacts, values: [botId, ...columnsOf(changed, from)] }),
    client.query({ ...statements.insertContacts, values: [botId, ...columnsOf(added, from + known)] }),
    client.query('COMMIT'),
  ]);
}

process.on('message', async (command: Command) => {
  const startedAtMs = performance.now();
  if (command.kind === 'load') {
    const end = ids.length + command.contacts;
    while (ids.length < end) await upsert(0, Math.min(command.batch, end - ids.length));
    process.send?.({ elapsedMs: performance.now() - startedAtMs });
    return;
  }
  let upserts = 0;
  for (; performance.now() < startedAtMs + command.seconds * 1000; upserts++) {
    const known = Math.min(500, ids.length);
    await upsert(known, 1000 - known);
  }
  process.send?.({ perSecond: upserts / ((performance.now() - startedAtMs) / 1000) });
});

process.on('disconnect', () => process.exit());
