// Chooses how a search finds its hits. Every plan finds the same; which is fastest is decided here, in one list.
import type { DatabaseSync } from 'node:sqlite';
import { idKinds } from '@roster/contract/ids';
import type { Filter } from '../../../contacts/filters.ts';
import type { SearchWord } from '../../../contacts/search-text.ts';
import { rarestTrigrams, type TrigramSample } from '../../contacts/trigrams.ts';
import type { Wanted } from '../../store.ts';
import { rowRange, rowsIn } from '../contacts/row-ids.ts';
import { statementsOf } from '../contacts/rows.ts';
import type { EngineSettings } from '../settings.ts';
import type { BotState } from '../tenants/bot-states.ts';
import { candidates } from './plans/candidates.ts';
import { heldValues } from './plans/held-values.ts';
import { phrases } from './plans/phrases.ts';
import { type Plan, quote } from './plans/plan.ts';
import { scan } from './plans/scan.ts';
import { prepareSampling } from './trigram-sample.ts';
import type { ValueFilters } from './value-filters.ts';
import { isIdStart, isIndexable, isTrigram } from './word-kinds.ts';

/** Where at least one contact in so many matches, a page is read in the order of contacts sooner than all matches are sorted. */
export const walkedShareMin = 1 / 50;

/** Of the contacts with the rarest trigram of a search, so small a share may hold the others too. */
const candidatesShareMin = 1 / 20;

/** A search, and what the choice of its plan depends on. */
interface Question extends Wanted {
  bot: BotState;
  filters: readonly Filter[];
  /** The number of hits, if it is known. */
  total: number | undefined;
  /** The rows that hits are wanted of. */
  range: [bigint, bigint];
}

