-- What the console's home shows of a bot. When a page of another origin first loaded its widget, and when a visitor was
-- first recognised by a token; null: not yet. For bots from before, the earliest time that a token still tells.
ALTER TABLE bots ADD COLUMN widget_loaded_at INTEGER;
ALTER TABLE bots ADD COLUMN visitor_recognized_at INTEGER;
UPDATE bots SET visitor_recognized_at = (SELECT min(last_seen_at) FROM contact_tokens WHERE bot = bots.number);
UPDATE bots SET widget_loaded_at = visitor_recognized_at;

-- Contacts that were created on the day of last_created_us. Earlier days are in contacts_by_day.
ALTER TABLE bots ADD COLUMN created_last_day INTEGER NOT NULL DEFAULT 0;

CREATE TABLE contacts_by_day (
  bot INTEGER NOT NULL,
  -- Days since 1970, in UTC.
  day INTEGER NOT NULL,
  -- Contacts that were created on it. Those from before this table, only if they were not deleted by then.
  created_count INTEGER NOT NULL,
  PRIMARY KEY (bot, day)
) STRICT, WITHOUT ROWID;

INSERT INTO contacts_by_day (bot, day, created_count)
  SELECT bot, created_us / 86400000000, count(*) FROM contacts GROUP BY 1, 2;

-- The visitors who were seen last.
CREATE INDEX contact_tokens_by_last_seen ON contact_tokens (bot, last_seen_at, contact) WHERE last_seen_at IS NOT NULL;
