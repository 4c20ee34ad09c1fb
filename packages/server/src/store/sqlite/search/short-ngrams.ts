// N-grams of one or two characters, which trigrams cannot find: how many contacts of a bot hold each, and of a rare
// one which. Maintenance of the index writes them, in the transaction that indexes the rows.
import type { DatabaseSync } from 'node:sqlite';
import type { BotState } from '../bot-states.ts';
import type { EngineSettings } from '../settings.ts';

/** In a large bot an n-gram of so few contacts is listed too: a scan would pass too many that do not hold it. */
const listedShareMax = 1 / 256;

/** What a short word is looked for in. A word holds no white space, so it never spans id and text. */
export function documentOf(id: string, searchText: string): string {
  return `${id}\n${searchText}`;
}

const asciiPoints = 128;
/** The slots of n-grams of ASCII characters, which almost all are, follow from their characters. */
const asciiSlots = asciiPoints * asciiPoints;

/** The distinct n-grams of one document, as slots. Used again for each, since there are so many. */
class DocumentNgrams {
  readonly slots: number[] = [];
  count = 0;
  /** For each slot: the last document that held the n-gram. In each it counts once. */
  #lastDocument = new Int32Array(asciiSlots);
  #document = 0;

  holds(slot: number): boolean {
    return this.#lastDocument[slot] === this.#document;
  }

  /** `otherSlotOf` finds the slot of an n-gram that is not of ASCII characters; `before` is 0 for a single character. */
  read(text: string, otherSlotOf: (before: number, point: number) => number): void {
    this.#document++;
    this.count = 0;
    let before = 0;
    for (let i = 0; i < text.length; i++) {
      const point = text.codePointAt(i) as number;
      if (point > 0xffff) i++;
      // The white space that is frequent. N-grams with any other are useless and harmless.
      if (point === 0x20 || point === 0x0a) {
        before = 0;
        continue;
      }
      this.#add(point < asciiPoints ? point : otherSlotOf(0, point));
      if (before !== 0) {
        const isAscii = before < asciiPoints && point < asciiPoints;
        this.#add(isAscii ? before * asciiPoints + point : otherSlotOf(before, point));
      }
      before = point;
    }
  }

  #add(slot: number): void {
    this.#lastDocument = grown(this.#lastDocument, slot + 1);
    if (this.#lastDocument[slot] === this.#document) return;
    this.#lastDocument[slot] = this.#document;
    this.slots[this.count++] = slot;
  }
}

/** The same array, or a longer one with the same beginning. */
function grown<Numbers extends Int32Array | Float64Array>(numbers: Numbers, length: number): Numbers {
  if (numbers.length >= length) return numbers;
  const longer = new (numbers.constructor as new (length: number) => Numbers)(2 * length);
  longer.set(numbers);
  return longer;
}

/**
 * What changes of documents mean for the n-grams of one bot. A thousand rows hold more than a hundred thousand n-grams:
 * each is a number in typed arrays, which costs a few nanoseconds, where an object for each would cost ten times that.
 */
export class NgramChanges {
  readonly #before = new DocumentNgrams();
  readonly #after = new DocumentNgrams();
  readonly #otherNgrams: string[] = [];
  readonly #otherSlots = new Map<string, number>();
  /** Each n-gram that a contact has gained or lost, and which contact: below 0 when it has lost it. */
  #movedSlots = new Int32Array(asciiSlots);
  #movedContacts = new Float64Array(asciiSlots);
  #moves = 0;

