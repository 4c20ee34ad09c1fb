// What a search plan is, and the conditions that plans share. A plan is data: queries for the row ids of the hits.
import type { Filter } from '../../../../contacts/filters.ts';
import { canBeInId, type SearchWord } from '../../../../contacts/search-text.ts';
import type { Wanted } from '../../../store.ts';
import { indexed, valueOfTag } from '../value-index.ts';

type Parameter = string | number | bigint;

/** A part of an SQL statement and the values of its placeholders. */
export interface Condition {
  sql: string;
  values: Parameter[];
}

export interface Plan {
  /** Queries for the row ids of the contacts of the bot that are wanted. Each hit is found by exactly one. */
  hits: Condition[];
  /** Few enough to find all of them for any page. */
  areFew: boolean;
  /**
   * About how many contacts or index entries are passed to find all hits, estimated by the sample. Pending rows are
   * not in it.
   */
  effort: number;
  /** How many hits there are, when that is known without counting them. */
  total?: number;
}

/** To look a contact up costs as much as to pass so many. */
export const effortOfLookup = 10;

/** Appended to a row id: whether the indexes hold the row as it is now. */
export const isSettled = 'NOT IN (SELECT row_id FROM search_pending)';

/** Pending rows, which the indexes do not hold as they are now, checked one by one. */
export function pendingHits(wanted: Wanted, [first, last]: [bigint, bigint]): Condition {
  const all = checkAll(wanted);
  return {
    sql: `SELECT contacts.row_id FROM search_pending CROSS JOIN contacts ON contacts.row_id = search_pending.row_id
      WHERE search_pending.row_id BETWEEN ? AND ?${all.sql}`,
    values: [first, last, ...all.values],
  };
}

/** A phrase of FTS5's query language. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Whether a row is wanted. Empty, or begins with AND. */
export function checkAll({ words, filters = [] }: Wanted): Condition {
  const conditions = [...words.map(holds), ...filters.map(meets)];
  return {
    sql: conditions.map(({ sql }) => ` AND (${sql})`).join(''),
    values: conditions.flatMap(({ values }) => values),
  };
}

function holds({ spellings }: SearchWord): Condition {
  const conditions = spellings.flatMap((spelling): Condition[] => [
    { sql: 'instr(contacts.search_text, ?) > 0', values: [spelling] },
    ...(canBeInId(spelling) ? [{ sql: 'instr(contacts.id, ?) > 0', values: [spelling] }] : []),
  ]);
  return {
    sql: conditions.map(({ sql }) => sql).join(' OR '),
    values: conditions.flatMap(({ values }) => values),
  };
}

function meets(filter: Filter): Condition {
  switch (filter.kind) {
    case 'email':
      return { sql: 'contacts.email_key = ?', values: [filter.key] };
    case 'phone':
      // Functions of ours: see prepareSearch.
      return { sql: 'digits_of(contacts.phone) = ?', values: [filter.digits] };
    case 'wid':
      return { sql: 'contacts.wid = ?', values: [`+${filter.digits}`] };
    case 'mid':
      return { sql: 'contacts.mid = ?', values: [filter.value] };
    case 'contains': {
      const read = filter.isDigits ? 'digits_of' : 'folded';
      return { sql: `instr(${read}(contacts.${filter.field}), ?) > 0`, values: [filter.text] };
    }
    case 'hasField':
      return { sql: `contacts.${filter.field} <> ''`, values: [] };
    case 'createdAt':
      return {
        sql: 'contacts.created_us BETWEEN ? AND ?',
        values: [filter.fromMs * 1000, filter.toMs * 1000 + 999],
      };
    case 'updatedAt':
      return { sql: 'contacts.updated_at BETWEEN ? AND ?', values: [filter.fromMs, filter.toMs] };
    case 'lastSeenAt':
      return { sql: 'contacts.last_seen_at BETWEEN ? AND ?', values: [filter.fromMs, filter.toMs] };
    case 'attribute':
      return holdsOne([filter.number], filter.values.map(indexed));
    case 'tagNumber':
      return holdsOne(filter.numbers, [valueOfTag]);
    case 'hasTag':
      // Numbers of deleted tags stay in contacts for a while.
      return {
        sql: `EXISTS (SELECT 1 FROM json_each(contacts.tags) AS held CROSS JOIN tags
          ON tags.bot = contacts.bot AND tags.number = held.value)`,
        values: [],
      };
    case 'attributeRange': {
      const bounds = Object.entries(filter.range) as [keyof typeof comparisons, number][];
      const path = pathOf(filter.number);
      return {
        sql: bounds.map(([name]) => `json_extract(contacts.attributes, ?) ${comparisons[name]} ?`).join(' AND '),
        values: bounds.flatMap(([, bound]) => [path, bound]),
      };
    }
    case 'attributeContains':
      return {
        sql: 'instr(folded(json_extract(contacts.attributes, ?)), ?) > 0',
        values: [pathOf(filter.number), filter.text],
      };
    case 'hasAttribute':
      return { sql: 'json_extract(contacts.attributes, ?) IS NOT NULL', values: [pathOf(filter.number)] };
    case 'not': {
      const { sql, values } = meets(filter.filter);
      return { sql: `(${sql}) IS NOT TRUE`, values };
    }
    case 'tag':
      throw new Error('a tag is asked for by its number');
  }
}

/** By the index: a value there costs less than to take the JSON apart. */
function holdsOne(numbers: readonly number[], values: readonly (number | bigint)[]): Condition {
  return {
    sql: `EXISTS (SELECT 1 FROM contact_values AS other
      WHERE other.field IN (${numbers.map(() => '(contacts.bot << 32) + ?')})
      AND other.value IN (${values.map(() => '?')}) AND other.row_id = contacts.row_id)`,
    values: [...numbers, ...values],
  };
}

/** Of an attribute, in the JSON that a contact has. */
function pathOf(number: number): string {
  return `$."${number}"`;
}

export const comparisons = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;
