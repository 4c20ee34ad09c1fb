// The schema of a PostgreSQL database as SQL text, the same from every version: pg_dump is not among the programs that
// tests can rely on, and its text changes with its version. Knows what our migrations use: tables, keys and indexes.
import { query } from './databases.ts';

export async function describeSchema(url: string): Promise<string> {
  const rows = await query(url, statements);
  return `${rows.map(({ statement }) => `${statement};`).join('\n\n')}\n`;
}

/** Names are sorted by bytes: the default order of the database may be another. */
const statements = String.raw`
  SELECT 'CREATE EXTENSION ' || extname AS statement, 1 AS part, extname COLLATE "C" AS table_name, '' AS name
  FROM pg_extension WHERE extname <> 'plpgsql'

  UNION ALL
  SELECT
    format(E'CREATE TABLE %I (\n%s\n)', t.relname, (
      SELECT string_agg('  ' || line, E',\n' ORDER BY part, place, line COLLATE "C") FROM (
        SELECT 1 AS part, a.attnum AS place, concat_ws(' ',
          quote_ident(a.attname),
          format_type(a.atttypid, a.atttypmod),
          (SELECT format('COLLATE %I', c.collname) FROM pg_collation c JOIN pg_type y ON y.oid = a.atttypid
            WHERE c.oid = a.attcollation AND c.oid <> y.typcollation),
          CASE WHEN a.attnotnull THEN 'NOT NULL' END,
          (SELECT CASE WHEN a.attgenerated = '' THEN 'DEFAULT ' ELSE 'GENERATED ALWAYS AS ' END
              || pg_get_expr(d.adbin, d.adrelid)
            FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum)) AS line
        FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 2, 0, format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid))
        FROM pg_constraint k
        -- From 18 on, NOT NULL is a constraint too.
        WHERE k.conrelid = t.oid AND k.contype <> 'n'
      ) AS lines
    )) || coalesce(' WITH (' || array_to_string(t.reloptions, ', ') || ')', ''),
    2, t.relname COLLATE "C", ''
  FROM pg_class t WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p')

  UNION ALL
  SELECT
    pg_get_indexdef(i.indexrelid), 2, t.relname COLLATE "C", n.relname COLLATE "C"
  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class n ON n.oid = i.indexrelid
  WHERE t.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))

  ORDER BY part, table_name, name`;
