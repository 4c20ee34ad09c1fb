-- Settings for every node of a Citus cluster. What a session of Roster sets reaches the coordinator alone: workers have
-- these from their database. citus.sql includes this file. Run it again after each citus_add_node, on the coordinator, as a
-- superuser: Roster's role may set neither lc_messages nor what is set for the whole server. It may be run at any time, and
-- applies to connections that are made afterwards:
--
--   psql --set ON_ERROR_STOP=1 --file citus-settings.sql postgres://postgres@coordinator.internal/roster

DO $$
DECLARE
  setting text;
BEGIN
  FOREACH setting IN ARRAY ARRAY[
    -- Compiling a plan takes longer than running it, and all of Roster's statements find rows by an index.
    'jit = off',
    'enable_seqscan = off',
    -- One plan for all bots: the statistics may take a new one for empty, and a plan for it reads all its rows to find one.
    'plan_cache_mode = ''force_generic_plan''',
    -- As long as Roster waits on one PostgreSQL. No statement_timeout: the coordinator cancels what its workers do, and
    -- copying a shard or building an index takes longer than any request may.
    'lock_timeout = ''4s''',
    -- Ends the session of a coordinator, or of a server, that vanished without a word, and with it its locks.
    'tcp_keepalives_idle = 5',
    'tcp_keepalives_interval = 2',
    'tcp_keepalives_count = 3',
    'client_connection_check_interval = ''2s''',
    -- A worker that does not answer must not hold up the bots of the others. The default is 30 seconds.
    'citus.node_connection_timeout = 2000',
    -- Roster tells the loss of a worker by the text of some errors.
    'lc_messages = ''C'''
  ] LOOP
    -- Citus passes it on to every worker.
    EXECUTE format('ALTER DATABASE %I SET %s', current_database(), setting);
  END LOOP;
  -- The coordinator must know the bot to choose the shard.
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  EXECUTE format('ALTER DATABASE %I RESET plan_cache_mode', current_database());
END $$;

-- The next two are settings of the coordinator's server, not of its database.
-- A worker that dies between the two phases of a commit holds up the rows of that commit until Citus has finished it:
-- by default it looks once in a minute.
ALTER SYSTEM SET citus.recover_2pc_interval = '5s';
-- Ends connections to a worker that vanished without a word. What is set already, such as sslmode, stays.
SELECT CASE WHEN current_setting('citus.node_conninfo') LIKE '%keepalives_idle%' THEN current_setting('citus.node_conninfo')
  ELSE current_setting('citus.node_conninfo')
    || ' keepalives=1 keepalives_idle=3 keepalives_interval=1 keepalives_count=3 tcp_user_timeout=5000'
  END AS conninfo \gset
ALTER SYSTEM SET citus.node_conninfo = :'conninfo';
SELECT pg_reload_conf();
