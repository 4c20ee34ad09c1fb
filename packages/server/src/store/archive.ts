// What a move between engines sees of one: tables of rows in a neutral form. A column that both engines name alike is
// added here and nowhere else; a test compares this list with both schemas. Knows no SQL.
import { type SearchableFields, searchTextOf } from '../contacts/search-text.ts';
import { auditColumns } from './account/audit-sql.ts';
import type { SqlValue } from './sql-steps.ts';
import { type StoredValues, textsOf } from './values/stored-values.ts';

/** The values of a row, in the order of the table's columns. */
export type Row = SqlValue[];

/**
 * Everything that is not derived from something else, in the order in which it can be written: rows come after those they refer
 * to. Sessions and one-time links are not: after a move members sign in again. Tables are read in the order of their key, which is the first column, or `bot_id` and the column after it.
 */
const columns = {
  organizations: 'id, name, created_at, members_may_manage_webhooks',
  // `last_created_us` does not follow from the contacts: the newest one may have been deleted.
  bots: 'id, organization_id, name, greeting, color, position, allowed_origins, channels, greetings, token_max_seconds, created_at, last_created_us, next_field, created_last_day, widget_loaded_at, visitor_recognized_at',
  secrets:
    'id, organization_id, name, prefix, hash, permissions, bots, created_by, creator_id, parent_id, created_at, expires_at, revoked_at, last_used_at',
  members: 'id, organization_id, name, email, email_key, role, password_hash, created_at, last_sign_in_at',
  audit_entries: auditColumns,
  attributes: 'bot_id, number, key, type, label, description, contact_count, choices',
  tags: 'bot_id, number, key, name, contact_count',
  removed_fields: 'bot_id, number',
  segments: 'bot_id, key, label, query, filter, sort',
  contacts_by_day: 'bot_id, day, created_count',
  // Without their positions and deliveries: feeds begin anew, and so does the owner.
  webhooks:
    'bot_id, id, url, types, description, is_enabled, disabled_reason, failing_since, secret, old_secret, old_secret_until, created_at, created_by, changed_by',
  contacts:
    'bot_id, id, name, email, email_key, phone, mid, wid, created_us, updated_at, attributes, tags, last_seen_at',
  contact_tokens: 'bot_id, hash, contact_id, created_at, expires_at, last_seen_at',
};

export type TableName = keyof typeof columns;
export const tableNames = Object.keys(columns) as TableName[];

export function columnsOf(table: TableName): string[] {
  return columns[table].split(', ');
}

export function keyOf(table: TableName): string[] {
  const names = columnsOf(table);
  return names.slice(0, names[0] === 'bot_id' ? 2 : 1);
}

/** Rows that are read, written and counted together: large enough to be fast, small enough for flat memory. */
export const rowsPerPage = 2000;

/** One side of a move. Deleted bots, and what is left of them, are not part of it. */
export interface Archive {
  /** Shown to the operator. Never holds a password. */
  title: string;
  count(table: TableName): Promise<number>;
  /** All rows, in ascending order of the key's bytes, page by page. */
  read(table: TableName): AsyncIterable<Row[]>;
}

/** The side that is filled. Nothing of it is visible until the move has succeeded. */
export interface NewArchive extends Archive {
  /** Takes the tables one after the other, and the rows of each in the order of `read`. */
  write(table: TableName, rows: readonly Row[]): Promise<void>;
  /** Makes what follows from the rows, such as counts. After it, all is ready to be read back. */
  complete(): Promise<void>;
}

export function storedValuesOf(contact: Row): StoredValues {
  const columnOf = (name: string) => contact[columnsOf('contacts').indexOf(name)] as string | null;
  return [columnOf('attributes'), columnOf('tags')];
}

/** Made anew rather than moved: the data may come from a version that folded otherwise. */
export function searchTextOfRow(contact: Row): string {
  const fields = Object.fromEntries(columnsOf('contacts').map((column, index) => [column, contact[index]]));
  return searchTextOf(fields as unknown as SearchableFields, textsOf(fields['attributes'] as string | null));
}
