-- Lists in the order of names and of updates. The first line of a search text is the folded name: a list is in the order of
-- its first 64 characters.
CREATE INDEX contacts_by_name ON contacts (bot, substr(search_text, 1, min(64, instr(search_text, char(10)) - 1)));
CREATE INDEX contacts_by_update ON contacts (bot, updated_at);
