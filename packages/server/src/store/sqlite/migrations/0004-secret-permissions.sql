-- Secrets from before there were permissions keep what they could do: contacts and tokens of all bots.
ALTER TABLE secrets ADD COLUMN permissions TEXT NOT NULL DEFAULT '["contacts:read","contacts:write","tokens:write"]';
-- Ids as JSON, also of bots that were deleted since; null: all bots.
ALTER TABLE secrets ADD COLUMN bots TEXT;
-- Id of the member who created it, who may have been removed since.
ALTER TABLE secrets ADD COLUMN creator_id TEXT;
-- The secret that it was created with, whose revocation is its own.
ALTER TABLE secrets ADD COLUMN parent_id TEXT;

CREATE INDEX secrets_by_parent ON secrets (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX secrets_by_creator ON secrets (creator_id) WHERE creator_id IS NOT NULL;

-- The audit log, as far as it goes back, knows who created the secrets that there are.
UPDATE secrets SET creator_id = made.actor_id
FROM (SELECT object_id, actor_id FROM audit_entries WHERE action = 'secret.create' AND actor_kind = 'member') AS made
WHERE made.object_id = secrets.id;

-- The secret that invites, whose revocation ends the invitation.
ALTER TABLE one_time_links ADD COLUMN secret_id TEXT;
CREATE INDEX one_time_links_by_secret ON one_time_links (secret_id) WHERE secret_id IS NOT NULL;
