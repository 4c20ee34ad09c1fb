-- When the purge last trusted the clock, and until when it does not.
ALTER TABLE installation ADD COLUMN purged_at bigint, ADD COLUMN purging_paused_until bigint;
