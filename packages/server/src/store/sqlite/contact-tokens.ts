// Contact tokens: reads by key on the main thread, and writes on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { ContactTokenState, Visitor } from '../store.ts';
import type { BotNumbers } from './bot-numbers.ts';
import type { BotStates } from './bot-states.ts';
import type { ContactWrites } from './contact-writes.ts';
import { findRow, listRows, type PortMethods } from './rows.ts';

export function prepareTokenReads(db: DatabaseSync, numbers: BotNumbers) {
  const visitorByHash = db.prepare(
    `SELECT id, name, expires_at AS expiresAtMs
     FROM contact_tokens CROSS JOIN contacts ON contacts.row_id = contact_tokens.contact
     WHERE contact_tokens.bot = ? AND hash = ?`,
  );
  const tokensOf = db.prepare(
    `SELECT contact_tokens.created_at AS createdAtMs, expires_at AS expiresAtMs, last_seen_at AS lastSeenAtMs
     FROM contacts CROSS JOIN contact_tokens ON contact_tokens.contact = contacts.row_id
     WHERE contacts.bot = ? AND id = ? ORDER BY contact_tokens.created_at, hash`,
  );

  return {
    findVisitor(botId, hash) {
      const bot = numbers.find(botId);
      return bot === undefined ? undefined : findRow<Visitor>(visitorByHash, bot, hash);
    },
    listContactTokens(botId, contactId) {
      const bot = numbers.find(botId);
      return bot === undefined ? [] : listRows<ContactTokenState>(tokensOf, bot, contactId);
    },
  } satisfies PortMethods;
}

export function prepareTokenWrites(db: DatabaseSync, states: BotStates, findContact: ContactWrites['find']) {
  const insert = db.prepare(
    'INSERT INTO contact_tokens (bot, hash, contact, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  const noteSeen = db.prepare(
    `UPDATE contact_tokens SET last_seen_at = ?3
     WHERE bot = ?1 AND hash = ?2 AND (last_seen_at IS NULL OR last_seen_at < ?3)`,
  );
  const remove = db.prepare('DELETE FROM contact_tokens WHERE bot = ? AND hash = ?');
  const removeAllOf = db.prepare('DELETE FROM contact_tokens WHERE contact = ?');

  return {
    createContactToken(botId, contactId, token) {
      const found = findContact(botId, contactId);
      if (found === undefined) return false;
      insert.run(found.bot.number, token.hash, found.contact.rowId, token.createdAtMs, token.expiresAtMs);
      return true;
    },

    revokeContactToken(botId, hash) {
      const bot = states.find(botId);
      return bot !== undefined && remove.run(bot.number, hash).changes === 1;
    },

    revokeContactTokens(botId, contactId) {
      const found = findContact(botId, contactId);
      if (found === undefined) return false;
      removeAllOf.run(found.contact.rowId);
      return true;
    },

    noteTokensSeen(botId, seen) {
      const bot = states.find(botId);
      if (bot === undefined) return;
      for (const { hash, seenAtMs } of seen) noteSeen.run(bot.number, hash, seenAtMs);
    },
  } satisfies PortMethods;
}
