// The statements of each write, run by the writer thread inside a transaction that may hold many writes.
// A write first finds out whether it may happen, and changes rows only then: one that is refused changes nothing.
import type { DatabaseSync } from 'node:sqlite';
import { makeId } from '../../contacts/ids.ts';
import { searchTextOf } from '../../contacts/search-text.ts';
import { type ContactRow, changeRow, contactColumns, nextCreatedUs, planUpsert } from '../contact-row.ts';
import type {
  Bot,
  BotChanges,
  ContactChanges,
  ContactFields,
  ContactToken,
  Organization,
  Secret,
  UpsertItem,
} from '../store.ts';
import { prepareAccountWrites } from './account-writes.ts';
import { type CountedSearch, prepareKeptTotals } from './cached-counts.ts';
import { contactNumberMax, numbersOf, rowIdOf, rowRange } from './row-ids.ts';
import { documentOf } from './short-ngrams.ts';

interface BotState {
  number: number;
  contact_count: number;
  next_contact: number;
  last_created_us: number;
  is_indexed: number;
  counted_through: number;
  change_number: number;
}

interface StoredContact extends Omit<ContactFields, 'emailKey'> {
  row_id: bigint;
  id: string;
  email_key: string;
  created_us: bigint;
  updated_at: bigint;
  search_text: string;
}

function rowOf({ id, name, email, phone, mid, wid, created_us, updated_at }: StoredContact): ContactRow {
  return [id, name, email, phone, mid, wid, Number(created_us), Number(updated_at)];
}

/** The writes by name, and what belongs to the transaction around them. */
export type PreparedWrites = ReturnType<typeof prepareWrites>;
export type Writes = PreparedWrites['writes'];

