-- How many contacts of an indexed bot hold a piece of one or two characters, in their id or their text. Rows that
-- stand in search_pending are counted by what they held when they were indexed last: their counted_document.
CREATE TABLE piece_counts (
  bot INTEGER NOT NULL,
  piece TEXT NOT NULL,
  contact_count INTEGER NOT NULL,
  -- Whether piece_contacts lists them, as it does while they are few. Many are found by reading contacts in order.
  is_listed INTEGER NOT NULL,
  PRIMARY KEY (bot, piece)
) STRICT, WITHOUT ROWID;

CREATE TABLE piece_contacts (
  bot INTEGER NOT NULL,
  piece TEXT NOT NULL,
  contact INTEGER NOT NULL,
  PRIMARY KEY (bot, piece, contact)
) STRICT, WITHOUT ROWID;

-- Null: the row is in no count.
ALTER TABLE search_pending ADD COLUMN counted_document TEXT;

-- The contacts of an indexed bot up to this number are in piece_counts. In a database of an earlier version that is
-- none, and the writer goes on from there.
ALTER TABLE bots ADD COLUMN counted_through INTEGER NOT NULL DEFAULT 0;

-- Goes up with every change of an indexed bot's documents: a total that was counted is of this moment.
ALTER TABLE bots ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;

-- Totals of searches that are slow to count, in stretches of contact numbers: each row counts those from its first
-- contact up to the next row's. Every write adjusts them in its own transaction.
CREATE TABLE kept_totals (
  bot INTEGER NOT NULL,
  -- The spellings of each word, as JSON.
  words TEXT NOT NULL,
  first_contact INTEGER NOT NULL,
  contact_count INTEGER NOT NULL,
  PRIMARY KEY (bot, words, first_contact)
) STRICT, WITHOUT ROWID;
