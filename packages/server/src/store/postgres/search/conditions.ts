// What a contact must fulfil to hold a word of a search or to meet a filter, and how many rows must be read to find out.
import { type Filter, idsOf, isValueFilter, type ValueFilter } from '../../../contacts/filters.ts';
import { canBeInId } from '../../../contacts/search-text.ts';
import { hasTrigram, rarestTrigrams } from '../../contacts/trigrams.ts';
import type { Wanted } from '../../store.ts';
import { type FilterToken, tokenOfField, tokenOfValue, tokensOfRange } from './filter-tokens.ts';
import type { BotSample } from './samples.ts';
import { isShortNgram, tokensOf } from './tokens.ts';

export interface RowCondition {
  /** With placeholders that begin after `bot, limit, offset`. */
  sql: string;
  /** The same without the index, for rows that are read anyway. */
  sqlOfRow: string;
  values: BoundValue[];
  /** Conditions of the same kind have the same text. */
  kind: string;
  isFilter: boolean;
  /** The definition of the attribute or the tag that it is about. */
  field?: DefinedField;
  /** Whether contacts are looked up for it by tokens: all spellings of a word, or a filter on an attribute or a tag. */
  isIndexed: boolean;
  /** The share of the bot's rows that must be read for it, as far as the sample tells. */
  share: number;
}

interface DefinedField {
  table: 'attributes' | 'tags';
  /** Which row of the table. */
  where: string;
}

type BoundValue = string | number | number[] | string[];

interface SpellingCondition extends Pick<RowCondition, 'sql' | 'sqlOfRow' | 'share'> {
  /** t: by tokens of the index, i: in the text or the id, s: in the text. */
  kind: 't' | 'i' | 's';
}

const placeholdersBefore = 3;
const wildcards = /[\\%_]/g;

export interface SearchedBot {
  botId: string;
  sample: BotSample;
  /** How many rows a filter leaves, as a share of the bot's, where that is known. */
  shareOfFilter?: ((filter: Filter) => number) | undefined;
}

interface WantedOptions {
  /** All rows are read anyway, and the index is left out. */
  isWalk?: boolean;
}

export function conditionsOf(
  bot: SearchedBot,
  { words, filters = [] }: Wanted,
  { isWalk = false }: WantedOptions = {},
): RowCondition[] {
  let placeholders = placeholdersBefore;
  const bindTo = (values: BoundValue[]) => (value: BoundValue) => {
    values.push(value);
    return `$${++placeholders}`;
  };
  return [
    ...words.map(({ spellings }) => {
      const values: BoundValue[] = [];
      const conditions = spellings.map((spelling) => conditionOf(spelling, bot, bindTo(values), isWalk));
      return {
        sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
        sqlOfRow: `(${conditions.map(({ sqlOfRow }) => sqlOfRow).join(' OR ')})`,
        values,
        kind: conditions.map(({ kind }) => kind).join(''),
        isFilter: false,
        isIndexed: conditions.every(({ kind }) => kind === 't'),
        share: conditions.reduce((sum, { share }) => sum + share, 0),
      };
    }),
    ...filters.map((filter) => {
      const values: BoundValue[] = [];
      const condition = filterCondition(bot.botId, filter, bindTo(values), isWalk);
      const isIndexed = isFoundByTokens(filter);
      const share = isIndexed || !isValueFilter(filter) ? (bot.shareOfFilter?.(filter) ?? 1) : 1;
      return { ...condition, values, kind: kindOf(filter, isWalk), isFilter: true, isIndexed, share };
    }),
  ];
}

type FilterCondition = Pick<RowCondition, 'sql' | 'sqlOfRow' | 'field'>;

function filterCondition(
  botId: string,
  filter: Filter,
  bind: (value: BoundValue) => string,
  isWalk: boolean,
): FilterCondition {
  if (isValueFilter(filter)) return fieldCondition(botId, filter, bind, isWalk);
  const sql = columnCondition(filter, bind);
  return { sql, sqlOfRow: sql };
}

function columnCondition(filter: Exclude<Filter, ValueFilter>, bind: (value: BoundValue) => string): string {
  switch (filter.kind) {
    case 'email':
      return `email_key = ${bind(filter.key)}`;
    case 'phone':
      return `regexp_replace(normalize(phone, NFKD), '[^0-9]', '', 'g') = ${bind(filter.digits)}`;
    case 'wid':
      return `wid = ${bind(`+${filter.digits}`)}`;
    case 'mid':
      return `mid = ${bind(filter.value)}`;
    case 'createdAt': {
      const { above, below } = idsOf(filter);
      return `(id > ${bind(above)} AND id < ${bind(below)})`;
    }
    case 'updatedAt':
      return `updated_at BETWEEN ${bind(filter.fromMs)} AND ${bind(filter.toMs)}`;
    case 'tag':
      throw new Error('a tag is asked for by its number');
  }
}

