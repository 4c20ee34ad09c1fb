-- How long new contact tokens are valid at most. The default is the longest there is: a year.
ALTER TABLE bots ADD COLUMN token_max_seconds integer NOT NULL DEFAULT 31536000;
