-- What a member tells their sessions apart by. Of those from before nothing is known.
ALTER TABLE sessions ADD COLUMN browser text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address text;
-- When the password was typed again; null: not since the sign-in.
ALTER TABLE sessions ADD COLUMN confirmed_at bigint;