/** Conditions of the same kind have the same text. */
function kindOf(filter: Filter, isWalk: boolean): string {
  const kind = filter.kind === 'hasAttribute' && !filter.isWanted ? 'hasNoAttribute' : filter.kind;
  const bounds = filter.kind === 'attributeRange' ? Object.keys(filter.range).join('') : '';
  return `${isWalk && isValueFilter(filter) ? 'row' : ''}${kind}${bounds}`;
}

/** Whether the tokens of contacts find it. */
function isFoundByTokens(filter: Filter): boolean {
  return isValueFilter(filter) && !(filter.kind === 'hasAttribute' && !filter.isWanted);
}

/** On a tag by its number, or on an attribute. One that was deleted means nothing, though contacts may still hold its number. */
function fieldCondition(
  botId: string,
  filter: ValueFilter,
  bind: (value: BoundValue) => string,
  isWalk: boolean,
): FilterCondition {
  const { number } = filter;
  const table = filter.kind === 'tagNumber' ? 'tags' : 'attributes';
  const field: DefinedField = { table, where: `${table}.bot_id = $1 AND ${table}.number = ${bind(number)}` };
  const meaning = (held: string) => `(${isDefined(field)} AND ${held})`;
  const hasOne = (tokens: readonly FilterToken[]) => `filter_tokens && ${bind([...tokens])}::bigint[]`;
  // No index is used for what is compared with TRUE.
  const byTokens = (tokens: readonly FilterToken[]): FilterCondition => {
    const has = hasOne(tokens);
    const sqlOfRow = meaning(`(${has}) IS TRUE`);
    return { sql: isWalk ? sqlOfRow : meaning(has), sqlOfRow, field };
  };
  switch (filter.kind) {
    case 'tagNumber':
      return byTokens([tokenOfField(botId, number)]);
    case 'attribute':
      return byTokens(filter.values.map((value) => tokenOfValue(botId, number, value)));
    case 'hasAttribute': {
      const has = byTokens([tokenOfField(botId, number)]);
      if (filter.isWanted) return has;
      const sql = `(${has.sqlOfRow}) IS NOT TRUE`;
      return { sql, sqlOfRow: sql, field };
    }
    case 'attributeRange': {
      const value = `(attributes::jsonb ->> ${bind(String(number))})::float8`;
      const bounds = Object.entries(filter.range) as [keyof typeof comparisons, number][];
      const isWithin = bounds
        .map(([name, bound]) => `${value} ${comparisons[name]} ${bind(bound)}::float8`)
        .join(' AND ');
      const sqlOfRow = meaning(isWithin);
      if (isWalk) return { sql: sqlOfRow, sqlOfRow, field };
      const { within, ends } = tokensOfRange(botId, number, filter.range);
      // The index alone compares with all tokens, which may be a thousand: each row that it finds with those of the ends.
      const isCertain = `NOT (${hasOne(ends)})`;
      const sql = meaning(`${hasOne([...within, ...ends])} AND (${isCertain} OR ${isWithin})`);
      return { sql, sqlOfRow, field };
    }
  }
}

export function isDefined({ table, where }: DefinedField): string {
  return `EXISTS (SELECT FROM ${table} WHERE ${where})`;
}

const comparisons = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;

function conditionOf(
  spelling: string,
  { botId, sample }: SearchedBot,
  bind: (value: BoundValue) => string,
  isWalk: boolean,
): SpellingCondition {
  // A fifth less work for a scan than strpos(), which prepares itself anew for each row.
  const pattern = bind(`%${spelling.replaceAll(wildcards, '\\$&')}%`);
  const isInText = `search_text LIKE ${pattern}`;
  if (canBeInId(spelling)) {
    const isInEither = `${isInText} OR id LIKE ${pattern}`;
    return { sql: isInEither, sqlOfRow: isInEither, kind: 'i', share: 1 };
  }
  const isShort = isShortNgram(spelling);
  if (isWalk || (!isShort && !hasTrigram(spelling))) return { sql: isInText, sqlOfRow: isInText, kind: 's', share: 1 };
  const ngrams = isShort ? [spelling] : rarestTrigrams(spelling, sample, sample.contactCount);
  const share = Math.min(...ngrams.map((ngram) => sample.shareOf(ngram)));
  const tokens = bind(tokensOf(botId, ngrams));
  return { sql: `(search_tokens @> ${tokens}::integer[] AND ${isInText})`, sqlOfRow: isInText, kind: 't', share };
}
