-- Where the events of a bot are sent to, and who sends them.
CREATE TABLE webhooks (
  bot_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  url text NOT NULL,
  -- A list in JSON. Null: all.
  types text,
  description text NOT NULL,
  is_enabled integer NOT NULL,
  disabled_reason text,
  failing_since bigint,
  secret text NOT NULL,
  old_secret text,
  old_secret_until bigint,
  created_at bigint NOT NULL,
  -- Each event up to this number was sent, or has a delivery.
  position bigint NOT NULL DEFAULT 0,
  -- Raised by every change but those of the owner.
  version bigint NOT NULL DEFAULT 1,
  -- The deliverer that sends its events.
  owner text COLLATE "C",
  PRIMARY KEY (bot_id, id)
);

-- How events were sent to a webhook.
CREATE TABLE deliveries (
  bot_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  -- Of the event in the feed.
  number bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  -- The event in JSON: the feed may not have it any more.
  event text NOT NULL,
  status text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  created_at bigint NOT NULL,
  attempted_at bigint,
  due_at bigint,
  status_code integer,
  response text,
  error text,
  PRIMARY KEY (bot_id, webhook_id, number)
);

-- Each delivery is in one of the three that follow. A statement that finds rows by their key cannot use them by mistake.
CREATE INDEX pending_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'pending';
CREATE INDEX succeeded_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'succeeded';
CREATE INDEX failed_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'failed';
CREATE INDEX deliveries_by_event ON deliveries (event_id);

-- Deleted webhooks whose deliveries are not all removed yet.
CREATE TABLE removed_webhooks (
  bot_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (bot_id, id)
);

-- The bots that have webhooks, so that no server asks all bots, and no node, for them.
CREATE TABLE bots_with_webhooks (id text COLLATE "C" PRIMARY KEY);

-- The processes that deliver. One whose beat stands still is dead.
CREATE TABLE deliverers (
  id text COLLATE "C" PRIMARY KEY,
  beat bigint NOT NULL
);

-- Where the tables by bot are distributed, these are too; the small one is on every node.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE $citus$
      SELECT create_distributed_table(name, 'bot_id', colocate_with => 'bot_states')
      FROM unnest(ARRAY['webhooks', 'deliveries', 'removed_webhooks']) AS name
      WHERE EXISTS (
        SELECT FROM citus_tables WHERE table_name = 'bot_states'::regclass AND citus_table_type = 'distributed')
    $citus$;
    EXECUTE $citus$
      SELECT create_reference_table('bots_with_webhooks')
      FROM citus_tables WHERE table_name = 'bot_states'::regclass AND citus_table_type = 'distributed'
    $citus$;
  END IF;
END $$;
