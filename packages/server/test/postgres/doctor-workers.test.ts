// The doctor on a cluster of Citus. Here one PostgreSQL has the tables and functions of Citus that the doctor asks for, and the
// settings of docs/operations/citus-settings.sql. What is sent to the workers is run on it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { diagnosePostgres } from '../../src/store/postgres/doctor.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { query } from './databases.ts';
import { type PostgresServer, startPostgres } from './server.ts';

/** Unqualified names are looked for in public, then here, then among those of PostgreSQL. */
const standIn = `
  CREATE SCHEMA citus;
  CREATE VIEW citus.pg_extension AS SELECT 'citus'::name AS extname;
  CREATE TABLE citus.recovery (interval_ms text);
  INSERT INTO citus.recovery VALUES ('5000');
  CREATE VIEW citus.pg_settings AS SELECT name, setting FROM pg_catalog.pg_settings
    UNION ALL SELECT 'citus.recover_2pc_interval', interval_ms FROM citus.recovery;
  CREATE TABLE citus.pg_dist_partition (logicalrelid regclass);
  INSERT INTO citus.pg_dist_partition
    SELECT attrelid FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' WHERE attname = 'bot_id';
  -- Beside the columns of Citus: how the worker's settings differ from those here, and why it does not answer.
  CREATE TABLE citus.pg_dist_node (nodeid int, nodename text, nodeport int, differences jsonb, failure text);
  INSERT INTO citus.pg_dist_node
    SELECT id, 'worker-' || id, 5432, '{"plan_cache_mode": "force_generic_plan"}' FROM generate_series(1, 2) AS id;
  CREATE FUNCTION citus.run_command_on_workers(command text)
  RETURNS TABLE (nodename text, nodeport int, success boolean, result text) LANGUAGE plpgsql AS $$
  DECLARE answer jsonb;
  BEGIN
    EXECUTE command INTO answer;
    RETURN QUERY SELECT node.nodename, node.nodeport, node.failure IS NULL,
      coalesce(node.failure, (answer || node.differences)::text) FROM citus.pg_dist_node AS node;
  END $$;
  GRANT USAGE ON SCHEMA citus TO PUBLIC;
  GRANT SELECT ON ALL TABLES IN SCHEMA citus TO PUBLIC`;

/** The settings of the database. The rest of the file is for a server with Citus. */
const [settings] = /^DO \$\$.*?^END \$\$;/ms.exec(
  readFileSync(new URL('../../../../docs/operations/citus-settings.sql', import.meta.url), 'utf8'),
) as RegExpExecArray;

suite('the doctor on Citus', () => {
  let server: PostgresServer;
  before(async () => {
    // Defaults, so that no answered write is lost.
    server = await startPostgres({ settings: {} });
    await query(server.url('postgres'), 'CREATE DATABASE cluster');
    await migratePostgres(server.url('cluster'));
    await query(server.superuserUrl('cluster'), standIn);
  });
  after(() => server.stop());

  let databases = 0;
  /** The findings about the cluster, after `change`. */
  const diagnose = async (change?: string, connections = 12) => {
    const name = `cluster_${++databases}`;
    await query(server.superuserUrl('postgres'), `CREATE DATABASE ${name} TEMPLATE cluster OWNER roster`);
    await query(server.superuserUrl(name), settings as string);
    await query(server.superuserUrl(name), `ALTER DATABASE ${name} SET search_path = public, citus, pg_catalog`);
    if (change !== undefined) await query(server.superuserUrl(name), change);
    const findings = await diagnosePostgres({ url: server.url(name), connections });
    const isOfCluster = /^(?:database$|distribution$|workers?\b|recovery$)/;
    return findings.flatMap(({ check, level, message }) => (isOfCluster.test(check) ? [[check, level, message]] : []));
  };

  const distributed = ['distribution', 'ok', 'All contact tables are distributed by bot.'];
  const recovering = ['recovery', 'ok', 'Commits interrupted by a failing worker are recovered within seconds.'];
  const well = (name: string) => [`worker ${name}:5432`, 'ok', 'It responds and has the settings that Roster needs.'];

  test('finds a cluster with the settings of citus-settings.sql well', async () => {
    assert.deepEqual(await diagnose(), [distributed, well('worker-1'), well('worker-2'), recovering]);
  });

  test('names a worker that does not answer, and what the coordinator says of it', async () => {
    const failure = 'failed to connect to worker-2:5432\nDETAIL: timeout expired';
    const found = await diagnose(`UPDATE citus.pg_dist_node SET failure = '${failure}' WHERE nodename = 'worker-2'`);
    const message =
      'It does not respond, so requests for its bots get 503. The coordinator says: failed to connect to worker-2:5432';
    assert.deepEqual(found, [distributed, well('worker-1'), ['worker worker-2:5432', 'problem', message], recovering]);
  });

  test('names the settings that a worker lacks, and those that risk answered writes', async () => {
    const found = await diagnose(`UPDATE citus.pg_dist_node
      SET differences = differences || '{"jit": "on", "plan_cache_mode": "auto", "fsync": "off"}' WHERE nodename = 'worker-1'`);
    const check = 'worker worker-1:5432';
    assert.deepEqual(found, [
      distributed,
      [check, 'warning', 'It has jit = on, plan_cache_mode = auto. Run docs/operations/citus-settings.sql.'],
      [check, 'warning', 'With fsync = off and synchronous_commit = on, acknowledged writes can be lost in a crash.'],
      well('worker-2'),
      recovering,
    ]);
  });

  test('finds a worker that takes fewer connections than the servers may need', async () => {
    const few = `UPDATE citus.pg_dist_node SET differences = differences || '{"max_connections": "20"}' WHERE nodeid = 2`;
    const found = await diagnose(few, 24);
    const message =
      "This machine's servers open up to 24 connections, and each may need one to this worker, which allows 20. Raise max_connections.";
    assert.deepEqual(found[2], ['worker worker-2:5432', 'problem', message]);
  });

  test('finds a table that is not distributed, a cluster without workers, and a slow recovery of commits', async () => {
    const found = await diagnose(`DELETE FROM citus.pg_dist_partition WHERE logicalrelid = 'contact_tokens'::regclass;
      DELETE FROM citus.pg_dist_node; UPDATE citus.recovery SET interval_ms = '60000'`);
    const advice = 'Run docs/operations/citus-settings.sql.';
    assert.deepEqual(found, [
      ['distribution', 'warning', 'Not distributed: contact_tokens. See docs/operations/citus.sql.'],
      ['workers', 'warning', 'There are no workers. See citus_add_node in docs/operations/citus.sql.'],
      ['recovery', 'warning', `Commits interrupted by a failing worker can block a bot for up to a minute. ${advice}`],
    ]);
  });
});
