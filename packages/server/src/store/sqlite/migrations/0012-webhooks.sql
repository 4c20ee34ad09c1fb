-- Where the events of a bot are sent to, and who sends them.
CREATE TABLE webhooks (
  bot INTEGER NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- A list in JSON. Null: all.
  types TEXT,
  description TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  failing_since INTEGER,
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  -- Each event up to this number was sent, or has a delivery.
  position INTEGER NOT NULL DEFAULT 0,
  -- Raised by every change but those of the owner.
  version INTEGER NOT NULL DEFAULT 1,
  -- The deliverer that sends its events.
  owner TEXT,
  PRIMARY KEY (bot, id)
) STRICT, WITHOUT ROWID;

-- How events were sent to a webhook.
CREATE TABLE deliveries (
  bot INTEGER NOT NULL,
  webhook_id TEXT NOT NULL,
  -- Of the event in the feed.
  number INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  -- The event in JSON: the feed may not have it any more.
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempted_at INTEGER,
  due_at INTEGER,
  status_code INTEGER,
  response TEXT,
  error TEXT,
  PRIMARY KEY (bot, webhook_id, number)
) STRICT, WITHOUT ROWID;

-- Each delivery is in one of the three that follow. Statements name them.
CREATE INDEX pending_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'pending';
CREATE INDEX succeeded_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'succeeded';
CREATE INDEX failed_deliveries ON deliveries (bot, webhook_id, number) WHERE status = 'failed';
CREATE INDEX deliveries_by_event ON deliveries (event_id);

-- Deleted webhooks whose deliveries are not all removed yet.
CREATE TABLE removed_webhooks (
  bot INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (bot, id)
) STRICT, WITHOUT ROWID;
