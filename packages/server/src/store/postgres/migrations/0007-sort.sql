-- Lists in the order of names and of updates. The first line of a search text is the folded name: a list is in the order of
-- its first 64 characters.
CREATE INDEX contacts_by_name ON contacts (bot_id, left(split_part(search_text, E'\n', 1), 64), id);
CREATE INDEX contacts_by_update ON contacts (bot_id, updated_at, id);