  /** An empty document: there was none, or is none any more. */
  change(contact: number, before: string, after: string): void {
    this.#before.read(before, this.#otherSlotOf);
    this.#after.read(after, this.#otherSlotOf);
    for (let i = 0; i < this.#before.count; i++) {
      const slot = this.#before.slots[i] as number;
      if (!this.#after.holds(slot)) this.#move(slot, -contact);
    }
    for (let i = 0; i < this.#after.count; i++) {
      const slot = this.#after.slots[i] as number;
      if (!this.#before.holds(slot)) this.#move(slot, contact);
    }
  }

  /** Every n-gram that contacts have gained or lost, and how many more hold it now. */
  *ngrams(): Iterable<{ slot: number; ngram: string; growth: number }> {
    const growth = new Int32Array(this.#slotCount);
    const hasMoved = new Uint8Array(this.#slotCount);
    const slots: number[] = [];
    for (let i = 0; i < this.#moves; i++) {
      const slot = this.#movedSlots[i] as number;
      (growth[slot] as number) += Math.sign(this.#movedContacts[i] as number);
      if (hasMoved[slot] === 0) slots.push(slot);
      hasMoved[slot] = 1;
    }
    for (const slot of slots) yield { slot, ngram: this.#ngramAt(slot), growth: growth[slot] as number };
  }

  /** The contacts that have gained or lost one of the n-grams at these slots. */
  *moves(slots: readonly number[]): Iterable<{ ngram: string; contact: number; isGain: boolean }> {
    if (slots.length === 0) return;
    const isWanted = new Uint8Array(this.#slotCount);
    for (const slot of slots) isWanted[slot] = 1;
    for (let i = 0; i < this.#moves; i++) {
      const slot = this.#movedSlots[i] as number;
      if (isWanted[slot] === 0) continue;
      const contact = this.#movedContacts[i] as number;
      yield { ngram: this.#ngramAt(slot), contact: Math.abs(contact), isGain: contact > 0 };
    }
  }

  readonly #otherSlotOf = (before: number, point: number): number => {
    const ngram = before === 0 ? String.fromCodePoint(point) : String.fromCodePoint(before, point);
    const known = this.#otherSlots.get(ngram);
    if (known !== undefined) return known;
    const slot = asciiSlots + this.#otherNgrams.push(ngram) - 1;
    this.#otherSlots.set(ngram, slot);
    return slot;
  };

  #ngramAt(slot: number): string {
    const other = this.#otherNgrams[slot - asciiSlots];
    if (other !== undefined) return other;
    const [before, point] = [Math.floor(slot / asciiPoints), slot % asciiPoints];
    return before === 0 ? String.fromCharCode(point) : String.fromCharCode(before, point);
  }

  get #slotCount(): number {
    return asciiSlots + this.#otherNgrams.length;
  }

  #move(slot: number, contact: number): void {
    this.#movedSlots = grown(this.#movedSlots, this.#moves + 1);
    this.#movedContacts = grown(this.#movedContacts, this.#moves + 1);
    this.#movedSlots[this.#moves] = slot;
    this.#movedContacts[this.#moves++] = contact;
  }
}

export type CountedBot = Pick<BotState, 'number' | 'contactCount'>;
export type NgramSettings = Pick<EngineSettings, 'listedContactsMax'>;

/** Returns what saves the changes of a bot's n-grams, inside the caller's transaction. */
export function prepareNgramCounts(db: DatabaseSync, { listedContactsMax }: NgramSettings) {
  const changeUnlisted = db.prepare(
    'UPDATE ngram_counts SET contact_count = contact_count + ? WHERE bot = ? AND ngram = ? AND is_listed = 0',
  );
  const findCount = db.prepare('SELECT contact_count AS contactCount FROM ngram_counts WHERE bot = ? AND ngram = ?');
  const setCount = db.prepare(
    `INSERT INTO ngram_counts (bot, ngram, contact_count, is_listed) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET contact_count = excluded.contact_count, is_listed = excluded.is_listed`,
  );
  const removeUnheld = db.prepare('DELETE FROM ngram_counts WHERE bot = ? AND ngram = ? AND contact_count = 0');
  const listContact = db.prepare('INSERT INTO ngram_contacts (bot, ngram, contact) VALUES (?, ?, ?)');
  const unlistContact = db.prepare('DELETE FROM ngram_contacts WHERE bot = ? AND ngram = ? AND contact = ?');
  const unlistAll = db.prepare('DELETE FROM ngram_contacts WHERE bot = ? AND ngram = ?');

  /** Whether the contacts are still listed. */
  const saveListed = (bot: number, ngram: string, growth: number, listedMax: number): boolean => {
    const known = findCount.get(bot, ngram) as { contactCount: number } | undefined;
    const contactCount = (known?.contactCount ?? 0) + growth;
    const isListed = contactCount <= listedMax;
    if (!isListed) unlistAll.run(bot, ngram);
    setCount.run(bot, ngram, contactCount, isListed ? 1 : 0);
    return isListed;
  };

  return (bot: CountedBot, changes: NgramChanges): void => {
    const listedMax = Math.max(listedContactsMax, Math.floor(bot.contactCount * listedShareMax));
    const listed: number[] = [];
    for (const { slot, ngram, growth } of changes.ngrams()) {
      // Most are frequent and not listed: one statement does.
      const isUnlisted = changeUnlisted.run(growth, bot.number, ngram).changes === 1;
      if (!isUnlisted && saveListed(bot.number, ngram, growth, listedMax)) listed.push(slot);
      if (growth < 0) removeUnheld.run(bot.number, ngram);
    }
    for (const { ngram, contact, isGain } of changes.moves(listed)) {
      (isGain ? listContact : unlistContact).run(bot.number, ngram, contact);
    }
  };
}
