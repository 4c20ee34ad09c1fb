-- When a page was last served with the token; null: never.
ALTER TABLE contact_tokens ADD COLUMN last_seen_at INTEGER;
