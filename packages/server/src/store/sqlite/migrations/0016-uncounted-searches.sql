-- Totals of searches are counted when they are asked for, and words of one or two characters are looked for in the rows.
DROP TABLE cached_counts;
DROP TABLE ngram_counts;
DROP TABLE ngram_contacts;
ALTER TABLE search_pending DROP COLUMN counted_document;

-- bots.change_number goes. SQLite leaves the comment before a dropped column and takes the one behind it along, so its place is
-- given to the column before it.
UPDATE bots SET change_number = is_indexed;
ALTER TABLE bots DROP COLUMN is_indexed;
ALTER TABLE bots RENAME COLUMN change_number TO is_indexed;
