// The storage conformance suite on the database of ROSTER_TEST_DATABASE_URL. Run it: npm run storage-test
import { testStore } from '../store-conformance.ts';
import { claimDatabase, givenDatabaseEngine, givenDatabaseVariable } from './given-database.ts';

const url = process.env[givenDatabaseVariable];
try {
  if (url === undefined) {
    throw new Error(`Set ${givenDatabaseVariable} to the address of an empty database: all that it holds is deleted.`);
  }
  await claimDatabase(url);
  testStore(givenDatabaseEngine(url));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
