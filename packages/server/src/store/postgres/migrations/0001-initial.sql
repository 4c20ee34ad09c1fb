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
  -- How the secret begins, to recognise it by.
  prefix text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  -- Name of the member who created it; null: the operator.
  created_by text,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);

CREATE TABLE members (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  email text NOT NULL,
  -- Over the whole installation: an email alone says who signs in.
  email_key text COLLATE "C" NOT NULL UNIQUE,
  role text NOT NULL,
  password_hash text NOT NULL,
  created_at bigint NOT NULL,
  last_sign_in_at bigint
);

CREATE INDEX members_by_organization ON members (organization_id, id);
CREATE INDEX members_owners ON members (organization_id) WHERE role = 'owner';

CREATE TABLE sessions (
  hash bytea PRIMARY KEY,
  member_id text COLLATE "C" NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  last_seen_at bigint NOT NULL
);

CREATE INDEX sessions_by_member ON sessions (member_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE one_time_links (
  hash bytea PRIMARY KEY,
  -- setUp, invitation or passwordReset.
  kind text NOT NULL,
  -- Of an invitation.
  id text COLLATE "C" UNIQUE,
  organization_id text COLLATE "C" REFERENCES organizations (id),
  -- Whose password is reset, or who invites (null: the operator). The link is deleted with the member.
  member_id text COLLATE "C" REFERENCES members (id) ON DELETE CASCADE,
  -- Of an invitation.
  email text,
  email_key text COLLATE "C",
  role text,
  -- Name of the member who invites.
  invited_by text,
  created_at bigint NOT NULL,
  -- Null: never, which is so for the set-up code.
  expires_at bigint
);

CREATE INDEX one_time_links_by_organization ON one_time_links (organization_id, id);
CREATE INDEX one_time_links_by_member ON one_time_links (member_id);
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at);

-- Names are kept as they were: an entry outlives the member and the object that it names.
CREATE TABLE audit_entries (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
  at bigint NOT NULL,
  action text NOT NULL,
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  actor_name text NOT NULL,
  object_id text COLLATE "C",
  object_name text NOT NULL,
  address text,
  count bigint NOT NULL,
  -- The ids of the records that were merged into this entry last, newest first. A retry after a lost connection finds its
  -- own among them.
  merged_ids text[] COLLATE "C" NOT NULL DEFAULT '{}'
);

CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, id);

-- From here on, tables by bot: every key begins with bot_id, so that they can be sharded by it.

-- One row for each bot that is not deleted. Whoever writes to a bot's contacts locks it first, so that the ids and
-- creation times of a bot ascend in the order of commits and its count is exact. Room for updates in place.
CREATE TABLE bot_states (
  bot_id text COLLATE "C" PRIMARY KEY,
  contact_count bigint NOT NULL DEFAULT 0,
  -- Creation time of the newest contact in microseconds; the next one's is later, whatever the clock says.
  last_created_us bigint NOT NULL DEFAULT 0
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
-- New rows wait in a list and are sorted in together (search/maintenance.ts), which costs a third of sorting in each alone.
CREATE INDEX contacts_search ON contacts USING gin (search_tokens);
