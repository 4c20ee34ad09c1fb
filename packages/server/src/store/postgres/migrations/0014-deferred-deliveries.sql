-- A delivery that failed, and those of the same contact behind it, are deferred: they take no room of others.
-- The contact of the event. Empty: it is of the whole bot.
ALTER TABLE deliveries ADD COLUMN contact_id text COLLATE "C" NOT NULL DEFAULT '';
-- 0: not deferred. 1: the next of its contact, tried again when it is due. 2: waits behind that one.
ALTER TABLE deliveries ADD COLUMN deferral integer NOT NULL DEFAULT 0;

UPDATE deliveries SET contact_id = coalesce(event::jsonb ->> 'contactId', '');

-- A receiver may echo what it was sent: what it answered goes with the contact, and is not kept after a success.
UPDATE deliveries SET response = NULL
WHERE response IS NOT NULL AND (status = 'succeeded' OR contact_id <> ''
  AND NOT EXISTS (SELECT FROM contacts WHERE contacts.bot_id = deliveries.bot_id AND contacts.id = deliveries.contact_id));

UPDATE deliveries SET deferral = 1 WHERE status = 'pending' AND attempts > 0;

CREATE INDEX deferred_deliveries ON deliveries (bot_id, webhook_id, contact_id, deferral, number) WHERE deferral > 0;

UPDATE deliveries SET deferral = 2
WHERE status = 'pending' AND deferral = 0 AND EXISTS (
  SELECT FROM deliveries AS held
  WHERE held.bot_id = deliveries.bot_id AND held.webhook_id = deliveries.webhook_id
    AND held.contact_id = deliveries.contact_id AND held.deferral > 0);

CREATE INDEX due_deliveries ON deliveries (bot_id, webhook_id, due_at) WHERE deferral = 1;
CREATE INDEX fresh_deliveries ON deliveries (bot_id, webhook_id, number) WHERE status = 'pending' AND deferral = 0;
CREATE INDEX delivery_responses ON deliveries (bot_id, contact_id) WHERE response IS NOT NULL;
