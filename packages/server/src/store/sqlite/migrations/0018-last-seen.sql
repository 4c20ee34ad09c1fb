-- When one of the contact's tokens was last seen, in milliseconds since 1970. It outlives the token. Null: never.
ALTER TABLE contacts ADD COLUMN last_seen_at INTEGER;

UPDATE contacts SET last_seen_at = (SELECT max(last_seen_at) FROM contact_tokens WHERE contact = row_id)
  WHERE row_id IN (SELECT contact FROM contact_tokens WHERE last_seen_at IS NOT NULL);

-- Of the type choice: the allowed values as they are shown, in JSON. Contacts hold them folded.
ALTER TABLE attributes ADD COLUMN choices TEXT;
