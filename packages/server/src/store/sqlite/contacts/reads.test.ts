// What a page of an export costs.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openForReading, prepareDatabase } from '../database.ts';
import { exportStatement } from './reads.ts';

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
