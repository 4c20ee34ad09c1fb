-- The attempts before the last one, oldest first: a list in JSON. Null: none.
ALTER TABLE deliveries ADD COLUMN earlier_attempts text;
CREATE INDEX skipped_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'skipped';

-- Requests of one import, or of one action on many contacts, share an entry: the task's id and name in JSON, and how many
-- contacts it created and updated.
ALTER TABLE audit_entries ADD COLUMN task text;
ALTER TABLE audit_entries ADD COLUMN created bigint;
ALTER TABLE audit_entries ADD COLUMN updated bigint;
-- An entry takes the time of what it counts last, so ids are not in the order of times.
CREATE INDEX audit_entries_by_time ON audit_entries (organization_id, at, id);
