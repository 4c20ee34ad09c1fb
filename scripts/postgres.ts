// Starts a PostgreSQL server with an empty database of the newest schema, for work by hand. It ends with this script,
// on Control-C, and nothing of it remains. Run it: npm run postgres, or with the stand-in: npm run postgres -- partitioned
import { createDatabase, type DatabaseKind } from '../packages/server/test/postgres/databases.ts';

const kind: DatabaseKind = process.argv[2] === 'partitioned' ? 'partitioned' : 'plain';
const { url } = await createDatabase(kind);
console.log(`DATABASE_URL=${url}`);
setInterval(() => {}, 2 ** 31 - 1); // Until a signal comes.
