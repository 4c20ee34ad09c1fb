-- One row, of what is about the whole database: when the purge last trusted the clock, and until when it does not.
CREATE TABLE installation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  purged_at INTEGER,
  purging_paused_until INTEGER
) STRICT;
INSERT INTO installation (id) VALUES (1);
