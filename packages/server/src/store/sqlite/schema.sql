-- Made by scripts/dump-schema.ts from the migrations up to 2. Do not edit.

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

CREATE TABLE contact_tokens (
  bot INTEGER NOT NULL,
  hash BLOB NOT NULL,
  contact INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, last_seen_at INTEGER,
  PRIMARY KEY (bot, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX contact_tokens_by_contact ON contact_tokens (contact);

CREATE INDEX contact_tokens_by_expiry ON contact_tokens (expires_at);

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

CREATE UNIQUE INDEX contacts_by_email ON contacts (bot, email_key);

CREATE UNIQUE INDEX contacts_by_id ON contacts (bot, id);

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search_index USING fts5 (
  search_text,
  content = '',
  contentless_delete = 1,
  tokenize = 'trigram case_sensitive 1'
);

CREATE TABLE search_pending (
  row_id INTEGER PRIMARY KEY,
  -- Whether search_index holds an older entry of the row.
  has_entry INTEGER NOT NULL
) STRICT;

CREATE TABLE secrets (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
