// What a contact must fulfil to hold a word of a search or to meet a filter, and how many rows must be read to find out.
import { type Filter, idsOf } from '../../../contacts/filters.ts';
import { canBeInId } from '../../../contacts/search-text.ts';
import { hasTrigram, rarestTrigrams } from '../../contacts/trigrams.ts';
import type { Wanted } from '../../store.ts';
import { type FilterToken, tokenOfField, tokenOfValue, tokensOfRange } from './filter-tokens.ts';
import { folded } from './folded.ts';
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
  /** What is read of a row besides its id and the text that is searched. */
  columns: readonly string[];
  /** The definition that counts those who meet it. */
  holders?: DefinedValue | undefined;
  /** Whether contacts are looked up for it by tokens: all spellings of a word, or a filter on an attribute or a tag. */
  isIndexed: boolean;
  /** The share of the bot's rows that must be read for it, as far as the sample tells. */
  share: number;
}

export interface DefinedValue {
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
        columns: [],
        isFilter: false,
        isIndexed: conditions.every(({ kind }) => kind === 't'),
        share: conditions.reduce((sum, { share }) => sum + share, 0),
      };
    }),
    ...filters.map((filter) => {
      const values: BoundValue[] = [];
      const condition = filterCondition(bot.botId, filter, bindTo(values), isWalk);
      const isIndexed = isFoundByTokens(filter);
      const share = bot.shareOfFilter?.(filter) ?? 1;
      return { ...condition, values, kind: kindOf(filter, isWalk), isFilter: true, isIndexed, share };
    }),
  ];
}

type FilterCondition = Pick<RowCondition, 'sql' | 'sqlOfRow' | 'columns' | 'holders'>;
type Bind = (value: BoundValue) => string;

function filterCondition(botId: string, filter: Filter, bind: Bind, isWalk: boolean): FilterCondition {
  if (filter.kind === 'not') {
    const { sqlOfRow, columns } = filterCondition(botId, filter.filter, bind, true);
    const sql = `(${sqlOfRow}) IS NOT TRUE`;
    return { sql, sqlOfRow: sql, columns };
  }
  if (filter.kind === 'tagNumber') return tagCondition(botId, filter.numbers, bind, isWalk);
  if ('number' in filter) return attributeCondition(botId, filter, bind, isWalk);
  const sql = columnCondition(filter, bind);
  return { sql, sqlOfRow: sql, columns: [columnOf(filter)] };
}

type AttributeFilter = Extract<Filter, { number: number }>;
type ColumnFilter = Exclude<Filter, AttributeFilter | { kind: 'not' | 'tagNumber' }>;

function columnOf(filter: ColumnFilter): string {
  if ('field' in filter) return filter.field;
  const columns = { createdAt: 'id', updatedAt: 'updated_at', lastSeenAt: 'last_seen_at', email: 'email_key' };
  return { ...columns, phone: 'phone', wid: 'wid', mid: 'mid', tag: 'tags', hasTag: 'tags' }[filter.kind];
}

function columnCondition(filter: ColumnFilter, bind: Bind): string {
  switch (filter.kind) {
    case 'email':
      return `email_key = ${bind(filter.key)}`;
    case 'phone':
      return `${digitsIn('phone')} = ${bind(filter.digits)}`;
    case 'wid':
      return `wid = ${bind(`+${filter.digits}`)}`;
    case 'mid':
      return `mid = ${bind(filter.value)}`;
    case 'contains':
      return containsIn(filter, bind);
    case 'hasField':
      return `${filter.field} <> ''`;
    case 'createdAt': {
      const { above, below } = idsOf(filter);
      return `(id > ${bind(above)} AND id < ${bind(below)})`;
    }
    case 'updatedAt':
      return `updated_at BETWEEN ${bind(filter.fromMs)} AND ${bind(filter.toMs)}`;
    case 'lastSeenAt':
      return `last_seen_at BETWEEN ${bind(filter.fromMs)} AND ${bind(filter.toMs)}`;
    case 'hasTag':
      // Contacts hold the numbers of deleted tags for a while.
      return `EXISTS (SELECT FROM tags AS defined WHERE defined.bot_id = $1
        AND defined.number IN (SELECT number::bigint FROM jsonb_array_elements_text(tags::jsonb) AS held (number)))`;
    case 'tag':
      throw new Error('a tag is asked for by its number');
  }
}

function digitsIn(column: string): string {
  return `regexp_replace(normalize(${column}, NFKD), '[^0-9]', '', 'g')`;
}

/** The first two lines of the text that is searched are the folded name and email; a WhatsApp ID has nothing to fold. */
function containsIn({ field, text, isDigits }: Filter & { kind: 'contains' }, bind: Bind): string {
  const line = { name: 1, email: 2 }[field as string];
  const read =
    line !== undefined
      ? `split_part(search_text, E'\\n', ${line})`
      : field === 'wid'
        ? field
        : isDigits
          ? digitsIn(field)
          : folded(field, bind);
  return `${read} LIKE ${bind(patternOf(text))}`;
}

