-- The attempts before the last one, oldest first: a list in JSON. Null: none.
ALTER TABLE deliveries ADD COLUMN earlier_attempts text;
CREATE INDEX skipped_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'skipped';
