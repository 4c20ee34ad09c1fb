-- What contacts have beside their fields. A number is given once to an attribute or a tag of a bot, and never again.
ALTER TABLE bots ADD COLUMN next_field INTEGER NOT NULL DEFAULT 1;

CREATE TABLE attributes (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  label TEXT NOT NULL,
  description TEXT NOT NULL,
  -- Exact, by the transaction of each write, as that of a tag is.
  contact_count INTEGER NOT NULL,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX attributes_by_key ON attributes (bot, key);

CREATE TABLE tags (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  -- The folded name.
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  contact_count INTEGER NOT NULL,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX tags_by_key ON tags (bot, key);

CREATE TABLE segments (
  bot INTEGER NOT NULL,
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  query TEXT NOT NULL,
  -- As JSON, by the keys of attributes and the names of tags.
  filter TEXT NOT NULL,
  sort TEXT NOT NULL,
  PRIMARY KEY (bot, key)
) STRICT, WITHOUT ROWID;

-- Numbers of deleted attributes and tags that contacts may still hold.
CREATE TABLE removed_fields (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  -- The number of the last contact that was looked at.
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

-- By which filters find contacts: an entry for each value and each tag of a contact. Of text, 64 bits of a hash of its folded
-- form; of a tag, 0.
CREATE TABLE contact_values (
  -- Bot number * 2^32 + number of the attribute or tag.
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  row_id INTEGER NOT NULL,
  PRIMARY KEY (field, value, row_id)
) STRICT, WITHOUT ROWID;

-- A JSON object, number of the attribute to value, dates in milliseconds; and a JSON array of the numbers of tags. Null: none.
ALTER TABLE contacts ADD COLUMN attributes TEXT;
ALTER TABLE contacts ADD COLUMN tags TEXT;
