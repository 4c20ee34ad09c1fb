-- An email may be a member of several organizations, with a password for each. SQLite cannot drop the old constraint, so
-- the table is made anew. Foreign keys are off meanwhile: dropping the old table would otherwise take sessions along.
CREATE TABLE new_members (
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

INSERT INTO new_members (id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at)
  SELECT id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at FROM members;

DROP TABLE members;
ALTER TABLE new_members RENAME TO members;

CREATE INDEX members_by_organization ON members (organization_id, id);
CREATE INDEX members_owners ON members (organization_id) WHERE role = 'owner';
-- A sign-in looks for the email alone, so that comes first.
CREATE UNIQUE INDEX members_by_email ON members (email_key, organization_id);
