// Pieces of one or two characters, which trigrams cannot find: how many contacts of a bot hold each, and of a rare
// one which. Kept by the upkeep of the index, in the transaction that indexes the rows.
import type { DatabaseSync } from 'node:sqlite';

/** Up to so many contacts are listed in a bot of any size. */
export const defaultListedContactsMax = 64;
/** In a large bot so rare a piece is listed too: read newest first, too few contacts in a row would hold it. */
const listedShareMax = 1 / 256;

/** What a short word is looked for in. A word holds no white space, so it never spans id and text. */
export function documentOf(id: string, searchText: string): string {
  return `${id}\n${searchText}`;
}

const asciiPoints = 128;
/** The places of pieces of ASCII characters, which almost all are, follow from their characters. */
const asciiPlaces = asciiPoints * asciiPoints;

/** The distinct pieces of one document, as places. Used again for each, since there are so many. */
class DocumentPieces {
  places = new Int32Array(1024);
  count = 0;
  /** For each place: the last document that held the piece. In each it counts once. */
  #lastDocument = new Int32Array(asciiPlaces);
  #document = 0;

  holds(place: number): boolean {
    return this.#lastDocument[place] === this.#document;
  }

  /** `otherPlaceOf` finds the place of a piece that is not of ASCII characters; `before` is 0 for a single character. */
  read(text: string, otherPlaceOf: (before: number, point: number) => number): void {
    this.#document++;
    this.count = 0;
    this.places = grown(this.places, 2 * text.length);
    let before = 0;
    for (let i = 0; i < text.length; i++) {
      const point = text.codePointAt(i) as number;
      if (point > 0xffff) i++;
      // The white space that is frequent. Pieces with any other are useless and harmless.
      if (point === 0x20 || point === 0x0a) {
        before = 0;
        continue;
      }
      this.#add(point < asciiPoints ? point : otherPlaceOf(0, point));
      if (before !== 0) {
        const isAscii = before < asciiPoints && point < asciiPoints;
        this.#add(isAscii ? before * asciiPoints + point : otherPlaceOf(before, point));
      }
      before = point;
    }
  }

  #add(place: number): void {
    if (place >= this.#lastDocument.length) this.#lastDocument = grown(this.#lastDocument, place + 1);
    if (this.#lastDocument[place] === this.#document) return;
    this.#lastDocument[place] = this.#document;
    this.places[this.count++] = place;
  }
}

/** The same array, or a longer one with the same beginning. */
function grown<Numbers extends Int32Array | Float64Array>(numbers: Numbers, length: number): Numbers {
  if (numbers.length >= length) return numbers;
  const longer = new (numbers.constructor as new (length: number) => Numbers)(Math.max(length, 2 * numbers.length));
  longer.set(numbers);
  return longer;
}

/**
 * What changes of documents mean for the pieces of one bot. A thousand rows hold more than a hundred thousand pieces:
 * each is a number in typed arrays, which costs a few nanoseconds, where an object for each would cost ten times that.
 */
export class PieceChanges {
  readonly #before = new DocumentPieces();
  readonly #after = new DocumentPieces();
  readonly #otherPieces: string[] = [];
  readonly #otherPlaces = new Map<string, number>();
  /** For each place: how many more contacts hold the piece now, and whether any has gained or lost it. */
  #growth = new Int32Array(asciiPlaces);
  #hasMoved = new Int32Array(asciiPlaces);
  readonly #places: number[] = [];
  /** Each piece that a contact has gained or lost, and which contact: below 0 when it has lost it. */
  #movedPlaces = new Int32Array(asciiPlaces);
  #movedContacts = new Float64Array(asciiPlaces);
  #moves = 0;

