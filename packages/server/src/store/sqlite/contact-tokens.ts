// Contact tokens: reads by key on the main thread, and writes on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { ContactTokenState, Visitor } from '../store.ts';
import type { BotNumbers } from './bot-numbers.ts';
import type { BotStates } from './bot-states.ts';
import type { ContactWrites } from './contact-writes.ts';
import { type PortMethods, statementsOf } from './rows.ts';

const selectVisitor = `SELECT id, name, expires_at AS expiresAtMs
  FROM contact_tokens CROSS JOIN contacts ON contacts.row_id = contact_tokens.contact
  WHERE contact_tokens.bot = ? AND hash = ?`;
const selectTokens = `SELECT contact_tokens.created_at AS createdAtMs, expires_at AS expiresAtMs,
    last_seen_at AS lastSeenAtMs
  FROM contacts CROSS JOIN contact_tokens ON contact_tokens.contact = contacts.row_id
  WHERE contacts.bot = ? AND id = ? ORDER BY contact_tokens.created_at, hash`;

export function prepareTokenReads(db: DatabaseSync, numbers: BotNumbers) {
  const { list } = statementsOf(db);
  return {
    findVisitor(botId, hash) {
      const bot = numbers.find(botId);
      return bot === undefined ? undefined : list<Visitor>(selectVisitor, bot, hash)[0];
    },
    listContactTokens(botId, contactId) {
      const bot = numbers.find(botId);
      return bot === undefined ? [] : list<ContactTokenState>(selectTokens, bot, contactId);
    },
  } satisfies PortMethods;
}

export function prepareTokenWrites(db: DatabaseSync, states: BotStates, findContact: ContactWrites['find']) {
  const { run } = statementsOf(db);
  return {
    createContactToken(botId, contactId, { hash, createdAtMs, expiresAtMs }) {
      const found = findContact(botId, contactId);
      if (found === undefined) return false;
      const sql = 'INSERT INTO contact_tokens (bot, hash, contact, created_at, expires_at) VALUES (?, ?, ?, ?, ?)';
      run(sql, found.bot.number, hash, found.contact.rowId, createdAtMs, expiresAtMs);
      return true;
    },

    revokeContactToken(botId, hash) {
      const bot = states.find(botId);
      return bot !== undefined && run('DELETE FROM contact_tokens WHERE bot = ? AND hash = ?', bot.number, hash) === 1;
    },

    revokeContactTokens(botId, contactId) {
      const found = findContact(botId, contactId);
      if (found === undefined) return false;
      run('DELETE FROM contact_tokens WHERE contact = ?', found.contact.rowId);
      return true;
    },

    noteTokensSeen(botId, seen) {
      const bot = states.find(botId);
      if (bot === undefined) return;
      const moveForward = `UPDATE contact_tokens SET last_seen_at = ?3
        WHERE bot = ?1 AND hash = ?2 AND (last_seen_at IS NULL OR last_seen_at < ?3)`;
      for (const { hash, seenAtMs } of seen) run(moveForward, bot.number, hash, seenAtMs);
    },
  } satisfies PortMethods;
}
