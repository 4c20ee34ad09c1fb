// Overwrites pages of an SQLite file, as a failing disk does.
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

const pageBytes = 4096;

/** The first pages of a table, in the order of its rows: of `contacts`, the oldest. They must not be in the log. */
export async function damagePages(path: string, table = 'contacts', pages = 4): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true });
  const sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path LIMIT ?";
  const found = db.prepare(sql).all(table, pages) as { pageno: number }[];
  db.close();
  assert.ok(found.length > 0);
  const file = await open(path, 'r+');
  for (const { pageno } of found) {
    await file.write(Buffer.alloc(pageBytes, 'garbage!'), 0, pageBytes, (pageno - 1) * pageBytes);
  }
  await file.close();
}
