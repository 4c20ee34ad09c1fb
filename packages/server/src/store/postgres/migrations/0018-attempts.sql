-- The attempts before the last one, oldest first: a list in JSON. Null: none.
ALTER TABLE deliveries ADD COLUMN earlier_attempts text;
