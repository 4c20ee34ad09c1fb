-- FTS5 merges nothing by itself, which could take seconds inside an insert: the maintenance of the search index merges, in
-- small steps.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
INSERT INTO search_index (search_index, rank) VALUES ('deletemerge', 0);
INSERT INTO search_index (search_index, rank) VALUES ('crisismerge', 1999);
INSERT INTO search_index (search_index, rank) VALUES ('usermerge', 4);
