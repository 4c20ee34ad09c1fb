-- A webhook is leased by the server that delivers for it, for some seconds by the clock of the database. Milliseconds since 1970.
ALTER TABLE webhooks ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;
