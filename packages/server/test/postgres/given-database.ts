// A database that is already there, of ROSTER_TEST_DATABASE_URL, as an engine under test: every store is opened on it, and
// its tables are emptied first. For whoever has a Citus, or another relative of PostgreSQL.
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { type Engine, postgresUnderLoad, reopenable } from '../conformance/engine.ts';
import { query } from './databases.ts';

export const givenDatabaseVariable = 'ROSTER_TEST_DATABASE_URL';

/** The mark of a database whose contacts may be deleted: the suite made it while there was no organization. */
const mark = 'roster_test_database';

const sharedTables =
  'bots_with_webhooks, audit_entries, one_time_links, sessions, members, secrets, bots, organizations';
const empty = [
  'TRUNCATE contact_tokens, contacts, bot_states, attributes, tags, removed_fields, segments',
  'TRUNCATE webhooks, deliveries, removed_webhooks',
  `TRUNCATE ${sharedTables}`,
  'TRUNCATE sign_in_attempts',
  'UPDATE installation SET purged_at = NULL, purging_paused_until = NULL',
];

/** Brings the schema up to date, and fails if somebody may need what the database holds. */
export async function claimDatabase(url: string): Promise<void> {
  await migratePostgres(url);
  const [{ mine, used }] = (await query(
    url,
    `SELECT to_regclass('${mark}') IS NOT NULL AS mine, EXISTS (SELECT FROM organizations) AS used`,
  )) as [{ mine: boolean; used: boolean }];
  if (used && !mine) {
    throw new Error(
      `The database of ${givenDatabaseVariable} holds organizations, and these tests delete everything: name an empty one.`,
    );
  }
  if (!mine) await query(url, `CREATE TABLE ${mark} ()`);
}

/** Plans for large bots are left out: to pass for one, a database must let us change the planner's statistics. */
export function givenDatabaseEngine(url: string): Engine {
  return {
    name: 'the given database',
    heeds: ['quickEffortMax'],
    async open({ quickEffortMax, isSerial = false } = {}) {
      for (const statement of empty) await query(url, statement);
      const settings = {
        url,
        ...postgresUnderLoad,
        isMigrating: false,
        ...(isSerial && { connections: 3 }),
        ...(quickEffortMax !== undefined && { broadFrom: quickEffortMax }),
      };
      return reopenable(
        () => openPostgresStore(settings),
        async () => {},
      );
    },
  };
}
