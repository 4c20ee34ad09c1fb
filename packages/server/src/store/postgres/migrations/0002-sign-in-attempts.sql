-- Attempts with a password that was wrong, or is being compared. Never the email itself: people type their password there.
CREATE TABLE sign_in_attempts (
  -- A hash of what they are counted by: account and address, account, address, browser or session.
  key text COLLATE "C" PRIMARY KEY,
  last_at bigint NOT NULL,
  -- When all of them are forgiven, and the row can go.
  forgiven_at bigint NOT NULL
);

CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (forgiven_at);
