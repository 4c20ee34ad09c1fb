// Writes the schema that the migrations of each engine produce to its schema.sql, so that a review shows what a
// migration really changes. A test fails when the file is stale. Run it after adding a migration: npm run dump-schema
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { prepareDatabase } from '../packages/server/src/store/sqlite/database.ts';
import { createDatabase } from '../packages/server/test/postgres/databases.ts';
import { describeSchema } from '../packages/server/test/postgres/describe-schema.ts';

const stores = new URL('../packages/server/src/store/', import.meta.url);
export const schemaPath = fileURLToPath(new URL('sqlite/schema.sql', stores));
export const postgresSchemaPath = fileURLToPath(new URL('postgres/schema.sql', stores));

/** Objects sorted by name. SQLite's internal ones are left out: they may differ between its versions. */
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

export async function dumpPostgresSchema(): Promise<string> {
  const { url, drop } = await createDatabase('plain');
  try {
    return `-- Made by scripts/dump-schema.ts from the migrations. Do not edit.\n\n${await describeSchema(url)}`;
  } finally {
    await drop();
  }
}

if (import.meta.main) {
  writeFileSync(schemaPath, dumpSchema());
  writeFileSync(postgresSchemaPath, await dumpPostgresSchema());
  console.log(`wrote ${schemaPath}\nwrote ${postgresSchemaPath}`);
}
