-- Made by scripts/dump-schema.ts from the migrations up to 20. Do not edit.

CREATE TABLE attributes (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  label TEXT NOT NULL,
  description TEXT NOT NULL,
  -- Exact, by the transaction of each write, as that of a tag is.
  contact_count INTEGER NOT NULL, choices TEXT,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX attributes_by_key ON attributes (bot, key);

CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  object_id TEXT,
  object_name TEXT NOT NULL,
  address TEXT,
  count INTEGER NOT NULL
, filter TEXT, task TEXT, created INTEGER, updated INTEGER) STRICT, WITHOUT ROWID;

CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, id);

CREATE INDEX audit_entries_by_time ON audit_entries (organization_id, at, id);

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
  -- Exact, by the transaction of each write: counting a million rows takes 64 ms.
  contact_count INTEGER NOT NULL DEFAULT 0,
  next_contact INTEGER NOT NULL DEFAULT 1,
  -- Creation time of the newest contact in microseconds; the next one's is later, whatever the clock says.
  last_created_us INTEGER NOT NULL DEFAULT 0,
  -- Small bots are scanned. A bot that has grown is in search_index, and stays there.
  is_indexed INTEGER NOT NULL DEFAULT 0
, next_field INTEGER NOT NULL DEFAULT 1, channels TEXT NOT NULL DEFAULT '[]', greetings TEXT NOT NULL DEFAULT '{}', widget_loaded_at INTEGER, visitor_recognized_at INTEGER, created_last_day INTEGER NOT NULL DEFAULT 0, last_event INTEGER NOT NULL DEFAULT 0, event_history TEXT NOT NULL DEFAULT '', token_max_seconds INTEGER NOT NULL DEFAULT 31536000) STRICT;

CREATE INDEX bots_deleted ON bots (number) WHERE deleted_at IS NOT NULL;

