-- When one of the contact's tokens was last seen, in milliseconds since 1970. It outlives the token. Null: never.
ALTER TABLE contacts ADD COLUMN last_seen_at bigint;

-- Of the type choice: the allowed values as they are shown, in JSON. Contacts hold them folded.
ALTER TABLE attributes ADD COLUMN choices text;
