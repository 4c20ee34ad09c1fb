// The baseline of a search in PostgreSQL: the engine's own statement, sent by the bare driver to the service's
// database. The argument is the bot. Reads commands from its parent, as search-sqlite.ts does.
import pg from 'pg';
import { parseQuery } from '../../packages/server/src/contacts/search-text.ts';
import { sampleOf } from '../../packages/server/src/store/contacts/trigrams.ts';
import { statements } from '../../packages/server/src/store/postgres/contacts/statements.ts';
import { choosePlan } from '../../packages/server/src/store/postgres/search/choose-plan.ts';

const botId = process.argv[2] as string;
const connectionString = process.env['DATABASE_URL'] as string;

/** Uses a new connection, which has no plans cached. */
async function search(word: string): Promise<{ elapsedMs: number; total: number }> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan');
    const counted = await client.query(statements.countContacts.text, [botId]);
    const sampled = await client.query(statements.sampleContacts.text, [botId, 150]);
    const sample = {
      contactCount: Number(counted.rows[0].contactCount),
      ...sampleOf(sampled.rows.map(({ search_text: text }) => text)),
      matchShareOf: () => 1,
      filterShareOf: () => 0,
    };
    const search = { words: parseQuery(word), offset: 0, limit: 10 };
    const { statement, values } = choosePlan({
      botId,
      search,
      sample,
      isSharded: false,
      broadFrom: Number.POSITIVE_INFINITY,
    });
    const text = typeof statement === 'string' ? statement : statement.text;
    const startedAtMs = performance.now();
    const { rows } = await client.query({ name: 'search', text, values, rowMode: 'array' });
    return { elapsedMs: performance.now() - startedAtMs, total: Number(rows[0]?.[0] ?? 0) };
  } finally {
    await client.end();
  }
}

process.on('message', async ({ word }: { word: string }) => process.send?.(await search(word)));
process.on('disconnect', () => process.exit());
