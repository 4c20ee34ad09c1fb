-- The people of an organization, what they are let in by, and what they did. All small tables, the same on every node
-- of a sharded database.

-- How a secret begins, to recognise it by; empty when it was made before this was kept.
ALTER TABLE secrets ADD COLUMN prefix text NOT NULL DEFAULT '';
-- Name of the member who made it; null: the operator.
ALTER TABLE secrets ADD COLUMN created_by text;
ALTER TABLE secrets ADD COLUMN last_used_at bigint;

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
  -- Whose password is reset, or who invites (null: the operator). It is worth nothing without them.
  member_id text COLLATE "C" REFERENCES members (id) ON DELETE CASCADE,
  -- Of whoever is invited.
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

-- Names are kept as they were: an entry outlives the member and the object that it tells of.
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
  count bigint NOT NULL
);

CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, id);