export function prepareChoice(
  db: DatabaseSync,
  leaderOf: ValueFilters['leaderOf'],
  { checkedRowsMax }: Pick<EngineSettings, 'checkedRowsMax'>,
) {
  const sampleOf = prepareSampling(db);
  const { find } = statementsOf(db);
  // One row with a list: a JavaScript object for each of some hundred rows would take as long as finding them.
  const listOf = (sql: string) => db.prepare(`SELECT count(*) AS count, group_concat(row_id) AS rowIds FROM (${sql})`);
  const matching = listOf(
    'SELECT rowid AS row_id FROM search_index WHERE search_index MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?',
  );
  const idsBetween = listOf('SELECT row_id FROM contacts WHERE bot = ? AND id >= ? AND id < ? LIMIT ?');
  const withEmail = listOf('SELECT row_id FROM contacts WHERE bot = ? AND email_key = ? LIMIT ?');
  const updatedBetween = listOf('SELECT row_id FROM contacts WHERE bot = ? AND updated_at BETWEEN ? AND ? LIMIT ?');
  const countUpdated = db.prepare(
    'SELECT count(*) AS count FROM contacts WHERE bot = ? AND updated_at BETWEEN ? AND ?',
  );

  /** Undefined when there are too many. */
  const rowIdsOf = (find: (limit: number) => unknown): string[] | undefined => {
    const { count, rowIds } = find(checkedRowsMax + 1) as { count: number; rowIds: string | null };
    return count > checkedRowsMax ? undefined : (rowIds?.split(',') ?? []);
  };
  const rowIdsByIndex = (bot: BotState, expression: string) =>
    rowIdsOf((limit) => matching.get(expression, ...rowRange(bot.number), limit));

  /** By the rarest trigrams when they leave few rows to check, and otherwise by whole words. */
  const byTrigrams = (question: Question): Plan | undefined => {
    const { bot, words, total = 0, range } = question;
    const indexable = words.filter(isIndexable);
    if (indexable.length === 0) return undefined;
    const { expression, share } = rarestOf(indexable, sampleOf(bot), bot.contactCount);
    const entries = share * bot.contactCount;
    const mayBeFew =
      !indexable.every(isTrigram) && total <= checkedRowsMax && entries * candidatesShareMin <= checkedRowsMax;
    const rowIds = mayBeFew ? rowIdsByIndex(bot, expression) : undefined;
    if (rowIds !== undefined) return candidates(question, range, rowIds);
    const someOutdated = 'SELECT 1 FROM search_pending WHERE row_id BETWEEN ? AND ? AND has_entry = 1 LIMIT 1';
    const hasOutdatedEntries = find(someOutdated, ...rowRange(bot.number)) !== undefined;
    return phrases(question, range, { entries, hasOutdatedEntries });
  };

  /** Ids are in order, if in no index: those that begin with a text are found at once. Undefined: they are many. */
  const byIdStart = (question: Question): Plan | undefined => {
    const { bot, words, range } = question;
    const spelling = idStartOf(words);
    if (spelling === undefined) return undefined;
    const start = idKinds.contact.prefix + spelling.slice(spelling.indexOf('_') + 1);
    const byId = rowIdsOf((limit) => idsBetween.get(bot.number, start, `${start}~`, limit));
    const byText = byId && rowIdsByIndex(bot, quote(spelling));
    return byText && candidates(question, range, Array.from(new Set([...byId, ...byText])));
  };

  /** One contact has an email at most. */
  const byEmail = (question: Question): Plan | undefined => {
    const { bot, filters, range } = question;
    const email = filterOf(filters, 'email');
    const rowIds = email && rowIdsOf((limit) => withEmail.get(bot.number, email.key, limit));
    return rowIds && candidates(question, range, rowIds);
  };

  /** Undefined when they are many. */
  const byUpdate = (question: Question): Plan | undefined => {
    const { bot, filters, range } = question;
    const updated = filterOf(filters, 'updatedAt');
    const rowIds = updated && rowIdsOf((limit) => updatedBetween.get(bot.number, updated.fromMs, updated.toMs, limit));
    return rowIds && candidates(question, range, rowIds);
  };

  /** Undefined when there is no such filter, or a word leaves fewer. */
  const byValues = (question: Question): Plan | undefined => {
    const { bot, words, filters, total = 0, range } = question;
    const leader = leaderOf(bot, filters);
    if (leader === undefined) return undefined;
    const indexable = bot.isIndexed ? words.filter(isIndexable) : [];
    const shareOfWords = indexable.length === 0 ? 1 : rarestOf(indexable, sampleOf(bot), bot.contactCount).share;
    if (shareOfWords * bot.contactCount < Math.min(leader.count, bot.contactCount)) return undefined;
    // All entries would be sorted for a page, which a scan soon meets.
    if (!leader.isInOrder && total >= bot.contactCount * walkedShareMin) return scan(bot, question, range);
    return heldValues(bot, question, range, { leader, fewMax: checkedRowsMax });
  };

  const scanFew = (question: Question): Plan | undefined =>
    rowsIn(question.range) <= checkedRowsMax ? scan(question.bot, question, question.range) : undefined;

  /** A small bot, or no words. Of those that were updated within a time the index on it counts them. */
  const scanCounted = (question: Question): Plan | undefined => {
    const { bot, words, filters, range } = question;
    if (bot.isIndexed && words.length > 0) return undefined;
    const plan = scan(bot, question, range);
    const [only, ...others] = filters;
    if (words.length > 0 || others.length > 0 || only?.kind !== 'updatedAt') return plan;
    const { count } = countUpdated.get(bot.number, only.fromMs, only.toMs) as { count: number };
    return { ...plan, total: count };
  };

  /** The first that fits the search is taken. */
  const plans = [byEmail, scanFew, byUpdate, byValues, scanCounted, byTrigrams, byIdStart];

  /** Without a range: hits of the whole bot are wanted. */
  return (
    bot: BotState,
    { words, filters = [] }: Wanted,
    { total, range = rowRange(bot.number) }: Pick<Question, 'total'> & Partial<Pick<Question, 'range'>>,
  ): Plan => {
    const question: Question = { bot, words, filters, total, range };
    for (const planOf of plans) {
      const plan = planOf(question);
      if (plan !== undefined) return plan;
    }
    // Words that no index finds: of one or two characters, or in the middle of an id.
    return scan(bot, question, range);
  };
}

function filterOf<Kind extends Filter['kind']>(filters: readonly Filter[], kind: Kind) {
  return filters.find((filter) => filter.kind === kind) as (Filter & { kind: Kind }) | undefined;
}

function idStartOf(words: readonly SearchWord[]): string | undefined {
  return words.flatMap(({ spellings }) => (spellings.length === 1 ? spellings : [])).find(isIdStart);
}

/** The rarest trigrams of each word, which need not be side by side in what they find. */
function rarestOf(words: readonly SearchWord[], sample: TrigramSample, contactCount: number) {
  const rarest = words.map(({ spellings }) =>
    spellings.map((spelling) => rarestTrigrams(spelling, sample, contactCount)),
  );
  const shares = rarest.map((spellings) => Math.max(...spellings.map(([first = '']) => sample.shareOf(first))));
  const expressions = rarest.map((spellings) => {
    const alternatives = spellings.map((trigrams) => `(${trigrams.map(quote).join(' AND ')})`);
    return `(${alternatives.join(' OR ')})`;
  });
  return { expression: expressions.join(' AND '), share: Math.min(...shares) };
}
