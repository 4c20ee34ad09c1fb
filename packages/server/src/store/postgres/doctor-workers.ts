// The part of the doctor that looks at the nodes of a Citus cluster: whether each worker answers, keeps what it is given,
// and has the settings of docs/operations/citus-settings.sql. Changes nothing.
import type { Finding } from '../finding.ts';
import type { Connection } from './pool.ts';

export type Note = (check: string, level: Finding['level'], message: string) => void;

/** As citus-settings.sql sets them on every node. */
const wanted: Record<string, string> = {
  jit: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  lock_timeout: '4s',
  tcp_keepalives_idle: '5',
  client_connection_check_interval: '2s',
  lc_messages: 'C',
};
const settingNames = [...Object.keys(wanted), 'fsync', 'synchronous_commit', 'max_connections'];
const readSettings = `SELECT json_object_agg(name, current_setting(name))
  FROM unnest('{${settingNames.join()}}'::text[]) AS name`;
const advice = 'Run docs/operations/citus-settings.sql.';
/** Citus waits for so long before it looks for commits that were left undone; the default is a minute. */
const recoveryMaxMs = 10_000;

interface Worker {
  name: string;
  success: boolean;
  result: string;
}

/** Nothing on a database without Citus. `connections`: of all processes of this machine together. */
export async function diagnoseWorkers(connection: Connection, connections: number, note: Note): Promise<void> {
  const hasCitus = await connection.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (hasCitus.length === 0) return;
  await diagnoseTables(connection, note);
  const workers = await connection.query<Worker>(
    `SELECT node.nodename || ':' || node.nodeport AS name, sent.success, sent.result
      FROM run_command_on_workers($1) AS sent
      JOIN pg_dist_node AS node ON node.nodename = sent.nodename AND node.nodeport = sent.nodeport
      ORDER BY node.nodeid`,
    [readSettings],
  );
  if (workers.length === 0)
    note('workers', 'warning', 'There are no workers. See citus_add_node in docs/operations/citus.sql.');
  for (const worker of workers) diagnoseWorker(worker, connections, note);
  const [recovery] = await connection.query<{ ms: number }>(
    "SELECT setting::int AS ms FROM pg_settings WHERE name = 'citus.recover_2pc_interval'",
  );
  const isRecovering = recovery !== undefined && recovery.ms > 0 && recovery.ms <= recoveryMaxMs;
  if (isRecovering) note('recovery', 'ok', 'Commits interrupted by a failing worker are recovered within seconds.');
  else
    note(
      'recovery',
      'warning',
      `Commits interrupted by a failing worker can block a bot for up to a minute. ${advice}`,
    );
}

function diagnoseWorker({ name, success, result }: Worker, connections: number, note: Note): void {
  const check = `worker ${name}`;
  if (!success) {
    note(
      check,
      'problem',
      `It does not respond, so requests for its bots get 503. The coordinator says: ${result.split('\n')[0]}`,
    );
    return;
  }
  const settings = JSON.parse(result) as Record<string, string>;
  const different = Object.keys(wanted).filter((setting) => settings[setting] !== wanted[setting]);
  if (different.length > 0) {
    const list = different.map((setting) => `${setting} = ${settings[setting]}`).join(', ');
    note(check, 'warning', `It has ${list}. ${advice}`);
  }
  if (settings['fsync'] !== 'on' || settings['synchronous_commit'] === 'off') {
    const { fsync, synchronous_commit: commit } = settings;
    note(
      check,
      'warning',
      `With fsync = ${fsync} and synchronous_commit = ${commit}, acknowledged writes can be lost in a crash.`,
    );
  }
  const limit = Number(settings['max_connections']);
  if (connections > limit) {
    const message = `This machine's servers open up to ${connections} connections, and each may need one to this worker, which allows ${limit}.`;
    note(check, 'problem', `${message} Raise max_connections.`);
  }
  if (different.length === 0) note(check, 'ok', 'It responds and has the settings that Roster needs.');
}

/** Tables that a later version added, and that nobody has distributed. */
async function diagnoseTables(connection: Connection, note: Note): Promise<void> {
  const undistributed = await connection.query<{ name: string }>(
    `SELECT class.relname AS name FROM pg_class AS class
      JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attname = 'bot_id'
      WHERE class.relkind = 'r' AND class.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('contacts'))
        AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = class.oid) ORDER BY 1`,
  );
  const names = undistributed.map(({ name }) => name).join(', ');
  if (names === '') note('distribution', 'ok', 'All contact tables are distributed by bot.');
  else note('distribution', 'warning', `Not distributed: ${names}. See docs/operations/citus.sql.`);
}
