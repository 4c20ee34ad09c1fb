CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE bots (
  -- Never used again after a deletion (AUTOINCREMENT): the row ids of contacts are made of it.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  greeting TEXT NOT NULL,
  color TEXT NOT NULL,
  position TEXT NOT NULL,
  allowed_origins TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- Kept exactly, in the transaction of each write: counting a million rows takes 64 ms.
  contact_count INTEGER NOT NULL DEFAULT 0,
  next_contact INTEGER NOT NULL DEFAULT 1,
  -- Creation time of the newest contact in microseconds; the next one's is later, whatever the clock says.
  last_created_us INTEGER NOT NULL DEFAULT 0,
  -- Small bots are scanned. A bot that has grown is in search_index, and stays there.
  is_indexed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX bots_deleted ON bots (number) WHERE deleted_at IS NOT NULL;

CREATE TABLE secrets (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE contacts (
  -- Bot number * 2^32 + contact number: the rows of a bot lie together, in the order of creation.
  row_id INTEGER PRIMARY KEY,
  bot INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  phone TEXT NOT NULL,
  mid TEXT NOT NULL,
  wid TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  search_text TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX contacts_by_id ON contacts (bot, id);
CREATE UNIQUE INDEX contacts_by_email ON contacts (bot, email_key);

CREATE TABLE contact_tokens (
  bot INTEGER NOT NULL,
  hash BLOB NOT NULL,
  contact INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (bot, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX contact_tokens_by_contact ON contact_tokens (contact);
CREATE INDEX contact_tokens_by_expiry ON contact_tokens (expires_at);

-- Trigrams of contacts.search_text, which is folded already: no folding of the tokenizer's own may widen a match.
CREATE VIRTUAL TABLE search_index USING fts5 (
  search_text,
  content = '',
  contentless_delete = 1,
  tokenize = 'trigram case_sensitive 1'
);

-- More segments before a merge: fewer merges while writes come fast. Merges in quiet moments make up for it.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 16);
INSERT INTO search_index (search_index, rank) VALUES ('crisismerge', 64);
INSERT INTO search_index (search_index, rank) VALUES ('usermerge', 2);

-- Rows of indexed bots whose entry in search_index is missing or out of date. Indexing a thousand rows at once costs
-- a fifth of indexing each with its own commit, so writes only note the row here and a search reads both.
CREATE TABLE search_pending (
  row_id INTEGER PRIMARY KEY,
  -- Whether search_index holds an older entry of the row.
  has_entry INTEGER NOT NULL
) STRICT;
