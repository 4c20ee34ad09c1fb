-- Small tables, the same on every node of a sharded database.

CREATE TABLE organizations (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE bots (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  greeting text NOT NULL,
  color text NOT NULL,
  position text NOT NULL,
  allowed_origins text NOT NULL,
  created_at bigint NOT NULL,
  deleted_at bigint
);

CREATE INDEX bots_deleted ON bots (id) WHERE deleted_at IS NOT NULL;

CREATE TABLE secrets (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint
);

-- From here on, tables by bot: every key begins with bot_id, so that they can be sharded by it.

-- One row for each bot that is not deleted. Whoever writes to a bot's contacts locks it first, so that the ids and
-- creation times of a bot ascend in the order of commits and its count is exact. Room for updates in place.
CREATE TABLE bot_states (
  bot_id text COLLATE "C" PRIMARY KEY,
  contact_count bigint NOT NULL DEFAULT 0,
  -- Creation time of the newest contact in microseconds; the next one's is later, whatever the clock says.
  last_created_us bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The last transaction of each process on a bot. One whose connection broke while it was committed asks here whether
-- it was, before it is tried again.
CREATE TABLE write_receipts (
  bot_id text COLLATE "C" NOT NULL,
  writer text COLLATE "C" NOT NULL,
  last_write bigint NOT NULL,
  written_at bigint NOT NULL,
  PRIMARY KEY (bot_id, writer)
) WITH (fillfactor = 50);

CREATE TABLE contacts (
  bot_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  email_key text COLLATE "C" NOT NULL,
  phone text NOT NULL,
  mid text NOT NULL,
  wid text NOT NULL,
  created_us bigint NOT NULL,
  updated_at bigint NOT NULL,
  search_text text COLLATE "C" NOT NULL,
  -- The trigrams of search_text, each hashed together with the bot: one list in the index holds the contacts of one
  -- bot with one trigram. Five times faster than pg_trgm beside bot_id, and needs no extension and no locale.
  search_tokens integer[] NOT NULL,
  PRIMARY KEY (bot_id, id),
  CONSTRAINT contacts_by_email UNIQUE (bot_id, email_key)
);

CREATE TABLE contact_tokens (
  bot_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  -- When a page was last served with the token; null: never.
  last_seen_at bigint,
  PRIMARY KEY (bot_id, hash),
  FOREIGN KEY (bot_id, contact_id) REFERENCES contacts (bot_id, id) ON DELETE CASCADE
);

CREATE INDEX contact_tokens_by_contact ON contact_tokens (bot_id, contact_id);
CREATE INDEX contact_tokens_by_expiry ON contact_tokens (bot_id, expires_at);

-- The search, apart from the core: an engine of this family without GIN replaces this index alone.
-- New rows wait in a list and are sorted in together (index-upkeep.ts), which costs a third of sorting in each alone.
CREATE INDEX contacts_search ON contacts USING gin (search_tokens);
