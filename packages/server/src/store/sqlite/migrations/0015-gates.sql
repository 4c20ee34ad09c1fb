-- The token of a session is replaced when its password is confirmed. What it began with stays its key.
ALTER TABLE sessions ADD COLUMN token_hash BLOB;
UPDATE sessions SET token_hash = hash;
-- The one before works on for a moment, for requests that are in flight.
ALTER TABLE sessions ADD COLUMN previous_hash BLOB;
ALTER TABLE sessions ADD COLUMN previous_until INTEGER;
CREATE UNIQUE INDEX sessions_by_token ON sessions (token_hash);
CREATE INDEX sessions_by_previous_token ON sessions (previous_hash) WHERE previous_hash IS NOT NULL;

-- What was filtered by, where many contacts were read: names of parameters, and never what they were compared with.
ALTER TABLE audit_entries ADD COLUMN filter TEXT;

-- Whether members may decide where events of contacts are sent to, or owners alone. 0 or 1.
ALTER TABLE organizations ADD COLUMN members_may_manage_webhooks INTEGER NOT NULL DEFAULT 0;

-- Who made a webhook, and who last changed it: kind, id and name at that time, in JSON. Null for those from before.
ALTER TABLE webhooks ADD COLUMN created_by TEXT;
ALTER TABLE webhooks ADD COLUMN changed_by TEXT;
