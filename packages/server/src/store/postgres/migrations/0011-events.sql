-- What happened to the contacts of each bot, in the order of commits.
CREATE TABLE events (
  bot_id text COLLATE "C" NOT NULL,
  -- Events are numbered from 1 on. A row holds some that follow one another: the number of the last one, and how many.
  last bigint NOT NULL,
  count integer NOT NULL,
  -- When the latest of them happened.
  at bigint NOT NULL,
  -- Of the first of them. Those of the others follow from it.
  id text COLLATE "C" NOT NULL,
  -- Of each: when and by whom, type, contact, fields. See event-rows.ts.
  body text NOT NULL,
  PRIMARY KEY (bot_id, last)
);

-- Mostly random ids, which a compression takes time for and gains little from.
ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;

-- event_history is another one after the data was restored or moved: positions in the feed from before mean nothing any more.
ALTER TABLE bot_states ADD COLUMN last_event bigint NOT NULL DEFAULT 0,
  ADD COLUMN event_history text NOT NULL DEFAULT '';

-- Where the tables by bot are distributed, this one is too.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE $citus$
      SELECT create_distributed_table('events', 'bot_id', colocate_with => 'bot_states')
      FROM citus_tables WHERE table_name = 'bot_states'::regclass AND citus_table_type = 'distributed'
    $citus$;
  END IF;
END $$;
