-- Totals of searches are counted, and slow ones are kept by each server for itself.
DROP TABLE cached_counts;
ALTER TABLE bot_states DROP COLUMN count_changes, DROP COLUMN counts_version;
