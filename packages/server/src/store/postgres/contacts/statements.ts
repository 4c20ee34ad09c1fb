// Every statement on the tables by bot, but those of searches with words. Each names one bot, so that a sharded database
// asks one node; a test reads the plan of each from this list. Connections prepare them by name.

import { columnsWithValues, contactColumns } from '../../contacts/row.ts';
import { named } from '../../sql-steps.ts';
import { attributeStatements, storedAttributeColumns, tagColumns } from '../../values/attribute-sql.ts';
import type { Value } from '../pool.ts';

/** A deleted bot has no state: its contacts are out of reach before they are purged. */
export const botLives = 'EXISTS (SELECT FROM bot_states WHERE bot_states.bot_id = $1)';

/**
 * Whole rows as columns of arrays, from $2 on. Arrays within arrays would have to be of one length: the tokens of all
 * rows come as one, $14, with where those of each row begin and end.
 */
const rowsColumns = `${contactColumns}, email_key, search_text, search_tokens`;
const rowsColumnsWithValues = `${rowsColumns}, attributes, tags, filter_tokens`;
const rowsArrays = `$2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
    $10::text[], $11::text[], $12::integer[], $13::integer[]`;
const arraysColumns = `${contactColumns}, email_key, search_text, tokens_from, tokens_to`;
const rowsOf = (arrays: string, columns: string) => `(SELECT *, ($14::integer[])[tokens_from:tokens_to] AS search_tokens
  FROM unnest(${arrays}) AS row (${columns})) AS given`;
const rows = rowsOf(rowsArrays, arraysColumns);
/** $15 and $16: what the contacts have beside their fields. Their tokens for filters come as the others do, in $19. */
const rowsWithValues = `(SELECT *, nullif(($19::bigint[])[filters_from:filters_to], '{}') AS filter_tokens FROM ${rowsOf(
  `${rowsArrays}, $15::text[], $16::text[], $17::integer[], $18::integer[]`,
  `${arraysColumns}, attributes, tags, filters_from, filters_to`,
)}) AS given`;

// Rows come beside the bot's state: only so does Citus route the statement to the bot's node, commit it there alone,
// and report a duplicate as 23505.
const insertRows = (columns: string, given: string) =>
  `INSERT INTO contacts (bot_id, ${columns}) SELECT bot_states.bot_id, ${columns.replaceAll(/\w+/g, 'given.$&')}
    FROM bot_states, ${given} WHERE bot_states.bot_id = $1`;
// All of them are there: the bot is locked, and they were read. A join of the table with the arrays would be planned by statistics:
// without any, it compared each of 1000 rows with each, which took a second.
const updateRows = (columns: string, given: string) =>
  `${insertRows(columns, given)} ON CONFLICT (bot_id, id) DO UPDATE SET ${columns
    .split(', ')
    .filter((column) => column !== 'id' && column !== 'created_us')
    .map((column) => `${column} = excluded.${column}`)
    .join()}`;

const exportPage = (columns: string) =>
  `SELECT ${columns} FROM contacts WHERE bot_id = $1 AND id > $2 AND ${botLives} ORDER BY id LIMIT $3`;
