-- Totals of broad searches, exact on every server: `base` is what a search has counted, less what had changed until then. What
-- has changed is in the bot's state, which every write to the bot brings up to date in its own transaction.
CREATE TABLE cached_counts (
  bot_id text COLLATE "C" NOT NULL,
  -- The spellings of each word, as JSON.
  words text COLLATE "C" NOT NULL,
  -- Where its change stands in bot_states.count_changes.
  position smallint NOT NULL,
  -- Null until a search has counted.
  base bigint,
  -- When it was added, in microseconds: tells it apart from an earlier one of the same words.
  added_us bigint NOT NULL,
  PRIMARY KEY (bot_id, words)
);

ALTER TABLE bot_states
  ADD COLUMN count_changes bigint[] NOT NULL DEFAULT '{}',
  -- Goes up when the words that are counted change: a writer that does not know them has not seen the number.
  ADD COLUMN counts_version bigint NOT NULL DEFAULT 0;

-- Where the tables by bot are distributed, this one is too.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE $citus$
      SELECT create_distributed_table('cached_counts', 'bot_id', colocate_with => 'bot_states')
      FROM citus_tables WHERE table_name = 'bot_states'::regclass AND citus_table_type = 'distributed'
    $citus$;
  END IF;
END $$;
