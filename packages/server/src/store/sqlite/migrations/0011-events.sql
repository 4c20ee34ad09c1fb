-- What happened to the contacts of each bot, in the order of commits.
CREATE TABLE events (
  bot INTEGER NOT NULL,
  -- Events are numbered from 1 on. A row holds some that follow one another: the number of the last one, and how many.
  last INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- When the latest of them happened.
  at INTEGER NOT NULL,
  -- Of the first of them. Those of the others follow from it.
  id TEXT NOT NULL,
  -- Of each: when and by whom, type, contact, fields. See event-rows.ts.
  body TEXT NOT NULL,
  PRIMARY KEY (bot, last)
) STRICT, WITHOUT ROWID;

ALTER TABLE bots ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
-- Another one after the data was restored or moved: positions in the feed from before mean nothing any more.
ALTER TABLE bots ADD COLUMN event_history TEXT NOT NULL DEFAULT '';