/** Conditions of the same kind have the same text. */
function kindOf(filter: Filter, isWalk: boolean): string {
  if (filter.kind === 'not') return `not${kindOf(filter.filter, false)}`;
  const prefix = isWalk && isFoundByTokens(filter) ? 'row' : '';
  const details =
    filter.kind === 'attributeRange'
      ? Object.keys(filter.range)
      : filter.kind === 'tagNumber' && filter.numbers.length > 1
        ? [filter.numbers.length]
        : 'field' in filter
          ? [filter.field, filter.kind === 'contains' && filter.isDigits ? 'Digits' : '']
          : [];
  return `${prefix}${filter.kind}${details.join('')}`;
}

/** Whether the tokens of contacts find it. */
export function isFoundByTokens({ kind }: Filter): boolean {
  return ['tagNumber', 'attribute', 'attributeRange', 'hasAttribute'].includes(kind);
}

const columnsOfTokens = ['filter_tokens'];

function definedValue(table: DefinedValue['table'], number: number, bind: Bind): DefinedValue {
  return { table, where: `${table}.bot_id = $1 AND ${table}.number = ${bind(number)}` };
}

/** One that was deleted means nothing, though contacts may still hold its number. */
function meaningOf(defined: DefinedValue, held: string): string {
  return `(${isDefined(defined)} AND ${held})`;
}

function hasOne(tokens: readonly FilterToken[], bind: Bind): string {
  return `filter_tokens && ${bind([...tokens])}::bigint[]`;
}

function byTokens(defined: DefinedValue, tokens: readonly FilterToken[], bind: Bind, isWalk: boolean): FilterCondition {
  const has = hasOne(tokens, bind);
  // No index is used for what is compared with TRUE.
  const sqlOfRow = meaningOf(defined, `(${has}) IS TRUE`);
  return { sql: isWalk ? sqlOfRow : meaningOf(defined, has), sqlOfRow, columns: columnsOfTokens };
}

function tagCondition(botId: string, numbers: readonly number[], bind: Bind, isWalk: boolean): FilterCondition {
  const tags = numbers.map((number) => definedValue('tags', number, bind));
  const held = tags.map((tag, at) => byTokens(tag, [tokenOfField(botId, numbers[at] as number)], bind, isWalk));
  return {
    sql: `(${held.map(({ sql }) => sql).join(' OR ')})`,
    sqlOfRow: `(${held.map(({ sqlOfRow }) => sqlOfRow).join(' OR ')})`,
    columns: columnsOfTokens,
    holders: tags.length === 1 ? tags[0] : undefined,
  };
}

function attributeCondition(botId: string, filter: AttributeFilter, bind: Bind, isWalk: boolean): FilterCondition {
  const { number } = filter;
  const defined = definedValue('attributes', number, bind);
  const heldValue = () => `(attributes::jsonb ->> ${bind(String(number))})`;
  switch (filter.kind) {
    case 'attribute':
      return byTokens(
        defined,
        filter.values.map((value) => tokenOfValue(botId, number, value)),
        bind,
        isWalk,
      );
    case 'hasAttribute':
      return { ...byTokens(defined, [tokenOfField(botId, number)], bind, isWalk), holders: defined };
    case 'attributeContains': {
      const sql = meaningOf(defined, `${folded(heldValue(), bind)} LIKE ${bind(patternOf(filter.text))}`);
      return { sql, sqlOfRow: sql, columns: ['attributes'] };
    }
    case 'attributeRange': {
      const value = `${heldValue()}::float8`;
      const bounds = Object.entries(filter.range) as [keyof typeof comparisons, number][];
      const isWithin = bounds
        .map(([name, bound]) => `${value} ${comparisons[name]} ${bind(bound)}::float8`)
        .join(' AND ');
      const sqlOfRow = meaningOf(defined, isWithin);
      const columns = [...columnsOfTokens, 'attributes'];
      if (isWalk) return { sql: sqlOfRow, sqlOfRow, columns };
      const { within, ends } = tokensOfRange(botId, number, filter.range);
      // The index alone compares with all tokens, which may be a thousand: each row that it finds with those of the ends.
      const isCertain = `NOT (${hasOne(ends, bind)})`;
      const sql = meaningOf(defined, `${hasOne([...within, ...ends], bind)} AND (${isCertain} OR ${isWithin})`);
      return { sql, sqlOfRow, columns };
    }
  }
}

export function isDefined({ table, where }: DefinedValue): string {
  return `EXISTS (SELECT FROM ${table} WHERE ${where})`;
}

function patternOf(text: string): string {
  return `%${text.replaceAll(wildcards, '\\$&')}%`;
}

const comparisons = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;

function conditionOf(
  spelling: string,
  { botId, sample }: SearchedBot,
  bind: (value: BoundValue) => string,
  isWalk: boolean,
): SpellingCondition {
  // A fifth less work for a scan than strpos(), which prepares itself anew for each row.
  const pattern = bind(patternOf(spelling));
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
