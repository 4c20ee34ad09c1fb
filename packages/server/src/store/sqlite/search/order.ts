// How a page of a search is read in its order: by row ids, which are in the order of creation, or by the index of another
// order, or by sorting the hits.
import type { Sort } from '../../../contacts/filters.ts';
import { columnsOf } from '../../contacts/row.ts';
import type { Search, Wanted } from '../../store.ts';
import type { BotState } from '../tenants/bot-states.ts';
import { type Condition, checkAll } from './plans/plan.ts';

/** The index of each order, and what it is ordered by. Expressions are those of the index, word for word. */
const orders = {
  updatedAt: { index: 'contacts_by_update', key: 'contacts.updated_at' },
  name: {
    index: 'contacts_by_name',
    key: 'substr(contacts.search_text, 1, min(64, instr(contacts.search_text, char(10)) - 1))',
  },
  email: { index: 'contacts_by_email', key: 'contacts.email_key' },
} as const;

type Page = Pick<Search, 'offset' | 'limit' | 'withValues'>;

function directionOf({ isDescending }: Sort): 'DESC' | 'ASC' {
  return isDescending ? 'DESC' : 'ASC';
}

/** The hits of a query for row ids, in the order of creation. */
export function pageByCreation(hits: Condition, sort: Sort, { offset, limit, withValues }: Page): Condition {
  const direction = directionOf(sort);
  return {
    sql: `SELECT ${columnsOf(withValues)} FROM
        (${hits.sql} ORDER BY 1 ${direction} LIMIT ? OFFSET ?) AS hit
      CROSS JOIN contacts ON contacts.row_id = hit.row_id ORDER BY hit.row_id ${direction}`,
    values: [...hits.values, limit, offset],
  };
}

type IndexedSort = Sort & { field: keyof typeof orders };

export function hasIndex(sort: Sort): sort is IndexedSort {
  return sort.field in orders;
}

function orderOf(sort: IndexedSort): string {
  const direction = directionOf(sort);
  return `ORDER BY ${orders[sort.field].key} ${direction}, contacts.row_id ${direction}`;
}

function pageOf(rowIds: Condition, sort: IndexedSort, { offset, limit, withValues }: Page): Condition {
  return {
    sql: `SELECT ${columnsOf(withValues)} FROM (${rowIds.sql} ${orderOf(sort)} LIMIT ? OFFSET ?) AS hit
      CROSS JOIN contacts ON contacts.row_id = hit.row_id ${orderOf(sort)}`,
    values: [...rowIds.values, limit, offset],
  };
}

/** Finds all hits and sorts them: for few. */
export function pageBySorting(hits: Condition, sort: IndexedSort, page: Page): Condition {
  const sql = `SELECT contacts.row_id FROM (${hits.sql}) AS found
    CROSS JOIN contacts ON contacts.row_id = found.row_id`;
  return pageOf({ sql, values: hits.values }, sort, page);
}

/** Reads contacts in the order and checks each, until the page is full: for all, and where many match. */
export function pageByIndex(bot: BotState, wanted: Wanted, sort: IndexedSort, page: Page): Condition {
  const all = checkAll(wanted);
  const sql = `SELECT contacts.row_id FROM contacts INDEXED BY ${orders[sort.field].index}
    WHERE contacts.bot = ?${all.sql}`;
  return pageOf({ sql, values: [bot.number, ...all.values] }, sort, page);
}
