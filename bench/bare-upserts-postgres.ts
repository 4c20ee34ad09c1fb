// The baseline of upserts in PostgreSQL: the engine's two statements in a plain loop on one connection of the driver,
// without HTTP, locks, reads or checks. Reads commands from its parent, as bare-upserts-sqlite.ts does.
import { emailKey } from '@roster/contract';
import pg from 'pg';
import { makeId } from '../packages/server/src/ids.ts';
import { migratePostgres } from '../packages/server/src/store/postgres/migrate.ts';
import { searchColumnsOf } from '../packages/server/src/store/postgres/search-tokens.ts';
import { statements } from '../packages/server/src/store/postgres/statements.ts';
import type { Command } from './bare-upserts-sqlite.ts';
import { person } from './people.ts';

const url = process.env['DATABASE_URL'] as string;
await migratePostgres(url);
const client = new pg.Client({ connectionString: url, pipeline: true });
await client.connect();
await client.query('SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan');

const botId = 'bot';
const ids: string[] = [];

/** The rows of some people as columns; those who are new get an id. */
function columnsOf(from: number, count: number): unknown[][] {
  const tokens: number[] = [];
  const rows = Array.from({ length: count }, (_, i) => {
    const { name, email, phone, mid = '', wid = '' } = person(from + i);
    const nowUs = Date.now() * 1000;
    ids[from + i] ??= makeId('contact', nowUs);
    const search = searchColumnsOf(botId, { name, email, phone, mid, wid });
    const start = tokens.length + 1;
    tokens.push(...search.tokens);
    const row = [ids[from + i], name, email, phone, mid, wid, nowUs, nowUs / 1000, emailKey(email)];
    return [...row, search.text, start, tokens.length];
  });
  return [...(rows[0] ?? []).map((_, column) => rows.map((row) => row[column])), tokens];
}

/** First those who are there already, then new ones, in one transaction. */
async function upsert(from: number, known: number, created: number): Promise<void> {
  await Promise.all([
    client.query('BEGIN'),
    known > 0 && client.query({ ...statements.updateContacts, values: [botId, ...columnsOf(from, known)] }),
    client.query({ ...statements.insertContacts, values: [botId, ...columnsOf(from + known, created)] }),
    client.query('COMMIT'),
  ]);
}

process.on('message', async (command: Command) => {
  if (command.kind === 'fill') {
    while (ids.length < command.contacts) await upsert(ids.length, 0, 1000);
    process.send?.({ done: ids.length });
    return;
  }
  const startedAtMs = performance.now();
  let upserts = 0;
  for (; performance.now() < startedAtMs + command.seconds * 1000; upserts++) await upsert(ids.length - 500, 500, 500);
  process.send?.({ perSecond: upserts / ((performance.now() - startedAtMs) / 1000) });
});

process.on('disconnect', () => process.exit());
