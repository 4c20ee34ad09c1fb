-- An email may be a member of several organizations, with a password for each. A sign-in looks for the email alone, so
-- that comes first.
ALTER TABLE members ADD CONSTRAINT members_by_email UNIQUE (email_key, organization_id);
ALTER TABLE members DROP CONSTRAINT members_email_key_key;