export function prepareWrites(db: DatabaseSync, settings: { indexThreshold: number }) {
  const schemaVersion = db.prepare('PRAGMA user_version');
  const anyOrganization = db.prepare('SELECT 1 FROM organizations LIMIT 1');
  const insertOrganization = db.prepare('INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)');
  const insertBot = db.prepare(
    'INSERT INTO bots (id, organization_id, name, greeting, color, position, allowed_origins, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const changeOrganizationName = db.prepare('UPDATE organizations SET name = ? WHERE id = ?');
  const changeBot = db.prepare(
    `UPDATE bots SET name = coalesce(?, name), greeting = coalesce(?, greeting), color = coalesce(?, color),
       position = coalesce(?, position), allowed_origins = coalesce(?, allowed_origins)
     WHERE id = ? AND deleted_at IS NULL`,
  );
  const markBotDeleted = db.prepare('UPDATE bots SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL');
  const insertSecret = db.prepare(
    `INSERT INTO secrets (id, organization_id, name, prefix, hash, created_by, created_at, expires_at, revoked_at, last_used_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const changeSecretName = db.prepare('UPDATE secrets SET name = ? WHERE id = ?');
  const noteSecretUsed = db.prepare(
    'UPDATE secrets SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)',
  );
  const markSecretRevoked = db.prepare('UPDATE secrets SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');

  const botState = db.prepare(
    `SELECT number, contact_count, next_contact, last_created_us, is_indexed, counted_through, change_number
     FROM bots WHERE id = ? AND deleted_at IS NULL`,
  );
  const setBotState = db.prepare(
    `UPDATE bots SET contact_count = ?, next_contact = ?, last_created_us = ?, is_indexed = ?, counted_through = ?,
       change_number = ?
     WHERE number = ?`,
  );
  const insertContact = db.prepare(
    `INSERT INTO contacts (row_id, bot, id, name, email, email_key, phone, mid, wid, created_us, updated_at, search_text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (bot, email_key) DO NOTHING`,
  );
  // An update that does not name the email leaves the index on it alone.
  const changeContact = db.prepare(
    'UPDATE contacts SET name = ?, phone = ?, mid = ?, wid = ?, updated_at = ?, search_text = ? WHERE row_id = ?',
  );
  const changeEmail = db.prepare('UPDATE contacts SET email = ?, email_key = ? WHERE row_id = ?');
  const stored = `row_id, ${contactColumns}, email_key, search_text`;
  const contactById = db.prepare(`SELECT ${stored} FROM contacts WHERE bot = ? AND id = ?`);
  const contactByEmail = db.prepare(`SELECT ${stored} FROM contacts WHERE bot = ? AND email_key = ?`);
  for (const statement of [contactById, contactByEmail]) statement.setReadBigInts(true);
  const emailHolder = db.prepare('SELECT id FROM contacts WHERE bot = ? AND email_key = ?');
  const removeContact = db.prepare('DELETE FROM contacts WHERE row_id = ?');

  const noteUnindexed = db.prepare('INSERT INTO search_pending (row_id, has_entry) VALUES (?, 0)');
  const noteOutdated = db.prepare(
    'INSERT INTO search_pending (row_id, has_entry, counted_document) VALUES (?, 1, ?) ON CONFLICT DO NOTHING',
  );
  const forgetUnindexed = db.prepare('DELETE FROM search_pending WHERE row_id = ? AND has_entry = 0');
  const noteAllUnindexed = db.prepare(
    'INSERT INTO search_pending (row_id, has_entry) SELECT row_id, 0 FROM contacts WHERE row_id BETWEEN ? AND ?',
  );

  const insertToken = db.prepare(
    'INSERT INTO contact_tokens (bot, hash, contact, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  const noteTokenSeen = db.prepare(
    'UPDATE contact_tokens SET last_seen_at = ?3 WHERE bot = ?1 AND hash = ?2 AND (last_seen_at IS NULL OR last_seen_at < ?3)',
  );
  const removeToken = db.prepare('DELETE FROM contact_tokens WHERE bot = ? AND hash = ?');
  const removeTokensOf = db.prepare('DELETE FROM contact_tokens WHERE contact = ?');

  const expiredTokens = db.prepare(
    'DELETE FROM contact_tokens WHERE (bot, hash) IN (SELECT bot, hash FROM contact_tokens WHERE expires_at <= ? LIMIT ?)',
  );
  const deletedBot = db.prepare('SELECT number FROM bots WHERE deleted_at IS NOT NULL LIMIT 1');
  const firstRows = db.prepare('SELECT row_id FROM contacts WHERE row_id BETWEEN ? AND ? LIMIT ?');
  firstRows.setReadBigInts(true);
  const forgetBot = db.prepare('DELETE FROM bots WHERE number = ?');
  const removeEntry = db.prepare('DELETE FROM search_index WHERE rowid = ?');
  const removePending = db.prepare('DELETE FROM search_pending WHERE row_id = ?');

  const purgePieces = [
    db.prepare(
      `DELETE FROM piece_contacts
       WHERE bot = ?1 AND (piece, contact) IN (SELECT piece, contact FROM piece_contacts WHERE bot = ?1 LIMIT ?2)`,
    ),
    db.prepare(
      'DELETE FROM piece_counts WHERE bot = ?1 AND piece IN (SELECT piece FROM piece_counts WHERE bot = ?1 LIMIT ?2)',
    ),
  ];

  const keptTotals = prepareKeptTotals(db);

  // The writes of a transaction are mostly for the same few bots: their state is read and saved once.
  const bots = new Map<string, BotState>();
  const changedBots = new Set<BotState>();
  const findBotState = (botId: string): BotState | undefined => {
    const known = bots.get(botId) ?? (botState.get(botId) as BotState | undefined);
    if (known !== undefined) bots.set(botId, known);
    return known;
  };
  /** A contact of a live bot, with the state of the bot. */
  const find = (botId: string, contactId: string): { bot: BotState; contact: StoredContact } | undefined => {
    const bot = findBotState(botId);
    const contact = bot && (contactById.get(bot.number, contactId) as StoredContact | undefined);
    return contact && { bot: bot as BotState, contact };
  };
  const findByEmail = (bot: number, key: string) => contactByEmail.get(bot, key) as StoredContact | undefined;

  /** Inserts a contact and counts it in `bot`. Undefined when the email is taken. */
  const insert = (bot: BotState, fields: ContactFields, nowMs: number): ContactRow | undefined => {
    const createdUs = nextCreatedUs(bot.last_created_us, nowMs);
    const createdMs = Math.floor(createdUs / 1000);
    const id = makeId('contact', createdUs);
    const rowId = rowIdOf(bot.number, bot.next_contact);
    const { name, email, emailKey, phone, mid, wid } = fields;
    const text = searchTextOf(fields);
    const { changes } = insertContact.run(
      rowId,
      bot.number,
      id,
      name,
      email,
      emailKey,
      phone,
      mid,
      wid,
      createdUs,
      createdMs,
      text,
    );
    if (changes === 0) return undefined;
    if (bot.is_indexed) {
      noteUnindexed.run(rowId);
      keptTotals.note(bot, { contact: bot.next_contact, id, before: undefined, after: text });
    }
    bot.contact_count++;
    bot.next_contact++;
    bot.last_created_us = createdUs;
    changedBots.add(bot);
    return [id, name, email, phone, mid, wid, createdUs, createdMs];
  };

  /** Notes that the row's entry in the search index is of an older text, or to be removed. */
  const noteChange = (bot: BotState, old: StoredContact, after: string | undefined): void => {
    const { row_id, id, search_text: before } = old;
    const { contact } = numbersOf(row_id);
    // A row that never got an entry needs none removed.
    if (after !== undefined || forgetUnindexed.run(row_id).changes === 0) {
      noteOutdated.run(row_id, contact <= bot.counted_through ? documentOf(id, before) : null);
    }
    keptTotals.note(bot, { contact, id, before, after });
    changedBots.add(bot);
  };

  /** After its end, what was found in a transaction may not be true any more. */
  const forgetBots = (): void => {
    bots.clear();
    changedBots.clear();
  };

  /** Undoes the transaction, if one is under way, and what is remembered of it. */
  const rollBack = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK');
    forgetBots();
    keptTotals.reload();
  };

  /** Saves what the transaction's writes made of their bots. To be called before it is committed. */
  const saveBots = (): void => {
    for (const bot of changedBots) {
      if (!bot.is_indexed && bot.contact_count > settings.indexThreshold) {
        noteAllUnindexed.run(...rowRange(bot.number));
        bot.is_indexed = 1;
        bot.counted_through = contactNumberMax;
      }
      setBotState.run(
        bot.contact_count,
        bot.next_contact,
        bot.last_created_us,
        bot.is_indexed,
        bot.counted_through,
        bot.change_number,
        bot.number,
      );
    }
    keptTotals.save();
    forgetBots();
  };

  /** Writes what differs. Returns the row as it is then. */
  const applyChanges = (bot: BotState, old: StoredContact, changes: ContactChanges, nowMs: number): ContactRow => {
    const before = rowOf(old);
    const after = changeRow(before, changes, nowMs);
    if (after === before) return before;
    const [, name, email, phone, mid, wid, , updatedAtMs] = after;
    const text = searchTextOf({ name, email, phone, mid, wid });
    changeContact.run(name, phone, mid, wid, updatedAtMs, text, old.row_id);
    if (email !== old.email) changeEmail.run(email, changes.emailKey ?? old.email_key, old.row_id);
    if (bot.is_indexed && text !== old.search_text) noteChange(bot, old, text);
    return after;
  };

  const createOrganization = ({ id, name, createdAtMs }: Organization): void => {
    insertOrganization.run(id, name, createdAtMs);
  };
  const createBot = (bot: Bot): void => {
    const origins = JSON.stringify(bot.allowedOrigins);
    insertBot.run(
      bot.id,
      bot.organizationId,
      bot.name,
      bot.greeting,
      bot.color,
      bot.position,
      origins,
      bot.createdAtMs,
    );
  };
  const createSecret = (secret: Secret): void => {
    const { id, organizationId, name, prefix, hash, createdAtMs } = secret;
    const { createdBy = null, expiresAtMs = null, revokedAtMs = null, lastUsedAtMs = null } = secret;
    insertSecret.run(
      id,
      organizationId,
      name,
      prefix,
      hash,
      createdBy,
      createdAtMs,
      expiresAtMs,
      revokedAtMs,
      lastUsedAtMs,
    );
  };

  const account = prepareAccountWrites(db);

  const writes = {
    ...account.writes,

    /** Writes for real, and the same value: whether writing works shows only by doing it. */
    ping(): void {
      const { user_version } = schemaVersion.get() as { user_version: number };
      db.exec(`PRAGMA user_version = ${user_version}`);
    },

    createOrganization,
    createBot,
    createSecret,

    createFirstOrganization(first: { organization: Organization; bot: Bot; secret: Secret }): boolean {
      if (anyOrganization.get() !== undefined) return false;
      createOrganization(first.organization);
      createBot(first.bot);
      createSecret(first.secret);
      return true;
    },

    renameOrganization(organizationId: string, name: string): boolean {
      return changeOrganizationName.run(name, organizationId).changes === 1;
    },

    updateBot(botId: string, changes: BotChanges): boolean {
      const { name = null, greeting = null, color = null, position = null, allowedOrigins } = changes;
      const origins = allowedOrigins === undefined ? null : JSON.stringify(allowedOrigins);
      return changeBot.run(name, greeting, color, position, origins, botId).changes === 1;
    },

    renameSecret(secretId: string, name: string): boolean {
      return changeSecretName.run(name, secretId).changes === 1;
    },

    deleteBot(botId: string, nowMs: number): boolean {
      const bot = findBotState(botId);
      if (bot !== undefined) keptTotals.forgetBot(bot.number);
      bots.delete(botId);
      return markBotDeleted.run(nowMs, botId).changes === 1;
    },

    revokeSecret(secretId: string, nowMs: number): boolean {
      return markSecretRevoked.run(nowMs, secretId).changes === 1;
    },

    noteSecretsUsed(used: readonly { secretId: string; usedAtMs: number }[]): void {
      for (const { secretId, usedAtMs } of used) noteSecretUsed.run(secretId, usedAtMs);
    },

    createContact(botId: string, fields: ContactFields, nowMs: number) {
      const bot = findBotState(botId);
      if (bot === undefined) return { kind: 'missing' } as const;
      const row = insert(bot, fields, nowMs);
      if (row === undefined) {
        const { id } = emailHolder.get(bot.number, fields.emailKey) as { id: string };
        return { kind: 'email_taken', contactId: id } as const;
      }
      return { kind: 'created', row } as const;
    },

    updateContact(botId: string, contactId: string, changes: ContactChanges, nowMs: number) {
      const found = find(botId, contactId);
      if (found === undefined) return { kind: 'missing' } as const;
      const { bot, contact: old } = found;
      if (changes.emailKey !== undefined && changes.emailKey !== old.email_key) {
        const holder = emailHolder.get(bot.number, changes.emailKey) as { id: string } | undefined;
        if (holder !== undefined) return { kind: 'email_taken', contactId: holder.id } as const;
      }
      return { kind: 'updated', row: applyChanges(bot, old, changes, nowMs) } as const;
    },

    upsertContacts(botId: string, items: readonly UpsertItem[], nowMs: number) {
      const bot = findBotState(botId);
      if (bot === undefined) return { kind: 'missing' } as const;
      const { planned, nameless } = planUpsert(items, (emailKey) => findByEmail(bot.number, emailKey));
      if (nameless.length > 0) return { kind: 'nameless', positions: nameless } as const;
      const ids = new Map<string, string>();
      for (const [key, { found, changes }] of planned) {
        if (found !== undefined) {
          applyChanges(bot, found, changes, nowMs);
          ids.set(key, found.id);
        } else {
          const row = insert(bot, { name: '', phone: '', mid: '', wid: '', ...changes }, nowMs);
          if (row === undefined) throw new Error('an email appeared within a transaction');
          ids.set(key, row[0]);
        }
      }
      return { kind: 'upserted', ids: items.map((item) => ids.get(item.emailKey) as string) } as const;
    },

    deleteContact(botId: string, contactId: string): boolean {
      const found = find(botId, contactId);
      if (found === undefined) return false;
      const { bot, contact } = found;
      removeContact.run(contact.row_id);
      removeTokensOf.run(contact.row_id);
      if (bot.is_indexed) noteChange(bot, contact, undefined);
      bot.contact_count--;
      changedBots.add(bot);
      return true;
    },

    createContactToken(botId: string, contactId: string, token: ContactToken): boolean {
      const found = find(botId, contactId);
      if (found === undefined) return false;
      insertToken.run(found.bot.number, token.hash, found.contact.row_id, token.createdAtMs, token.expiresAtMs);
      return true;
    },

    revokeContactToken(botId: string, hash: Uint8Array): boolean {
      const bot = findBotState(botId);
      return bot !== undefined && removeToken.run(bot.number, hash).changes === 1;
    },

    revokeContactTokens(botId: string, contactId: string): boolean {
      const found = find(botId, contactId);
      if (found === undefined) return false;
      removeTokensOf.run(found.contact.row_id);
      return true;
    },

    noteTokensSeen(botId: string, seen: readonly { hash: Uint8Array; seenAtMs: number }[]): void {
      const bot = findBotState(botId);
      if (bot === undefined) return;
      for (const { hash, seenAtMs } of seen) noteTokenSeen.run(bot.number, hash, seenAtMs);
    },

    keepTotal(botId: string, search: CountedSearch): void {
      const bot = findBotState(botId);
      if (bot !== undefined) keptTotals.keep(bot, search);
    },

    purge(nowMs: number, rows: number): boolean {
      if (account.purgeExpired(nowMs, rows)) return true;
      if (Number(expiredTokens.run(nowMs, rows).changes) === rows) return true;
      const deleted = deletedBot.get() as { number: number } | undefined;
      if (deleted === undefined) return false;
      const batch = firstRows.all(...rowRange(deleted.number), rows) as { row_id: bigint }[];
      for (const { row_id } of batch) {
        removeContact.run(row_id);
        removeTokensOf.run(row_id);
        removeEntry.run(row_id);
        removePending.run(row_id);
      }
      let left = rows - batch.length;
      for (const statement of purgePieces) {
        if (left > 0) left -= Number(statement.run(deleted.number, left).changes);
      }
      if (left > 0) forgetBot.run(deleted.number);
      return true;
    },
  };

  return {
    writes,
    saveBots,
    rollBack,
  };
}
