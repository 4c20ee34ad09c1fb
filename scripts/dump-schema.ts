// Writes the schema that the migrations produce to schema.sql, so that a review sees what a migration really changes.
// A test compares the two. Run it after adding a migration: node scripts/dump-schema.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { prepareDatabase } from '../packages/server/src/store/sqlite/database.ts';

export const schemaPath = fileURLToPath(new URL('../packages/server/src/store/sqlite/schema.sql', import.meta.url));

/** Objects by name. Those that SQLite makes by itself are left out: they may differ with its version. */
export function dumpSchema(): string {
  const folder = mkdtempSync(join(tmpdir(), 'roster-schema-'));
  try {
    const path = join(folder, 'roster.db');
    prepareDatabase(path);
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
      const objects = db
        .prepare(
          `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
             AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
           ORDER BY tbl_name, type DESC, name`,
        )
        .all() as { sql: string }[];
      const header = `-- Made by scripts/dump-schema.ts from the migrations up to ${version}. Do not edit.`;
      return `${[header, ...objects.map(({ sql }) => `${sql};`)].join('\n\n')}\n`;
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  writeFileSync(schemaPath, dumpSchema());
  console.log(`wrote ${schemaPath}`);
}
