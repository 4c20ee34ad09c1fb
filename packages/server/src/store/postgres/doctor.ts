// Looks at the database of DATABASE_URL, for whoever asks what is wrong. Changes nothing.
import { tableNames } from '../archive.ts';
import type { Finding } from '../finding.ts';
import { tlsOf } from './address.ts';
import { diagnoseWorkers, type Note } from './doctor-workers.ts';
import { asOpenError, checkServer, newestVersion, readVersion, refuseNewer } from './migrate.ts';
import { type Connection, withPool } from './pool.ts';
import { retrying } from './retries.ts';

/** Long enough to turn to another host. */
const reachableWithinMs = 4000;
const statementTimeoutMs = 5000;
/** Secrets and tokens expire by the servers' clocks, and several servers must agree. */
const clockSkewMaxMs = 1000;

const ourTables = [
  'installation',
  ...tableNames,
  'sessions',
  'one_time_links',
  'sign_in_attempts',
  'bot_states',
  'events',
  'deliveries',
  'removed_webhooks',
  'bots_with_webhooks',
];

export interface DiagnosedDatabase {
  url: string;
  /** Of all processes of this machine together. */
  connections: number;
}

export async function diagnosePostgres({ url, connections }: DiagnosedDatabase): Promise<Finding[]> {
  const findings: Finding[] = [];
  const note: Note = (check, level, message) => findings.push({ check, level, message });
  try {
    diagnoseTls(url, note);
    await withPool(url, { statementTimeoutMs }, async (pool) => {
      await retrying(reachableWithinMs, () => pool.query('SELECT 1'));
      note('PostgreSQL', 'ok', 'The primary answers.');
      await pool.use(async (connection) => {
        await checkServer(connection);
        note('version', 'ok', 'Its version and encoding are supported.');
        await diagnoseSchema(connection, note);
        await diagnoseClock(connection, note);
        await diagnoseSettings(connection, connections, note);
        await diagnoseWorkers(connection, connections, note);
      });
    });
  } catch (error) {
    note(findings.length <= 1 ? 'PostgreSQL' : 'database', 'problem', asOpenError(error).message);
  }
  return findings;
}

/** Contacts and hashes of passwords travel on this connection. */
function diagnoseTls(url: string, note: Note): void {
  const check = 'database TLS';
  const { mode, host } = tlsOf(url);
  const remedy = 'Use sslmode=verify-full in DATABASE_URL, and sslrootcert=FILE for your own certificate authority.';
  if (host === undefined) note(check, 'ok', 'The database is on this machine.');
  else if (mode === 'disable') {
    note(
      check,
      'warning',
      `The connection to ${host} is not encrypted. Unless the network between is private: ${remedy}`,
    );
  } else if (mode === 'require') {
    note(check, 'warning', `The connection to ${host} is encrypted, but its certificate is not verified. ${remedy}`);
  } else note(check, 'ok', `The connection to ${host} is encrypted and its certificate is verified (${mode}).`);
}

async function diagnoseSchema(connection: Connection, note: Note): Promise<void> {
  const version = await readVersion(connection);
  refuseNewer(version);
  if (version < newestVersion) {
    const creating = await connection.query("SELECT WHERE has_schema_privilege(current_schema(), 'CREATE')");
    if (creating.length === 0) {
      const message =
        'This user may not create tables. Make it the owner of the database: ALTER DATABASE … OWNER TO ….';
      note('privileges', 'problem', message);
    }
    const isNew = version === 0;
    const message = isNew
      ? 'There is no schema yet; the first start creates it.'
      : `The schema has version ${version}; the next start or "roster migrate" updates it to ${newestVersion}. Make a backup first.`;
    note('schema', isNew ? 'ok' : 'warning', message);
    return;
  }
  note('schema', 'ok', `The schema is up to date (version ${version}).`);
  // A list of privileges in one question would ask for any of them.
  const sql = `SELECT name FROM unnest($1::text[]) AS name
    WHERE NOT (has_table_privilege(name, 'SELECT') AND has_table_privilege(name, 'INSERT')
      AND has_table_privilege(name, 'UPDATE') AND has_table_privilege(name, 'DELETE'))`;
  const closed = (await connection.query<{ name: string }>(sql, [ourTables])).map(({ name }) => name);
  const refusal = `This database user cannot read and write ${closed.join(', ')}. Grant it access, or make it the owner.`;
  if (closed.length > 0) note('privileges', 'problem', refusal);
  else note('privileges', 'ok', 'This database user can read and write every table.');
}

async function diagnoseClock(connection: Connection, note: Note): Promise<void> {
  const askedAtMs = Date.now();
  const sql = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms';
  const [{ ms: theirsMs }] = (await connection.query(sql)) as [{ ms: number }];
  const answeredAtMs = Date.now();
  // It looked at its clock at some moment between the two.
  const skewMs = theirsMs < askedAtMs ? theirsMs - askedAtMs : Math.max(0, theirsMs - answeredAtMs);
  const skew = `${Math.abs(Math.round(skewMs / 1000))} seconds ${skewMs > 0 ? 'ahead of' : 'behind'}`;
  const advice = 'Synchronize both with NTP: servers must agree on when secrets and tokens expire.';
  if (Math.abs(skewMs) <= clockSkewMaxMs) note('clock', 'ok', 'This machine and the database agree on the time.');
  else note('clock', 'warning', `The database's clock is ${skew} this machine's. ${advice}`);
}

async function diagnoseSettings(connection: Connection, connections: number, note: Note): Promise<void> {
  const sql = `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS limit`;
  const [{ limit, fsync, commit }] = (await connection.query(sql)) as [
    { limit: number; fsync: string; commit: string },
  ];
  const message = `This machine's servers open up to ${connections} connections; the database allows ${limit}`;
  const advice = 'Lower ROSTER_DATABASE_CONNECTIONS or ROSTER_WORKERS, or raise max_connections.';
  if (connections <= limit) note('connections', 'ok', `${message}.`);
  else note('connections', 'problem', `${message}. ${advice}`);
  const isDurable = fsync === 'on' && commit !== 'off';
  const risk = `With fsync = ${fsync} and synchronous_commit = ${commit}, acknowledged writes can be lost in a crash.`;
  if (isDurable) note('durability', 'ok', 'Acknowledged writes survive a database crash.');
  else note('durability', 'warning', `${risk} Turn both on.`);
}
