-- The attempts before the last one, oldest first: a list in JSON. Null: none.
ALTER TABLE deliveries ADD COLUMN earlier_attempts TEXT;
CREATE INDEX skipped_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'skipped';
