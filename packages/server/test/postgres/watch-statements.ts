// What this process sends to PostgreSQL.
import type { TestContext } from 'node:test';
import pg from 'pg';

/**
 * The names of statements, or the texts of those without a name, that are sent from now on. Maintenance of the search index,
 * which each store does half a second after its last write, is left out.
 */
export function watchStatements(t: TestContext): string[] {
  const sent: string[] = [];
  const { query: send } = pg.Client.prototype;
  t.after(() => Object.assign(pg.Client.prototype, { query: send }));
  pg.Client.prototype.query = function (this: pg.Client, config: { name?: string; text: string }, ...rest: unknown[]) {
    const { name, text } = config;
    const isWatched = typeof config !== 'string' && !text.includes('gin_clean_pending_list');
    if (isWatched) sent.push(name ?? text);
    return (send as (...values: unknown[]) => unknown).call(this, config, ...rest);
  } as typeof send;
  return sent;
}
