-- What the console's home shows of a bot. When a page of another origin first loaded its widget, and when a visitor was
-- first recognised by a token; null: not yet. Contacts that were created on the day of last_created_us are counted in
-- created_last_day, those of earlier days in contacts_by_day.
ALTER TABLE bot_states ADD COLUMN widget_loaded_at bigint, ADD COLUMN visitor_recognized_at bigint,
  ADD COLUMN created_last_day bigint NOT NULL DEFAULT 0;

CREATE TABLE contacts_by_day (
  bot_id text COLLATE "C" NOT NULL,
  -- Days since 1970, in UTC.
  day bigint NOT NULL,
  -- Contacts that were created on it. Those from before this table, only if they were not deleted by then.
  created_count bigint NOT NULL,
  PRIMARY KEY (bot_id, day)
);

-- Where the tables by bot are distributed, this one is too.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE $citus$
      SELECT create_distributed_table('contacts_by_day', 'bot_id', colocate_with => 'bot_states')
      FROM citus_tables WHERE table_name = 'bot_states'::regclass AND citus_table_type = 'distributed'
    $citus$;
  END IF;
END $$;

INSERT INTO contacts_by_day (bot_id, day, created_count)
  SELECT bot_id, created_us / 86400000000, count(*) FROM contacts GROUP BY 1, 2;

-- For bots from before, the earliest time that a token still tells.
UPDATE bot_states SET widget_loaded_at = seen.first_at, visitor_recognized_at = seen.first_at
  FROM (SELECT bot_id, min(last_seen_at) AS first_at FROM contact_tokens GROUP BY bot_id) AS seen
  WHERE bot_states.bot_id = seen.bot_id;

-- The visitors who were seen last.
CREATE INDEX contact_tokens_by_last_seen ON contact_tokens (bot_id, last_seen_at, contact_id)
  WHERE last_seen_at IS NOT NULL;
