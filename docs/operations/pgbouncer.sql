-- What Roster sets on connections of its own. Behind PgBouncer with pool_mode = transaction it would be set for whoever has the
-- connection next, so Roster's role has it instead. Run it once, as a superuser or as Roster's role, in the database of DATABASE_URL.

ALTER ROLE roster IN DATABASE roster SET statement_timeout = '30s';
ALTER ROLE roster IN DATABASE roster SET lock_timeout = '4s';
ALTER ROLE roster IN DATABASE roster SET idle_in_transaction_session_timeout = '30s';
ALTER ROLE roster IN DATABASE roster SET enable_seqscan = off;
ALTER ROLE roster IN DATABASE roster SET jit = off;
ALTER ROLE roster IN DATABASE roster SET max_parallel_workers_per_gather = 0;
-- Without it the database plans for each bot, and takes one that is newer than its statistics for empty. Leave it out on a coordinator of
-- Citus, which must know the bot.
ALTER ROLE roster IN DATABASE roster SET plan_cache_mode = force_generic_plan;
