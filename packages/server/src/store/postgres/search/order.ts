// The form of a page: which columns its contacts have, and what they are ordered by beside their ids.
import { newestFirst } from '../../../contacts/filters.ts';
import { columnsOf } from '../../contacts/row.ts';
import type { Statement } from '../../sql-steps.ts';
import type { Search } from '../../store.ts';

/** Each has an index, whose expressions are these. Ids ascend with the time of creation, so they need no other key for it. */
const keys = {
  createdAt: undefined,
  updatedAt: 'updated_at',
  name: "left(split_part(search_text, E'\\n', 1), 64)",
  email: 'email_key',
} as const;

export interface PageForm {
  /** Appended to the names of statements. */
  name: string;
  /** Of a contact. */
  columns: string;
  /** What a selection of contacts has besides, as `sort_key`. Empty, or begins with a comma. */
  sortColumn: string;
  /** What rows with that column are ordered by. */
  orderOf(table: string): string;
}

export function formOf({ sort = newestFirst, withValues }: Pick<Search, 'sort' | 'withValues'>): PageForm {
  const { field, isDescending } = sort;
  const key = keys[field];
  const direction = isDescending ? 'DESC' : 'ASC';
  const isNewestFirst = field === newestFirst.field && isDescending === newestFirst.isDescending;
  return {
    name: `${withValues ? 'WithValues' : ''}${isNewestFirst ? '' : `_${field}_${direction}`}`,
    columns: columnsOf(withValues),
    sortColumn: key === undefined ? '' : `, ${key} AS sort_key`,
    orderOf: (table) =>
      [...(key === undefined ? [] : ['sort_key']), 'id'].map((by) => `${table}.${by} ${direction}`).join(),
  };
}

/** The columns of a contact, of the table `page`. */
export function pageColumns({ columns }: PageForm): string {
  return columns.replaceAll(/\w+/g, 'page.$&');
}

/** The contacts of these ids, in the order. A page without any is one row all the same, with what is beside them. */
export function joinPage(ids: string, { columns, sortColumn, orderOf }: PageForm): string {
  return `LEFT JOIN LATERAL (
      SELECT ${columns}${sortColumn} FROM contacts WHERE bot_id = $1 AND id = ANY (${ids})
    ) AS page ON true ORDER BY ${orderOf('page')}`;
}

/** Every contact. Each row is the total and a contact; a page without contacts is one row with the total alone. */
export function listPage(form: PageForm): Statement {
  const ids = `SELECT id FROM (SELECT id${form.sortColumn} FROM contacts WHERE bot_id = $1) AS listed
    ORDER BY ${form.orderOf('listed')} LIMIT $2 OFFSET $3`;
  return {
    name: `list${form.name}`,
    text: `SELECT state.contact_count, ${pageColumns(form)}
      FROM (SELECT contact_count FROM bot_states WHERE bot_id = $1) AS state ${joinPage(`ARRAY(${ids})`, form)}`,
  };
}
