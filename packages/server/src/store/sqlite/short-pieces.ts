// Pieces of one or two characters, which trigrams cannot find: how many contacts of a bot hold each, and of a rare
// one which. Kept by the upkeep of the index, in the transaction that indexes the rows.
import type { DatabaseSync } from 'node:sqlite';

/** Up to so many contacts are listed in a bot of any size. */
export const defaultListedContactsMax = 256;
/** In a large bot so rare a piece is listed too: read newest first, too few contacts in a row would hold it. */
const listedShareMax = 1 / 256;

/** What a short word is looked for in. A word holds no white space, so it never spans id and text. */
export function documentOf(id: string, searchText: string): string {
  return `${id}\n${searchText}`;
}

interface PieceChange {
  piece: string;
  gained: number[];
  lost: number[];
  /** The last document that was seen to hold it: a piece counts once in each. */
  document: number;
}

const asciiPoints = 128;

/** What documents that come and go mean for the pieces of one bot. */
export class PieceChanges {
  // Almost all pieces are of ASCII characters: a place in an array is found faster than one in a map.
  readonly #ascii: (PieceChange | undefined)[] = new Array(asciiPoints * asciiPoints);
  readonly #others = new Map<string, PieceChange>();
  readonly all: PieceChange[] = [];
  #documents = 0;

  add(contact: number, document: string): void {
    this.#note(document, (change) => change.gained.push(contact));
  }

  remove(contact: number, document: string): void {
    this.#note(document, (change) => change.lost.push(contact));
  }

  #note(document: string, note: (change: PieceChange) => void): void {
    this.#documents++;
    const noteOnce = (change: PieceChange) => {
      if (change.document === this.#documents) return;
      change.document = this.#documents;
      note(change);
    };
    let before = 0;
    for (let i = 0; i < document.length; i++) {
      const point = document.codePointAt(i) as number;
      if (point > 0xffff) i++;
      // The white space that is frequent. Pieces with any other are useless and harmless.
      if (point === 0x20 || point === 0x0a) {
        before = 0;
        continue;
      }
      noteOnce(this.#changeOf(0, point));
      if (before !== 0) noteOnce(this.#changeOf(before, point));
      before = point;
    }
  }

  /** `before` is 0 for a piece of one character. */
  #changeOf(before: number, point: number): PieceChange {
    if (before >= asciiPoints || point >= asciiPoints) return this.#otherChangeOf(textOf(before, point));
    const place = before * asciiPoints + point;
    const change = this.#ascii[place] ?? this.#begin(textOf(before, point));
    this.#ascii[place] = change;
    return change;
  }

  #otherChangeOf(piece: string): PieceChange {
    const change = this.#others.get(piece) ?? this.#begin(piece);
    this.#others.set(piece, change);
    return change;
  }

  #begin(piece: string): PieceChange {
    const change = { piece, gained: [], lost: [], document: 0 };
    this.all.push(change);
    return change;
  }
}

function textOf(before: number, point: number): string {
  return before === 0 ? String.fromCodePoint(point) : String.fromCodePoint(before, point);
}

export interface CountedBot {
  number: number;
  contact_count: number;
}

/** Returns what saves the changes of a bot's pieces, inside the caller's transaction. */
export function preparePieceCounts(db: DatabaseSync, listedContactsMax = defaultListedContactsMax) {
  const changeUnlisted = db.prepare(
    `UPDATE piece_counts SET contact_count = contact_count + ? WHERE bot = ? AND piece = ? AND is_listed = 0
     RETURNING contact_count`,
  );
  const findCount = db.prepare('SELECT contact_count FROM piece_counts WHERE bot = ? AND piece = ?');
  const setCount = db.prepare(
    `INSERT INTO piece_counts (bot, piece, contact_count, is_listed) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET contact_count = excluded.contact_count, is_listed = excluded.is_listed`,
  );
  const removeCount = db.prepare('DELETE FROM piece_counts WHERE bot = ? AND piece = ?');
  const listContact = db.prepare('INSERT INTO piece_contacts (bot, piece, contact) VALUES (?, ?, ?)');
  const unlistContact = db.prepare('DELETE FROM piece_contacts WHERE bot = ? AND piece = ? AND contact = ?');
  const unlistAll = db.prepare('DELETE FROM piece_contacts WHERE bot = ? AND piece = ?');
  for (const statement of [changeUnlisted, findCount]) statement.setReturnArrays(true);

  return (bot: CountedBot, changes: PieceChanges): void => {
    const listedMax = Math.max(listedContactsMax, Math.floor(bot.contact_count * listedShareMax));
    for (const { piece, gained, lost } of changes.all) {
      const growth = gained.length - lost.length;
      // Most are frequent and not listed: one statement does.
      const [unlisted] = (changeUnlisted.get(growth, bot.number, piece) as unknown as [number] | undefined) ?? [];
      if (unlisted !== undefined) {
        if (unlisted === 0) removeCount.run(bot.number, piece);
        continue;
      }
      const [known] = (findCount.get(bot.number, piece) as unknown as [number] | undefined) ?? [0];
      const count = known + growth;
      const isListed = count <= listedMax;
      if (isListed) {
        for (const contact of lost) unlistContact.run(bot.number, piece, contact);
        for (const contact of gained) listContact.run(bot.number, piece, contact);
      } else {
        unlistAll.run(bot.number, piece);
      }
      if (count === 0) removeCount.run(bot.number, piece);
      else setCount.run(bot.number, piece, count, isListed ? 1 : 0);
    }
  };
}