CREATE TABLE contact_tokens (
  bot INTEGER NOT NULL,
  hash BLOB NOT NULL,
  contact INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When a page was last served with the token; null: never.
  last_seen_at INTEGER,
  PRIMARY KEY (bot, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX contact_tokens_by_contact ON contact_tokens (contact);

CREATE INDEX contact_tokens_by_expiry ON contact_tokens (expires_at);

CREATE INDEX contact_tokens_by_last_seen ON contact_tokens (bot, last_seen_at, contact) WHERE last_seen_at IS NOT NULL;

CREATE TABLE contact_values (
  -- Bot number * 2^32 + number of the attribute or tag.
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  row_id INTEGER NOT NULL,
  PRIMARY KEY (field, value, row_id)
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
, attributes TEXT, tags TEXT, last_seen_at INTEGER) STRICT;

CREATE UNIQUE INDEX contacts_by_email ON contacts (bot, email_key);

CREATE UNIQUE INDEX contacts_by_id ON contacts (bot, id);

CREATE INDEX contacts_by_name ON contacts (bot, substr(search_text, 1, min(64, instr(search_text, char(10)) - 1)));

CREATE INDEX contacts_by_update ON contacts (bot, updated_at);

CREATE TABLE contacts_by_day (
  bot INTEGER NOT NULL,
  -- Days since 1970, in UTC.
  day INTEGER NOT NULL,
  -- Contacts that were created on it. Those from before this table, only if they were not deleted by then.
  created_count INTEGER NOT NULL,
  PRIMARY KEY (bot, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  bot INTEGER NOT NULL,
  webhook_id TEXT NOT NULL,
  -- Of the event in the feed.
  number INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  -- The event in JSON: the feed may not have it any more.
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempted_at INTEGER,
  due_at INTEGER,
  status_code INTEGER,
  response TEXT,
  error TEXT, contact_id TEXT NOT NULL DEFAULT '', deferral INTEGER NOT NULL DEFAULT 0, earlier_attempts TEXT,
  PRIMARY KEY (bot, webhook_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX deferred_deliveries ON deliveries (bot, webhook_id, contact_id, deferral, number) WHERE deferral > 0;

CREATE INDEX deliveries_by_event ON deliveries (event_id);

CREATE INDEX delivery_responses ON deliveries (bot, contact_id) WHERE response IS NOT NULL;

CREATE INDEX due_deliveries ON deliveries (bot, webhook_id, due_at) WHERE deferral = 1;

CREATE INDEX failed_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'failed';

CREATE INDEX fresh_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'pending' AND deferral = 0;

CREATE INDEX pending_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'pending';

CREATE INDEX skipped_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'skipped';

CREATE INDEX succeeded_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'succeeded';

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

CREATE TABLE installation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  purged_at INTEGER,
  purging_paused_until INTEGER
) STRICT;

CREATE TABLE "members" (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX members_by_email ON members (email_key, organization_id);

CREATE INDEX members_by_organization ON members (organization_id, id);

CREATE INDEX members_owners ON members (organization_id) WHERE role = 'owner';

CREATE TABLE one_time_links (
  hash BLOB PRIMARY KEY,
  -- setUp, invitation or passwordReset.
  kind TEXT NOT NULL,
  -- Of an invitation.
  id TEXT UNIQUE,
  organization_id TEXT REFERENCES organizations (id),
  -- Whose password is reset, or who invites (null: the operator). It is worth nothing without them.
  member_id TEXT REFERENCES members (id) ON DELETE CASCADE,
  -- Of whoever is invited.
  email TEXT,
  email_key TEXT,
  role TEXT,
  -- Name of the member who invites.
  invited_by TEXT,
  created_at INTEGER NOT NULL,
  -- Null: never, which is so for the set-up code.
  expires_at INTEGER
, secret_id TEXT) STRICT, WITHOUT ROWID;

CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at);

CREATE INDEX one_time_links_by_member ON one_time_links (member_id);

CREATE INDEX one_time_links_by_organization ON one_time_links (organization_id, id);

CREATE INDEX one_time_links_by_secret ON one_time_links (secret_id) WHERE secret_id IS NOT NULL;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
, members_may_manage_webhooks INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE removed_fields (
  bot INTEGER NOT NULL,
  number INTEGER NOT NULL,
  -- The number of the last contact that was looked at.
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE removed_webhooks (
  bot INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (bot, id)
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
  has_entry INTEGER NOT NULL) STRICT;

CREATE TABLE secrets (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  -- How the secret begins, to recognise it by.
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  -- Name of the member who created it; null: the operator.
  created_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
, permissions TEXT NOT NULL DEFAULT '["contacts:read","contacts:write","tokens:write"]', bots TEXT, creator_id TEXT, parent_id TEXT) STRICT, WITHOUT ROWID;

CREATE INDEX secrets_by_creator ON secrets (creator_id) WHERE creator_id IS NOT NULL;

CREATE INDEX secrets_by_parent ON secrets (parent_id) WHERE parent_id IS NOT NULL;

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

CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
, browser TEXT NOT NULL DEFAULT '', address TEXT, confirmed_at INTEGER, token_hash BLOB, previous_hash BLOB, previous_until INTEGER) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE INDEX sessions_by_member ON sessions (member_id);

CREATE INDEX sessions_by_previous_token ON sessions (previous_hash) WHERE previous_hash IS NOT NULL;

CREATE UNIQUE INDEX sessions_by_token ON sessions (token_hash);

CREATE TABLE sign_in_attempts (
  -- A hash of what they are counted by: account and address, account, address, browser or session.
  key TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL,
  -- When all of them are forgiven, and the row can go.
  forgiven_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (forgiven_at);

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

CREATE TABLE webhooks (
  bot INTEGER NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- A list in JSON. Null: all.
  types TEXT,
  description TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  failing_since INTEGER,
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  -- Each event up to this number was sent, or has a delivery.
  position INTEGER NOT NULL DEFAULT 0,
  -- Raised by every change but those of the owner.
  version INTEGER NOT NULL DEFAULT 1,
  -- The deliverer that sends its events.
  owner TEXT, created_by TEXT, changed_by TEXT, leased_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bot, id)
) STRICT, WITHOUT ROWID;
