// Totals of searches that are slow to count. A reader counts one, at some moment; the writer brings it to now by the
// changes since then, and from there on every write adjusts it in its own transaction. A search that reads it reads
// it as of its own snapshot, so it is exact.
import type { DatabaseSync } from 'node:sqlite';
import { canBeInId, type SearchWord } from '../../contacts/search-text.ts';

/** Each costs a write to its bot less than a tenth of a microsecond a row. */
const keptPerBotMax = 32;
const keptMax = 1024;
const stretchesMax = 256;
/** What was counted longer ago than so many changes is not kept. A count takes a fraction of a second. */
const rememberedChanges = 16_384;
/** Nor are more changes remembered than have this much text together, in UTF-16 units. */
const rememberedTextMax = 8_000_000;
/** Searches with more text than this are not kept. */
const keyLengthMax = 1000;

/** From this contact on, newest first, so many hold the words: from here a search can go on. */
export interface Mark {
  contact: number;
  hits: number;
}

export interface CountedSearch {
  words: readonly SearchWord[];
  total: number;
  marks: readonly Mark[];
  /** Of the bot, when it was counted. */
  changeNumber: number;
}

/** Contacts from `first` up to the next stretch, and how many of them hold the words. */
export interface Stretch {
  first: number;
  hits: number;
}

interface Kept {
  bot: number;
  key: string;
  isHit: Matcher;
  /** Newest first. Together they cover all contacts. */
  stretches: Stretch[];
}

/** What a write did to one contact. Undefined: it was not there, or is gone. */
export interface DocumentChange {
  contact: number;
  id: string;
  before: string | undefined;
  after: string | undefined;
}

interface NumberedChange extends DocumentChange {
  bot: number;
  number: number;
}

interface ChangedBot {
  number: number;
  change_number: number;
}

type Matcher = (id: string, searchText: string) => boolean;

/** Which words may stand in an id is found out once, and not for every row that is written. */
function matcherOf(words: readonly SearchWord[]): Matcher {
  const terms = words.map(({ spellings }) => spellings.map((text) => ({ text, canBeInId: canBeInId(text) })));
  return (id, searchText) =>
    terms.every((spellings) =>
      spellings.some(
        (spelling) => searchText.includes(spelling.text) || (spelling.canBeInId && id.includes(spelling.text)),
      ),
    );
}

function textLengthOf({ before = '', after = '' }: DocumentChange): number {
  return before.length + after.length;
}

/** The order of the words does not matter to a search. */
export function keyOf(words: readonly SearchWord[]): string {
  return JSON.stringify(words.map(({ spellings }) => spellings).toSorted());
}

