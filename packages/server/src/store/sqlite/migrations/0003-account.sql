-- The people of an organization, what they are let in by, and what they did.

-- How a secret begins, to recognise it by; empty when it was made before this was kept.
ALTER TABLE secrets ADD COLUMN prefix TEXT NOT NULL DEFAULT '';
-- Name of the member who made it; null: the operator.
ALTER TABLE secrets ADD COLUMN created_by TEXT;
ALTER TABLE secrets ADD COLUMN last_used_at INTEGER;

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  -- Over the whole installation: an email alone says who signs in.
  email_key TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_organization ON members (organization_id, id);
CREATE INDEX members_owners ON members (organization_id) WHERE role = 'owner';

CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_member ON sessions (member_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

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
) STRICT, WITHOUT ROWID;

CREATE INDEX one_time_links_by_organization ON one_time_links (organization_id, id);
CREATE INDEX one_time_links_by_member ON one_time_links (member_id);
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at);

-- Names are kept as they were: an entry outlives the member and the object that it tells of.
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
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, id);
