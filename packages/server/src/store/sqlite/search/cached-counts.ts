// Cached counts: the totals of searches that are slow to count. A reader thread counts one as of its snapshot; the writer
// brings it up to date by the changes since then, and from there on every write adjusts it in its own transaction. A
// search reads it as of its own snapshot, so it is exact.
import type { DatabaseSync } from 'node:sqlite';
import {
  type ContactChange,
  type DecidedSearch,
  growthOf,
  keyOf,
  type Matcher,
  matcherOf,
  matcherOfKey,
  type SearchedContact,
} from '../../matcher.ts';
import type { BotState } from '../bot-states.ts';
import { statementsOf } from '../rows.ts';

/** Each costs a write to its bot less than a tenth of a microsecond a row. */
const countsPerBotMax = 32;
const countsMax = 1024;
/** A count that is older than so many changes is not cached. A count takes a fraction of a second. */
const rememberedChanges = 16_384;
/** No more changes are remembered than have this much text together, in UTF-16 units. */
const rememberedTextMax = 8_000_000;
/** Searches with more text than this are not cached. */
const keyLengthMax = 1000;

export interface CountedSearch extends DecidedSearch {
  total: number;
  /** Of the bot, in the snapshot of the count. */
  changeNumber: number;
  /** What the search took, which a cached count saves. */
  tookMs: number;
}

interface CachedCount {
  bot: number;
  key: string;
  isHit: Matcher;
  total: number;
  /** The lower, the sooner it is evicted. */
  worth: number;
}

interface NumberedChange extends ContactChange {
  bot: number;
  number: number;
}

function textLengthOf({ before, after }: ContactChange): number {
  const lengthOf = (contact: SearchedContact | undefined) =>
    contact === undefined
      ? 0
      : [contact.text, ...contact.values].reduce((sum, text) => sum + (text === null ? 0 : text.length), 0);
  return lengthOf(before) + lengthOf(after);
}

export function prepareCachedCounts(db: DatabaseSync) {
  const { list, run } = statementsOf(db);

  /** By bot, and there by the key of the search; the oldest first. */
  let bots = new Map<number, Map<string, CachedCount>>();
  let size = 0;
  /** Those that the transaction has changed. */
  const changed = new Set<CachedCount>();
  /** The last changes of all bots, in a ring. */
  const recent: NumberedChange[] = [];
  let recorded = 0;
  let rememberedText = 0;

  const add = (count: CachedCount): void => {
    const ofBot = bots.get(count.bot) ?? new Map<string, CachedCount>();
    bots.set(count.bot, ofBot.set(count.key, count));
    size++;
  };

  const remove = (count: CachedCount): void => {
    run('DELETE FROM cached_counts WHERE bot = ? AND words = ?', count.bot, count.key);
    changed.delete(count);
    const ofBot = bots.get(count.bot);
    ofBot?.delete(count.key);
    if (ofBot?.size === 0) bots.delete(count.bot);
    size--;
  };

  /**
   * Evicts the count of the bot that is worth least, or one of the first bot, when there are too many for one more. Returns what it
   * was worth: added to what a new one saves, it lets expensive counts outlast many cheap ones, but not for ever (GreedyDual).
   */
  const evict = (bot: number): number => {
    const ofBot = bots.get(bot);
    const full = ofBot !== undefined && ofBot.size >= countsPerBotMax ? ofBot : undefined;
    const evictable = full ?? (size >= countsMax ? bots.values().next().value : undefined);
    if (evictable === undefined) return 0;
    const least = evictable.values().reduce((one, other) => (other.worth < one.worth ? other : one));
    remove(least);
    return full === undefined ? 0 : least.worth;
  };

  const forgetChanges = (): void => {
    recent.length = 0;
    recorded = 0;
    rememberedText = 0;
  };

  const remember = (change: NumberedChange): void => {
    rememberedText += textLengthOf(change);
    if (rememberedText > rememberedTextMax) forgetChanges();
    const slot = recorded++ % rememberedChanges;
    const oldest = recent[slot];
    if (oldest !== undefined) rememberedText -= textLengthOf(oldest);
    recent[slot] = change;
  };

  /** To be called after a transaction was rolled back: its changes to the counts did not happen. */
  const reload = (): void => {
    bots = new Map();
    size = 0;
    changed.clear();
    forgetChanges();
    const readAll = 'SELECT bot, words AS key, contact_count AS total FROM cached_counts ORDER BY bot, words';
    for (const row of list<Omit<CachedCount, 'isHit' | 'worth'>>(readAll)) {
      // What it saves is not known any more.
      add({ ...row, isHit: matcherOfKey(row.key), worth: 0 });
    }
  };
  reload();

  /** The changes of a bot after the one with this number, or undefined when some are forgotten. */
  const changesAfter = (number: number, bot: BotState): NumberedChange[] | undefined => {
    const later = recent.filter((change) => change.bot === bot.number && change.number > number);
    return later.length === bot.changeNumber - number ? later : undefined;
  };

  return {
    /** Numbers the change, and adjusts the counts of the bot. */
    note(bot: BotState, change: ContactChange): void {
      bot.changeNumber++;
      remember({ ...change, bot: bot.number, number: bot.changeNumber });
      for (const count of bots.get(bot.number)?.values() ?? []) {
        const growth = growthOf(count.isHit, change);
        if (growth === 0) continue;
        count.total += growth;
        // Its words may be those of the one contact that had them.
        if (count.total === 0) remove(count);
        else changed.add(count);
      }
    },

    /** Caches the total of a search, brought up to date, unless changes since then are forgotten. */
    add(bot: BotState, { words, filters, total, changeNumber, tookMs }: CountedSearch): void {
      const key = keyOf({ words, filters });
      if (key.length > keyLengthMax || bots.get(bot.number)?.has(key)) return;
      const later = changesAfter(changeNumber, bot);
      if (later === undefined) return;
      const isHit = matcherOf({ words, filters });
      const current = later.reduce((sum, change) => sum + growthOf(isHit, change), total);
      const worth = evict(bot.number) + tookMs;
      add({ bot: bot.number, key, isHit, total: current, worth });
      run('INSERT INTO cached_counts (bot, words, contact_count) VALUES (?, ?, ?)', bot.number, key, current);
    },

    removeBot(bot: number): void {
      for (const count of bots.get(bot)?.values() ?? []) remove(count);
    },

    /** Writes the counts that the transaction has changed. To be called before it is committed. */
    save(): void {
      const changeCount = 'UPDATE cached_counts SET contact_count = ? WHERE bot = ? AND words = ?';
      for (const { total, bot, key } of changed) run(changeCount, total, bot, key);
      changed.clear();
    },

    reload,
  };
}
