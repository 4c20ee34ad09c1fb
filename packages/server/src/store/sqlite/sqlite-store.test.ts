// The embedded engine: the promises of every store. It takes some 40 CPU-seconds in a whole run: four ways to search are tested, and a
// store is opened about 40 times, those that tests share with as many threads as in a server, the others with one for searches.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reopenable, sqliteUnderLoad } from '../../../test/conformance/engine.ts';
import { until } from '../../../test/process/waiting.ts';
import { testStore } from '../../../test/store-conformance.ts';
import { openSqliteStore } from './sqlite-store.ts';

testStore({
  name: 'SQLite',
  async open({ isSerial = false, ...options } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'roster-store-'));
    const open = () =>
      openSqliteStore({
        folder,
        ...options,
        ...sqliteUnderLoad,
        ...(isSerial && { readers: 1 }),
        onFatal: (error) => {
          throw error;
        },
      });
    const opened = await reopenable(open, () => rm(folder, { recursive: true }));
    return Object.assign(opened, {
      async settle() {
        const isSettled = async () => {
          await opened.store.ping();
          return (await opened.store.gauges()['store_unindexed_rows']?.()) === 0;
        };
        await until('all rows to be indexed', isSettled);
      },
      async countRows() {
        const db = new DatabaseSync(join(folder, 'roster.db'), { readOnly: true });
        try {
          const count = (table: string) => (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
          const tables = ['contacts', 'contact_tokens', 'search_pending', 'search_index_docsize'];
          tables.push('attributes', 'tags', 'removed_fields', 'webhooks', 'deliveries', 'removed_webhooks');
          return tables.map(count).reduce((a, b) => a + b);
        } finally {
          db.close();
        }
      },
    });
  },
});
