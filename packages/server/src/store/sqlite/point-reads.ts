// Reads of one row by its key, on the main thread: each takes some five microseconds, less than a message to a thread.
import type { DatabaseSync } from 'node:sqlite';
import type { Contact } from '@roster/contract';
import { type ContactRow, contactColumns, planUpsert, toContact } from '../contact-row.ts';
import type { Bot, ContactTokenState, Organization, Secret, UpsertItem, Visitor } from '../store.ts';
import { prepareAccountReads } from './account-reads.ts';
import { botColumns, type Nullable, organizationColumns, secretColumns, toBot, toSecretState } from './tenant-rows.ts';

/** Bots whose number is remembered. A number never changes, and a deleted bot is forgotten. */
const rememberedBots = 10_000;

export function preparePointReads(db: DatabaseSync) {
  const botNumber = db.prepare('SELECT number FROM bots WHERE id = ? AND deleted_at IS NULL');
  const organizationById = db.prepare(`SELECT ${organizationColumns} FROM organizations WHERE id = ?`);
  const botById = db.prepare(`SELECT ${botColumns} FROM bots WHERE id = ? AND deleted_at IS NULL`);
  const secretByHash = db.prepare(`SELECT ${secretColumns}, hash FROM secrets WHERE hash = ?`);
  const contactById = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [contactById, contactByEmail]) statement.setReturnArrays(true);
  const visitorByHash = db.prepare(
    `SELECT id, name, expires_at AS expiresAtMs FROM contact_tokens CROSS JOIN contacts ON contacts.row_id = contact_tokens.contact
     WHERE contact_tokens.bot = ? AND hash = ?`,
  );
  const tokensOf = db.prepare(
    `SELECT contact_tokens.created_at AS createdAtMs, expires_at AS expiresAtMs, last_seen_at AS lastSeenAtMs
     FROM contacts CROSS JOIN contact_tokens ON contact_tokens.contact = contacts.row_id
     WHERE contacts.bot = ? AND id = ? ORDER BY contact_tokens.created_at, hash`,
  );
  const contactCount = db.prepare('SELECT contact_count FROM bots WHERE id = ? AND deleted_at IS NULL');
  const unindexed = db.prepare('SELECT count(*) AS count FROM search_pending');
  const numbers = new Map<string, number>();

  // Reads of the same turn of the event loop share a snapshot: taking one costs as much as half a read.
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  let hasSnapshot = false;
  const dropSnapshot = (): void => {
    if (!hasSnapshot) return;
    hasSnapshot = false;
    // A failed read has ended it already.
    if (db.isTransaction) commit.run();
  };
  const needSnapshot = (): void => {
    if (hasSnapshot) return;
    begin.run();
    hasSnapshot = true;
    setImmediate(dropSnapshot);
  };

  const findNumber = (botId: string): number | undefined => {
    needSnapshot();
    const known = numbers.get(botId);
    if (known !== undefined) return known;
    const row = botNumber.get(botId) as { number: number } | undefined;
    if (row === undefined) return undefined;
    if (numbers.size >= rememberedBots) numbers.clear();
    numbers.set(botId, row.number);
    return row.number;
  };

  const readContact = (row: unknown): Contact | undefined => {
    return row === undefined ? undefined : toContact(row as ContactRow);
  };

  const findContactByEmail = (botId: string, emailKey: string): Contact | undefined => {
    const bot = findNumber(botId);
    return bot === undefined ? undefined : readContact(contactByEmail.get(bot, emailKey));
  };

  return {
    ...prepareAccountReads(db, needSnapshot),

    /** Later reads see what was committed until now. Must be called before a write is answered. */
    dropSnapshot,

    forgetBot(botId: string): void {
      numbers.delete(botId);
    },

    countUnindexed(): number {
      needSnapshot();
      return (unindexed.get() as { count: number }).count;
    },

    findOrganization(organizationId: string): Organization | undefined {
      needSnapshot();
      const row = organizationById.get(organizationId) as Organization | undefined;
      return row && { ...row };
    },

    findBot(botId: string): Bot | undefined {
      needSnapshot();
      const row = botById.get(botId) as (Bot & { allowedOrigins: string }) | undefined;
      return row && toBot(row);
    },

    findSecret(hash: Uint8Array): Secret | undefined {
      needSnapshot();
      const row = secretByHash.get(hash) as Nullable<Secret> | undefined;
      return row && toSecretState(row);
    },

    countContacts(botId: string): number {
      needSnapshot();
      return (contactCount.get(botId) as { contact_count: number } | undefined)?.contact_count ?? 0;
    },

    findContact(botId: string, contactId: string): Contact | undefined {
      const bot = findNumber(botId);
      return bot === undefined ? undefined : readContact(contactById.get(bot, contactId));
    },

    findContactByEmail,

    findNameless(botId: string, items: readonly UpsertItem[]): number[] {
      return planUpsert(items, (emailKey) => findContactByEmail(botId, emailKey)).nameless;
    },

    findVisitor(botId: string, hash: Uint8Array): Visitor | undefined {
      const bot = findNumber(botId);
      const row = bot === undefined ? undefined : (visitorByHash.get(bot, hash) as Visitor | undefined);
      return row && { ...row };
    },

    listContactTokens(botId: string, contactId: string): ContactTokenState[] {
      const bot = findNumber(botId);
      if (bot === undefined) return [];
      const rows = tokensOf.all(bot, contactId) as unknown as Nullable<ContactTokenState>[];
      return rows.map((row) => ({ ...row, lastSeenAtMs: row.lastSeenAtMs ?? undefined }));
    },
  };
}
