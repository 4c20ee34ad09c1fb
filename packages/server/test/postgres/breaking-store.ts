// Two stores on one database: one by way of a proxy that breaks connections on demand, and another whose connections hold.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { sampleBot, sampleContext, sampleOrganization } from '../sample.ts';
import { createDatabase, query, type TestDatabase } from './databases.ts';
import { type Break, type BreakingProxy, startProxy } from './proxy.ts';

export interface BreakingStore {
  database: TestDatabase;
  proxy: BreakingProxy;
  /** By way of the proxy. */
  store: Store;
  /** Another server on the same database. */
  other: Store;
  addBot(): Promise<ReturnType<typeof botIn> & { organization: ReturnType<typeof sampleOrganization> }>;
  /** Breaks the connection of the write at `next`, and fails unless it broke. */
  breaking<Result>(next: Break, write: () => Promise<Result>): Promise<Result>;
  /** Whatever was written: the stored count is that of the rows. */
  assertCounted(botId: string, count: number): Promise<void>;
}

/** To be called in a suite. Its members are there when the tests run. */
export function prepareBreakingStore(): BreakingStore {
  const cleanUps: (() => unknown)[] = [];
  const on = {
    async addBot() {
      const organization = sampleOrganization();
      await on.other.createOrganization(organization, sampleContext());
      const bot = sampleBot(organization.id);
      await on.other.createBot(bot, undefined, sampleContext());
      return { ...botIn(on.other, bot.id), organization };
    },
    async breaking(next, write) {
      const breaks = on.proxy.breaks + 1;
      on.proxy.breakNext(next);
      const result = await write();
      assert.equal(on.proxy.breaks, breaks, 'the connection did not break');
      return result;
    },
    async assertCounted(botId, count) {
      const rows = await query(
        on.database.url,
        `SELECT contact_count::int AS stored, (SELECT count(*)::int FROM contacts WHERE bot_id = $1) AS rows
          FROM bot_states WHERE bot_id = $1`,
        [botId],
      );
      assert.deepEqual(rows, [{ stored: count, rows: count }]);
    },
  } as BreakingStore;

  before(async () => {
    on.database = await createDatabase('plain');
    on.proxy = await startProxy({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) }, on.database.url);
    on.store = await openPostgresStore({ url: on.proxy.url, ...postgresUnderLoad });
    on.other = await openPostgresStore({ url: on.database.url, ...postgresUnderLoad });
  });
  after(async () => {
    await on.store?.close();
    await on.other?.close();
    for (const cleanUp of cleanUps) await cleanUp();
    await on.database?.drop();
  });
  return on;
}
