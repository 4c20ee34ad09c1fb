// Every statement on webhooks and their deliveries. Each names one bot, so that a sharded database asks one node; a test reads
// the plan of each from this list. Connections prepare them by name.
import { named } from '../../sql-steps.ts';
import { leaseSql, replaceDelivery, webhookStatements as sharedStatements } from '../../webhooks/webhook-sql.ts';

/** By the clock of the database, in milliseconds since 1970. */
const now = 'CAST(extract(epoch FROM now()) * 1000 AS bigint)';

/** The webhooks of a server that died wait so long for another. */
export const leaseRules = { leaseMs: 15_000, leaseMaxMs: 60_000 };
export const leases = leaseSql(now, leaseRules);
/** Of the owners $2. */
const isOwned = 'owner = ANY ($2::text[])';

/** Of many bots in one statement, for tables that lie on one node. A row that somebody has locked is left out. */
const ofEach = (condition: string) => `WHERE (bot_id, id) IN (
    SELECT bot_id, id FROM webhooks WHERE bot_id = ANY ($1::text[]) AND ${condition} FOR UPDATE SKIP LOCKED)`;
export const takeOfEach = `${leases.take} ${ofEach(leases.isFree)} RETURNING bot_id AS "botId", id AS "webhookId"`;
export const renewOfEach = `${leases.renew} ${ofEach(isOwned)} RETURNING id`;

/** $4 has an array of values for each number, by its name. */
const given = (position: number) => `($4::jsonb -> number::text ->> ${position})`;

const ownStatements = named({
  takeWebhooks: `${leases.take} WHERE bot_id = $1 AND ${leases.isFree} RETURNING bot_id AS "botId", id AS "webhookId"`,
  renewLeases: `${leases.renew} WHERE bot_id = $1 AND ${isOwned} RETURNING id`,
  // Rows come beside the bot's state, as those of contacts do: only so does Citus route the statement.
  insertDeliveries: `INSERT INTO deliveries (bot_id, webhook_id, number, event_id, event, contact_id, deferral, status,
      attempts, created_at, due_at)
    SELECT bot_states.bot_id, $2::text, given.number, given.event_id, given.event, given.contact_id, given.deferral,
      'pending', 0, $8::bigint, $8::bigint
    FROM bot_states, unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::integer[])
      AS given (number, event_id, event, contact_id, deferral)
    WHERE bot_states.bot_id = $1 ${replaceDelivery('bot_id')}`,
  findDeferredOf: `SELECT DISTINCT contact_id AS id FROM deliveries
    WHERE bot_id = $1 AND webhook_id = $2 AND contact_id = ANY ($3::text[]) AND deferral > 0`,
  // $3: the numbers. Joined with arrays, 500 rows took a second on a table without statistics, and take a tenth of it in this way.
  // The lock on the contact makes a deletion wait for this write or this write for it, so that no response outlives its contact.
  saveDeliveries: `UPDATE deliveries SET status = ${given(0)}, attempts = ${given(1)}::integer,
      attempted_at = ${given(2)}::bigint, due_at = ${given(3)}::bigint, deferral = ${given(4)}::integer,
      status_code = ${given(5)}::integer, error = ${given(7)}, earlier_attempts = ${given(8)},
      response = CASE WHEN ${given(6)} IS NOT NULL AND (contact_id = ''
        OR EXISTS (SELECT FROM contacts WHERE bot_id = $1 AND id = deliveries.contact_id FOR KEY SHARE)) THEN ${given(6)} END
    WHERE bot_id = $1 AND webhook_id = $2 AND number = ANY ($3::bigint[])
      AND (status <> 'skipped' OR ${given(0)} = 'succeeded')`,
  hasWebhooks: 'SELECT id FROM webhooks WHERE bot_id = $1 LIMIT 1',
});

export const webhookStatements = { ...sharedStatements('bot_id', () => ''), ...ownStatements };
