// The copy: a SQLite file with the contacts and the position in the feed up to which they are current. Both change in one
// transaction, so the file is consistent whenever the process is killed. Replace this file to write to your own database.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ContactEvent, ContactWith } from '@roster/client';

export type CopiedContact = ContactWith<'attributes' | 'tags'>;
export type CopiedEvent = ContactEvent<'contact' | 'attributes' | 'tags'>;

/** After a power failure with `synchronous = NORMAL`, the last transactions may be missing: their events are read again. */
const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS contacts (
    id TEXT PRIMARY KEY,
    name TEXT GENERATED ALWAYS AS (contact ->> 'name'),
    email TEXT GENERATED ALWAYS AS (contact ->> 'email'),
    contact TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS feed (row INTEGER PRIMARY KEY CHECK (row = 1), position TEXT NOT NULL) STRICT;
`;

/** How long to wait for another process that writes to the file. */
const lockTimeoutMs = 5000;

export class ContactCopy {
  readonly #db: DatabaseSync;
  readonly #findPosition: StatementSync;
  readonly #keepPosition: StatementSync;
  readonly #save: StatementSync;
  readonly #remove: StatementSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: lockTimeoutMs });
    this.#db.exec(schema);
    this.#findPosition = this.#db.prepare('SELECT position FROM feed');
    this.#keepPosition = this.#db.prepare('INSERT OR REPLACE INTO feed (row, position) VALUES (1, ?)');
    this.#save = this.#db.prepare('INSERT OR REPLACE INTO contacts (id, contact) VALUES (?, ?)');
    this.#remove = this.#db.prepare('DELETE FROM contacts WHERE id = ?');
  }

  /** Undefined until all contacts were read once. */
  get position(): string | undefined {
    return this.#findPosition.get()?.['position'] as string | undefined;
  }

  /** Handles events. Handling one twice does no harm: it comes with the contact as it is now. */
  async apply(events: readonly CopiedEvent[], move: { from: string | undefined; to: string }): Promise<void> {
    await this.#transact(move, () => {
      for (const { contactId, contact } of events) {
        if (contact !== null) this.#save.run(contact.id, JSON.stringify(contact));
        else if (contactId !== null) this.#remove.run(contactId);
      }
    });
  }

  /** Replaces all contacts. Other processes read the old ones until it is done. */
  async replaceAll(
    contacts: AsyncIterable<CopiedContact>,
    move: { from: string | undefined; to: string },
  ): Promise<void> {
    await this.#transact(move, async () => {
      this.#db.exec('DELETE FROM contacts');
      for await (const contact of contacts) this.#save.run(contact.id, JSON.stringify(contact));
    });
  }

  /** Oldest first, as in an export. */
  *contacts(): Generator<CopiedContact> {
    for (const row of this.#db.prepare('SELECT contact FROM contacts ORDER BY id').iterate()) {
      yield JSON.parse(row['contact'] as string) as CopiedContact;
    }
  }

  close(): void {
    this.#db.close();
  }

  /** All changes and the new position, or none. */
  async #transact({ from, to }: { from: string | undefined; to: string }, change: () => void | Promise<void>) {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      // Two mirrors with one file would overwrite newer contacts with older ones.
      if (this.position !== from) throw new Error('Another process writes to this copy.');
      await change();
      this.#keepPosition.run(to);
      this.#db.exec('COMMIT');
    } finally {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }
}