const sampledContacts = `SELECT ${columnsWithValues}, search_text, last_seen_at FROM contacts WHERE bot_id = $1`;
const ownStatements = named({
  insertState: 'INSERT INTO bot_states (bot_id) VALUES ($1) ON CONFLICT (bot_id) DO NOTHING',
  deleteState: 'DELETE FROM bot_states WHERE bot_id = $1',
  lockState: `SELECT contact_count AS "contactCount", last_created_us AS "lastCreatedUs",
      created_last_day AS "createdLastDay", last_event AS "lastEvent", next_field AS "nextValueNumber"
    FROM bot_states WHERE bot_id = $1 FOR UPDATE`,
  saveState: `UPDATE bot_states SET contact_count = $2, last_created_us = $3, created_last_day = $4, last_event = $5
    WHERE bot_id = $1`,
  insertEvents: 'INSERT INTO events (bot_id, last, count, at, id, body) VALUES ($1, $2, $3, $4, $5, $6)',
  saveLastEvent: 'UPDATE bot_states SET last_event = $2 WHERE bot_id = $1',
  findEvents: 'SELECT last FROM events WHERE bot_id = $1 AND last = $2 AND id = $3',
  // The feed and its events are of one snapshot. A feed without events in the range is one row without any.
  readEvents: `SELECT event_history AS history, last_event AS "end", last, count, id, body
    FROM bot_states LEFT JOIN events ON events.bot_id = $1 AND last > $2 AND last <= $3
    WHERE bot_states.bot_id = $1 ORDER BY last`,
  findOldestEvent: `SELECT coalesce((SELECT last - count FROM events WHERE bot_id = $1 ORDER BY last LIMIT 1), last_event)
    AS number FROM bot_states WHERE bot_id = $1`,

  addToDay: `INSERT INTO contacts_by_day (bot_id, day, created_count) VALUES ($1, $2, $3) ON CONFLICT (bot_id, day)
    DO UPDATE SET created_count = contacts_by_day.created_count + excluded.created_count`,
  removeOldDays: 'DELETE FROM contacts_by_day WHERE bot_id = $1 AND day < $2',

  // Under the lock of its state a bot lives. That is asked all the same in statements by key: Citus writes the values into
  // one with a single table, and a worker would then plan for a bot that its statistics may take for empty.
  readForWriteById: `SELECT email_key, ${columnsWithValues} FROM contacts
    WHERE bot_id = $1 AND id = ANY ($2::text[]) AND ${botLives}`,
  readForWriteByEmail: `SELECT email_key, ${columnsWithValues} FROM contacts
    WHERE bot_id = $1 AND email_key = ANY ($2::text[]) AND ${botLives}`,
  readTokensForWrite: `SELECT hash, contact_id AS "contactId", last_seen_at AS "lastSeenAtMs" FROM contact_tokens
    WHERE bot_id = $1 AND hash = ANY ($2::bytea[]) AND ${botLives}`,
  readTokensOf: `SELECT hash, contact_id AS "contactId", last_seen_at AS "lastSeenAtMs" FROM contact_tokens
    WHERE bot_id = $1 AND contact_id = ANY ($2::text[]) AND ${botLives}`,

  // Values have statements of their own: who has none does not send them.
  insertContacts: insertRows(rowsColumns, rows),
  insertContactsWithValues: insertRows(rowsColumnsWithValues, rowsWithValues),
  updateContacts: updateRows(rowsColumns, rows),
  updateContactsWithValues: updateRows(rowsColumnsWithValues, rowsWithValues),
  deleteContacts: `DELETE FROM contacts WHERE bot_id = $1 AND id = ANY ($2::text[]) AND ${botLives}`,
  forgetResponses: `UPDATE deliveries SET response = NULL
    WHERE bot_id = $1 AND contact_id = ANY ($2::text[]) AND response IS NOT NULL`,
  insertTokens: `INSERT INTO contact_tokens (bot_id, hash, contact_id, created_at, expires_at)
    SELECT bot_states.bot_id, given.*
    FROM bot_states, unnest($2::bytea[], $3::text[], $4::bigint[], $5::bigint[]) AS given
    WHERE bot_states.bot_id = $1 ON CONFLICT (bot_id, hash) DO NOTHING`,
  removeOldestTokens: `DELETE FROM contact_tokens WHERE bot_id = $1 AND hash = ANY (ARRAY(
    SELECT hash FROM (
      SELECT hash, row_number() OVER (PARTITION BY contact_id ORDER BY created_at DESC, hash DESC) AS age
      FROM contact_tokens WHERE bot_id = $1 AND contact_id = ANY (ARRAY(
        SELECT contact_id FROM contact_tokens WHERE bot_id = $1 AND contact_id = ANY ($2::text[])
        GROUP BY contact_id HAVING count(*) > $3))
    ) AS aged WHERE age > $4))`,
  noteTokensSeen: `UPDATE contact_tokens SET last_seen_at = seen.at
    FROM (SELECT hash, max(at) AS at FROM unnest($2::bytea[], $3::bigint[]) AS one (hash, at) GROUP BY hash) AS seen
    WHERE bot_id = $1 AND contact_tokens.hash = seen.hash AND (last_seen_at IS NULL OR last_seen_at < seen.at)`,
  noteContactsSeen: `UPDATE contacts SET last_seen_at = seen.at
    FROM (SELECT id, max(at) AS at FROM unnest($2::text[], $3::bigint[]) AS one (id, at) GROUP BY id) AS seen
    WHERE bot_id = $1 AND contacts.id = ANY ($2::text[]) AND contacts.id = seen.id
      AND (last_seen_at IS NULL OR last_seen_at < seen.at)`,
  deleteTokensOf: `DELETE FROM contact_tokens WHERE bot_id = $1 AND contact_id = ANY ($2::text[]) AND ${botLives}`,
  deleteTokens: `DELETE FROM contact_tokens WHERE bot_id = $1 AND hash = ANY ($2::bytea[]) AND ${botLives}`,

  // Attributes and tags. Of a deleted bot there are none.
  listTagsByNumber: `SELECT ${tagColumns} FROM tags WHERE bot_id = $1 AND number = ANY ($2::bigint[]) ORDER BY key`,
  readAttributes: `SELECT ${storedAttributeColumns} FROM attributes WHERE bot_id = $1`,
  countHolders: 'SELECT count(*) AS count FROM contacts WHERE bot_id = $1 AND filter_tokens && ARRAY[$2::bigint]',
  readTagsByKey: `SELECT ${tagColumns} FROM tags WHERE bot_id = $1 AND key = ANY ($2::text[])`,
  countTags: 'SELECT count(*) AS count FROM tags WHERE bot_id = $1',
  takeNumber: 'UPDATE bot_states SET next_field = next_field + 1 WHERE bot_id = $1 RETURNING next_field - 1 AS number',
  saveNextValueNumber: 'UPDATE bot_states SET next_field = $2 WHERE bot_id = $1',
  saveAttributeCounts: `UPDATE attributes SET contact_count = given.contact_count
    FROM unnest($2::bigint[], $3::bigint[]) AS given (number, contact_count)
    WHERE attributes.bot_id = $1 AND attributes.number = ANY ($2::bigint[]) AND attributes.number = given.number`,
  insertTags: `INSERT INTO tags (bot_id, number, key, name, contact_count)
    SELECT bot_states.bot_id, given.*
    FROM bot_states, unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS given WHERE bot_states.bot_id = $1`,
  updateTags: `UPDATE tags SET name = given.name, contact_count = given.contact_count
    FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS given (number, name, contact_count)
    WHERE tags.bot_id = $1 AND tags.number = ANY ($2::bigint[]) AND tags.number = given.number`,
  deleteTags: 'DELETE FROM tags WHERE bot_id = $1 AND number = ANY ($2::bigint[])',
  findTagNumbers: 'SELECT key, number FROM tags WHERE bot_id = $1 AND key = ANY ($2::text[])',
  readRemovedFields: 'SELECT number, position FROM removed_fields WHERE bot_id = $1',
  listIds: 'SELECT id FROM contacts WHERE bot_id = $1 AND id > $2 ORDER BY id LIMIT $3',
  advanceRemovedFields: `UPDATE removed_fields SET position = $3
    WHERE bot_id = $1 AND number = ANY ($2::bigint[]) AND position < $3`,
  deleteRemovedFields: 'DELETE FROM removed_fields WHERE bot_id = $1 AND number = ANY ($2::bigint[])',

  findById: `SELECT id, ${contactColumns} FROM contacts WHERE bot_id = $1 AND id = ANY ($2::text[]) AND ${botLives}`,
  findByEmail: `SELECT email_key, ${contactColumns} FROM contacts
    WHERE bot_id = $1 AND email_key = ANY ($2::text[]) AND ${botLives}`,
  findWithValues: `SELECT id, ${columnsWithValues} FROM contacts
    WHERE bot_id = $1 AND id = ANY ($2::text[]) AND ${botLives}`,
  findVisitors: `SELECT encode(hash, 'hex') AS key, id, name, expires_at AS "expiresAtMs"
    FROM contact_tokens JOIN contacts ON contacts.bot_id = $1 AND contacts.id = contact_tokens.contact_id
    WHERE contact_tokens.bot_id = $1 AND hash = ANY ($2::bytea[]) AND ${botLives}`,
  listTokens: `SELECT created_at AS "createdAtMs", expires_at AS "expiresAtMs", last_seen_at AS "lastSeenAtMs", hash
    FROM contact_tokens
    WHERE bot_id = $1 AND contact_id = $2 AND expires_at > $3 AND (created_at, hash) > ($4, $5) AND ${botLives}
    ORDER BY created_at, hash LIMIT $6`,
  findLastSeen: `SELECT id, greatest(last_seen_at, (SELECT max(last_seen_at) FROM contact_tokens
      WHERE contact_tokens.bot_id = $1 AND contact_id = contacts.id)) AS "lastSeenAtMs" FROM contacts
    WHERE bot_id = $1 AND id = ANY ($2::text[]) AND ${botLives}`,
  // The days of the table and that of the state are of one snapshot: each creation is in one of them.
  readActivity: `SELECT contact_count AS "contactCount", last_created_us AS "lastCreatedUs",
      created_last_day AS "createdLastDay", widget_loaded_at AS "widgetLoadedAtMs",
      visitor_recognized_at AS "visitorRecognizedAtMs", day, created_count AS "createdCount"
    FROM bot_states LEFT JOIN contacts_by_day ON contacts_by_day.bot_id = $1 AND day >= $2
    WHERE bot_states.bot_id = $1 ORDER BY day`,
  listVisitors: `SELECT id, name, "lastSeenAtMs", "visitorCount", "tokenCount" FROM (
      SELECT contact_id, max(last_seen_at) AS "lastSeenAtMs", count(*) OVER () AS "visitorCount",
        (sum(count(*)) OVER ())::bigint AS "tokenCount"
      FROM (SELECT contact_id, last_seen_at FROM contact_tokens
        WHERE bot_id = $1 AND last_seen_at >= $2 AND ${botLives} ORDER BY last_seen_at DESC LIMIT $3) AS latest
      GROUP BY contact_id ORDER BY "lastSeenAtMs" DESC, contact_id DESC LIMIT $4) AS seen
    JOIN contacts ON contacts.bot_id = $1 AND contacts.id = seen.contact_id
    ORDER BY "lastSeenAtMs" DESC, contact_id DESC`,
  exportPage: exportPage(contactColumns),
  exportPageWithValues: exportPage(columnsWithValues),
  countContacts:
    'SELECT contact_count AS "contactCount", next_field AS "nextValueNumber" FROM bot_states WHERE bot_id = $1',
  // Up to so many: an exact number is not needed.
  countCreatedBetween: `SELECT count(*) AS count FROM (
    SELECT FROM contacts WHERE bot_id = $1 AND id > $2 AND id < $3 LIMIT $4) AS created`,
  countUpdatedBetween: `SELECT count(*) AS count FROM (
    SELECT FROM contacts WHERE bot_id = $1 AND updated_at BETWEEN $2 AND $3 LIMIT $4) AS updated`,
  // The oldest and the newest: those between are mostly like them.
  sampleContacts: `(${sampledContacts} ORDER BY id LIMIT $2) UNION ALL (${sampledContacts} ORDER BY id DESC LIMIT $2)`,

  findAnyRow: `(SELECT id FROM contacts WHERE bot_id = $1 LIMIT 1)
    UNION ALL (SELECT id FROM events WHERE bot_id = $1 LIMIT 1)
    UNION ALL (SELECT event_id FROM deliveries WHERE bot_id = $1 LIMIT 1)`,
  purgeContacts: `DELETE FROM contacts WHERE bot_id = $1 AND id = ANY (ARRAY(
    SELECT id FROM contacts WHERE bot_id = $1 ORDER BY id LIMIT $2))`,
});

export const statements = { ...attributeStatements('bot_id'), ...ownStatements };

/** One of them that writes, and its values. */
export type Change = [name: keyof typeof statements, ...values: Value[]];
