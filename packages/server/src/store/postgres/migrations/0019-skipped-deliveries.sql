-- Apart from the column, whose lock would keep all reads of deliveries waiting meanwhile.
CREATE INDEX skipped_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'skipped';
