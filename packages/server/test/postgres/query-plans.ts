// How PostgreSQL reads contacts: the scans of a plan, and the test of export pages, which holds on tables of both kinds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '../../src/store/postgres/contacts/statements.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { addBot, postgresUnderLoad } from '../conformance/engine.ts';
import { sampleContext, sampleFields } from '../sample.ts';
import { createDatabase, type DatabaseKind, query } from './databases.ts';

interface PlanNode {
  'Relation Name'?: string;
  'Conflict Arbiter Indexes'?: string[];
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Those of contacts. */
export function scansOf(node: PlanNode): PlanNode[] {
  const own = node['Relation Name']?.startsWith('contacts') ? [node] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

export function testExportPages(kind: DatabaseKind): void {
  test(`a page of an export is read from where the one before ended, at any depth, on ${kind} tables`, async (t) => {
    const { url, drop } = await createDatabase(kind);
    const store = await openPostgresStore({ url, ...postgresUnderLoad });
    t.after(async () => {
      await store.close();
      await drop();
    });
    const { botId, exportAll } = await addBot({ store });
    for (let count = 0; count < 3; count++) {
      const items = Array.from({ length: 1000 }, () => sampleFields());
      await store.upsertContacts(botId, items, sampleContext());
    }
    const ids = (await exportAll()).map(({ id }) => id);
    await query(url, 'ANALYZE contacts');
    for (const after of ['', ids[10], ids[1500], ids[2900]]) {
      const [row] = await query(url, `EXPLAIN (ANALYZE, FORMAT JSON) ${statements.exportPage.text}`, [
        botId,
        after,
        11,
      ]);
      // Every scan of contacts stops after the page, and none looks at a row that it does not give.
      for (const scan of scansOf(row['QUERY PLAN'][0].Plan)) {
        assert.ok(scan['Actual Rows'] <= 11 && (scan['Rows Removed by Filter'] ?? 0) === 0, JSON.stringify(scan));
      }
    }
  });
}
