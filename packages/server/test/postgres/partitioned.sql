-- The stand-in for a database that is sharded by bot: turns every table that has a bot_id into hash partitions by it.
-- It refuses what sharding refuses, unique keys without bot_id above all, and gives keys and indexes other names.
DO $$
DECLARE
  partitions CONSTANT int := 4;
  bot_tables CONSTANT name[] := ARRAY(
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'bot_id' ORDER BY c.relname);
  -- LIKE copies everything but these.
  foreign_keys CONSTANT text[] := ARRAY(
    SELECT format('ALTER TABLE %I ADD %s', c.relname, pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE k.contype = 'f' AND c.relname = ANY (bot_tables));
  bot_table name;
  foreign_key text;
BEGIN
  IF NOT bot_tables @> ARRAY['contacts', 'contact_tokens']::name[] THEN
    RAISE 'The tables of contacts and their tokens have no bot_id: %', bot_tables;
  END IF;
  FOREACH bot_table IN ARRAY bot_tables LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO whole', bot_table);
    EXECUTE format('CREATE TABLE %I (LIKE whole INCLUDING ALL) PARTITION BY HASH (bot_id)', bot_table);
    FOR remainder IN 0 .. partitions - 1 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
        bot_table || '_' || remainder, bot_table, partitions, remainder);
    END LOOP;
    DROP TABLE whole CASCADE;
  END LOOP;
  FOREACH foreign_key IN ARRAY foreign_keys LOOP
    EXECUTE foreign_key;
  END LOOP;
END $$;
