-- Requests of one import, or of one action on many contacts, share an entry: the task's id and name in JSON, and how many
-- contacts it created and updated.
ALTER TABLE audit_entries ADD COLUMN task text;
ALTER TABLE audit_entries ADD COLUMN created bigint;
ALTER TABLE audit_entries ADD COLUMN updated bigint;