  /** An empty document: there was none, or is none any more. */
  change(contact: number, before: string, after: string): void {
    this.#before.read(before, this.#otherPlaceOf);
    this.#after.read(after, this.#otherPlaceOf);
    for (let i = 0; i < this.#before.count; i++) {
      const place = this.#before.places[i] as number;
      if (!this.#after.holds(place)) this.#move(place, contact, -1);
    }
    for (let i = 0; i < this.#after.count; i++) {
      const place = this.#after.places[i] as number;
      if (!this.#before.holds(place)) this.#move(place, contact, 1);
    }
  }

  /** Every piece that contacts have gained or lost, and how many more hold it now. */
  *pieces(): Iterable<{ place: number; piece: string; growth: number }> {
    for (const place of this.#places) {
      yield { place, piece: this.#pieceAt(place), growth: this.#growth[place] as number };
    }
  }

  /** The contacts that have gained or lost one of the pieces at these places. */
  *moves(places: readonly number[]): Iterable<{ piece: string; contact: number; isGain: boolean }> {
    if (places.length === 0) return;
    const isWanted = new Uint8Array(this.#growth.length);
    for (const place of places) isWanted[place] = 1;
    for (let i = 0; i < this.#moves; i++) {
      const place = this.#movedPlaces[i] as number;
      if (isWanted[place] === 0) continue;
      const contact = this.#movedContacts[i] as number;
      yield { piece: this.#pieceAt(place), contact: Math.abs(contact), isGain: contact > 0 };
    }
  }

  readonly #otherPlaceOf = (before: number, point: number): number => {
    const piece = before === 0 ? String.fromCodePoint(point) : String.fromCodePoint(before, point);
    const known = this.#otherPlaces.get(piece);
    if (known !== undefined) return known;
    const place = asciiPlaces + this.#otherPieces.push(piece) - 1;
    this.#otherPlaces.set(piece, place);
    return place;
  };

  #pieceAt(place: number): string {
    const other = this.#otherPieces[place - asciiPlaces];
    if (other !== undefined) return other;
    const [before, point] = [Math.floor(place / asciiPoints), place % asciiPoints];
    return before === 0 ? String.fromCharCode(point) : String.fromCharCode(before, point);
  }

  #move(place: number, contact: number, growth: 1 | -1): void {
    if (place >= this.#growth.length) {
      this.#growth = grown(this.#growth, place + 1);
      this.#hasMoved = grown(this.#hasMoved, place + 1);
    }
    if (this.#moves === this.#movedPlaces.length) {
      this.#movedPlaces = grown(this.#movedPlaces, this.#moves + 1);
      this.#movedContacts = grown(this.#movedContacts, this.#moves + 1);
    }
    if (this.#hasMoved[place] === 0) {
      this.#hasMoved[place] = 1;
      this.#places.push(place);
    }
    (this.#growth[place] as number) += growth;
    this.#movedPlaces[this.#moves] = place;
    this.#movedContacts[this.#moves++] = contact * growth;
  }
}

export interface CountedBot {
  number: number;
  contact_count: number;
}

/** Returns what saves the changes of a bot's pieces, inside the caller's transaction. */
export function preparePieceCounts(db: DatabaseSync, listedContactsMax = defaultListedContactsMax) {
  const changeUnlisted = db.prepare(
    'UPDATE piece_counts SET contact_count = contact_count + ? WHERE bot = ? AND piece = ? AND is_listed = 0',
  );
  const findCount = db.prepare('SELECT contact_count FROM piece_counts WHERE bot = ? AND piece = ?');
  findCount.setReturnArrays(true);
  const setCount = db.prepare(
    `INSERT INTO piece_counts (bot, piece, contact_count, is_listed) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET contact_count = excluded.contact_count, is_listed = excluded.is_listed`,
  );
  const removeUnheld = db.prepare('DELETE FROM piece_counts WHERE bot = ? AND piece = ? AND contact_count = 0');
  const listContact = db.prepare('INSERT INTO piece_contacts (bot, piece, contact) VALUES (?, ?, ?)');
  const unlistContact = db.prepare('DELETE FROM piece_contacts WHERE bot = ? AND piece = ? AND contact = ?');
  const unlistAll = db.prepare('DELETE FROM piece_contacts WHERE bot = ? AND piece = ?');

  /** Whether the contacts are still listed. */
  const saveListed = (bot: number, piece: string, growth: number, listedMax: number): boolean => {
    const [known] = (findCount.get(bot, piece) as unknown as [number] | undefined) ?? [0];
    const isListed = known + growth <= listedMax;
    if (!isListed) unlistAll.run(bot, piece);
    setCount.run(bot, piece, known + growth, isListed ? 1 : 0);
    return isListed;
  };

  return (bot: CountedBot, changes: PieceChanges): void => {
    const listedMax = Math.max(listedContactsMax, Math.floor(bot.contact_count * listedShareMax));
    const listed: number[] = [];
    for (const { place, piece, growth } of changes.pieces()) {
      // Most are frequent and not listed: one statement does.
      const isUnlisted = changeUnlisted.run(growth, bot.number, piece).changes === 1;
      if (!isUnlisted && saveListed(bot.number, piece, growth, listedMax)) listed.push(place);
      if (growth < 0) removeUnheld.run(bot.number, piece);
    }
    for (const { piece, contact, isGain } of changes.moves(listed)) {
      (isGain ? listContact : unlistContact).run(bot.number, piece, contact);
    }
  };
}