export function prepareKeptTotals(db: DatabaseSync) {
  const readAll = db.prepare(
    'SELECT bot, words, first_contact AS first, contact_count AS hits FROM kept_totals ORDER BY bot, words, first DESC',
  );
  const insertStretch = db.prepare(
    'INSERT INTO kept_totals (bot, words, first_contact, contact_count) VALUES (?, ?, ?, ?)',
  );
  const changeStretch = db.prepare(
    'UPDATE kept_totals SET contact_count = ? WHERE bot = ? AND words = ? AND first_contact = ?',
  );
  const removeKept = db.prepare('DELETE FROM kept_totals WHERE bot = ? AND words = ?');

  /** By bot, and there by the words; the oldest first. */
  let bots = new Map<number, Map<string, Kept>>();
  let keptCount = 0;
  /** The stretches that the transaction has changed. */
  const changed = new Map<Stretch, Kept>();
  /** The last changes of all bots, in a ring. */
  const recent: NumberedChange[] = [];
  let changeCount = 0;
  let rememberedText = 0;

  const add = (kept: Kept): void => {
    const ofBot = bots.get(kept.bot) ?? new Map<string, Kept>();
    bots.set(kept.bot, ofBot.set(kept.key, kept));
    keptCount++;
  };

  const remove = ({ bot, key, stretches }: Kept): void => {
    removeKept.run(bot, key);
    for (const stretch of stretches) changed.delete(stretch);
    const ofBot = bots.get(bot);
    ofBot?.delete(key);
    if (ofBot?.size === 0) bots.delete(bot);
    keptCount--;
  };

  /** Makes room for one more in this bot. */
  const makeRoom = (bot: number): void => {
    const ofBot = bots.get(bot);
    const full = ofBot !== undefined && ofBot.size >= keptPerBotMax ? ofBot : undefined;
    const [oldest] = (full ?? (keptCount >= keptMax ? bots.values().next().value : undefined))?.values() ?? [];
    if (oldest !== undefined) remove(oldest);
  };

  const forgetChanges = (): void => {
    recent.length = 0;
    changeCount = 0;
    rememberedText = 0;
  };

  const remember = (change: NumberedChange): void => {
    rememberedText += textLengthOf(change);
    if (rememberedText > rememberedTextMax) forgetChanges();
    const place = changeCount++ % rememberedChanges;
    const oldest = recent[place];
    if (oldest !== undefined) rememberedText -= textLengthOf(oldest);
    recent[place] = change;
  };

  /** To be called after a transaction was rolled back: what it made of the totals is not true. */
  const reload = (): void => {
    bots = new Map();
    keptCount = 0;
    changed.clear();
    forgetChanges();
    let last: Kept | undefined;
    for (const row of readAll.all() as unknown as (Stretch & { bot: number; words: string })[]) {
      const { bot, words: key, first, hits } = row;
      if (last?.bot !== bot || last.key !== key) {
        const words = (JSON.parse(key) as string[][]).map((spellings) => ({ spellings }));
        last = { bot, key, isHit: matcherOf(words), stretches: [] };
        add(last);
      }
      last.stretches.push({ first, hits });
    }
  };
  reload();

  /** The changes of a bot after the one with this number, or undefined when some are forgotten. */
  const changesAfter = (number: number, bot: ChangedBot): NumberedChange[] | undefined => {
    const later = recent.filter((change) => change.bot === bot.number && change.number > number);
    return later.length === bot.change_number - number ? later : undefined;
  };

  const split = ({ bot, key, stretches }: Kept, mark: Mark): void => {
    const index = stretches.findIndex(({ first }) => first <= mark.contact);
    const older = stretches[index];
    if (older === undefined || older.first === mark.contact || stretches.length >= stretchesMax) return;
    const hitsAbove = stretches.slice(0, index).reduce((sum, { hits }) => sum + hits, 0);
    const newer = { first: mark.contact, hits: mark.hits - hitsAbove };
    older.hits -= newer.hits;
    stretches.splice(index, 0, newer);
    insertStretch.run(bot, key, newer.first, newer.hits);
    changeStretch.run(older.hits, bot, key, older.first);
  };

  return {
    /** Numbers the change, and adjusts what is kept. For indexed bots only. */
    note(bot: ChangedBot, change: DocumentChange): void {
      bot.change_number++;
      remember({ ...change, bot: bot.number, number: bot.change_number });
      for (const kept of bots.get(bot.number)?.values() ?? []) {
        const growth = growthOf(kept.isHit, change);
        if (growth === 0) continue;
        const stretch = kept.stretches.find(({ first }) => first <= change.contact) as Stretch;
        stretch.hits += growth;
        changed.set(stretch, kept);
      }
    },

    /** Keeps the total of a search, and the marks it found, if it can be told what they are now. */
    keep(bot: ChangedBot, { words, total, marks, changeNumber }: CountedSearch): void {
      const key = keyOf(words);
      const later = key.length > keyLengthMax ? undefined : changesAfter(changeNumber, bot);
      if (later === undefined) return;
      const isHit = matcherOf(words);
      const growth = later.map((change) => ({ contact: change.contact, hits: growthOf(isHit, change) }));
      const now = (hits: number, from: number) =>
        growth.reduce((sum, change) => (change.contact >= from ? sum + change.hits : sum), hits);
      let kept = bots.get(bot.number)?.get(key);
      if (kept === undefined) {
        makeRoom(bot.number);
        kept = { bot: bot.number, key, isHit, stretches: [{ first: 0, hits: now(total, 0) }] };
        add(kept);
        insertStretch.run(kept.bot, key, 0, now(total, 0));
      }
      for (const { contact, hits } of marks) split(kept, { contact, hits: now(hits, contact) });
    },

    forgetBot(bot: number): void {
      for (const kept of bots.get(bot)?.values() ?? []) remove(kept);
    },

    /** Writes what the transaction's changes made of the totals. To be called before it is committed. */
    save(): void {
      for (const [{ first, hits }, { bot, key }] of changed) changeStretch.run(hits, bot, key, first);
      changed.clear();
    },

    reload,
  };
}

function growthOf(isHit: Matcher, { id, before, after }: DocumentChange): number {
  const hits = (text: string | undefined) => (text !== undefined && isHit(id, text) ? 1 : 0);
  return hits(after) - hits(before);
}
