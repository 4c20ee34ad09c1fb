// What a search plan is, and the conditions that plans share. A plan is data: queries for the row ids of the hits.
import { canBeInId, type SearchWord } from '../../../../contacts/search-text.ts';

type Parameter = string | number | bigint;

/** A part of an SQL statement and the values of its placeholders. */
export interface Condition {
  sql: string;
  values: Parameter[];
}

export interface Plan {
  /** Queries for the row ids of the contacts of the bot that hold every word. Each hit is found by exactly one. */
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
export function pendingHits(words: readonly SearchWord[], [first, last]: [bigint, bigint]): Condition {
  const all = holdsAll(words);
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

/** Empty, or begins with AND. */
export function holdsAll(words: readonly SearchWord[]): Condition {
  const conditions = words.map(holds);
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
