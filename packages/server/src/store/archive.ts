// What a move between engines sees of one: tables of rows in a neutral form. A column that both engines name alike is
// added here and nowhere else; a test compares this list with both schemas. Knows no SQL.
import { type SearchableFields, searchTextOf } from '../contacts/search-text.ts';

export type ColumnKind = 'text' | 'integer' | 'bytes';
export type Value = string | number | null | Uint8Array;
/** The values of a row, in the order of the table's columns. */
export type Row = Value[];

/**
 * Everything that is not derived from something else, in the order in which it can be written: rows come after those they refer
 * to. Sessions and one-time links are not: after a move members sign in again. Tables are read in the order of their key, which is the first column, or `bot_id` and the column after it.
 */
export const tables = {
  organizations: { id: 'text', name: 'text', created_at: 'integer' },
  bots: {
    id: 'text',
    organization_id: 'text',
    name: 'text',
    greeting: 'text',
    color: 'text',
    position: 'text',
    allowed_origins: 'text',
    created_at: 'integer',
    // Not always that of a contact that is still there: the newest may have been deleted.
    last_created_us: 'integer',
  },
  secrets: {
    id: 'text',
    organization_id: 'text',
    name: 'text',
    prefix: 'text',
    hash: 'bytes',
    created_by: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    revoked_at: 'integer',
    last_used_at: 'integer',
  },
  members: {
    id: 'text',
    organization_id: 'text',
    name: 'text',
    email: 'text',
    email_key: 'text',
    role: 'text',
    password_hash: 'text',
    created_at: 'integer',
    last_sign_in_at: 'integer',
  },
  audit_entries: {
    id: 'text',
    organization_id: 'text',
    at: 'integer',
    action: 'text',
    actor_kind: 'text',
    actor_id: 'text',
    actor_name: 'text',
    object_id: 'text',
    object_name: 'text',
    address: 'text',
    count: 'integer',
  },
  contacts: {
    bot_id: 'text',
    id: 'text',
    name: 'text',
    email: 'text',
    email_key: 'text',
    phone: 'text',
    mid: 'text',
    wid: 'text',
    created_us: 'integer',
    updated_at: 'integer',
  },
  contact_tokens: {
    bot_id: 'text',
    hash: 'bytes',
    contact_id: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    last_seen_at: 'integer',
  },
} as const satisfies Record<string, Record<string, ColumnKind>>;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as TableName[];

export function columnsOf(table: TableName): string[] {
  return Object.keys(tables[table]);
}

export function keyOf(table: TableName): string[] {
  const columns = columnsOf(table);
  return columns.slice(0, columns[0] === 'bot_id' ? 2 : 1);
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

/** Made anew rather than moved: the data may come from a version that folded otherwise. */
export function searchTextOfRow(contact: Row): string {
  const fields = Object.fromEntries(columnsOf('contacts').map((column, index) => [column, contact[index]]));
  return searchTextOf(fields as unknown as SearchableFields);
}
