// Contact tokens: found by their key on the main thread, listed on a reader thread, and written on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { ContactTokenState, ListedTokens, Visitor } from '../../store.ts';
import { beginsPeriod, contactSeenEveryMs, dayMs, firstPosition, keptOf } from '../../tokens/rows.ts';
import { byBotId, type PortMethods, statementsOf } from '../contacts/rows.ts';
import type { ContactWrites } from '../contacts/writes.ts';
import type { EventWrites } from '../events/events.ts';
import type { BotNumbers } from '../tenants/bot-numbers.ts';
import type { BotStates } from '../tenants/bot-states.ts';

const selectVisitor = `SELECT id, name, expires_at AS expiresAtMs
  FROM contact_tokens CROSS JOIN contacts ON contacts.row_id = contact_tokens.contact
  WHERE contact_tokens.bot = ? AND hash = ?`;
const selectTokens = `SELECT contact_tokens.created_at AS createdAtMs, expires_at AS expiresAtMs,
    contact_tokens.last_seen_at AS lastSeenAtMs, hash
  FROM bots CROSS JOIN contacts ON contacts.bot = bots.number
    CROSS JOIN contact_tokens ON contact_tokens.contact = contacts.row_id
  WHERE bots.id = ? AND deleted_at IS NULL AND contacts.id = ? AND expires_at > ?
    AND (contact_tokens.created_at, hash) > (?, ?)
  ORDER BY contact_tokens.created_at, hash LIMIT ?`;

export function prepareTokenReads(db: DatabaseSync, numbers: BotNumbers) {
  const { list } = statementsOf(db);
  const findVisitor = (bot: number, hash: Uint8Array) => list<Visitor>(selectVisitor, bot, hash)[0];
  return byBotId(numbers.find, undefined, { findVisitor }) satisfies PortMethods;
}

/** Very many tokens of one contact take a while to sort. */
export function prepareTokenList(db: DatabaseSync) {
  const { list } = statementsOf(db);
  return (
    botId: string,
    contactId: string,
    { nowMs, after = firstPosition, limit }: ListedTokens,
  ): ContactTokenState[] =>
    list<ContactTokenState>(selectTokens, botId, contactId, nowMs, after.createdAtMs, after.hash, limit);
}

const selectLastSeen = `SELECT max(contacts.last_seen_at, coalesce((SELECT max(last_seen_at) FROM contact_tokens
    WHERE contact = contacts.row_id), 0)) AS lastSeenAtMs
  FROM bots CROSS JOIN contacts ON contacts.bot = bots.number
  WHERE bots.id = ? AND deleted_at IS NULL AND contacts.id = ?`;

export function prepareLastSeen(db: DatabaseSync) {
  const { list } = statementsOf(db);
  return (botId: string, contactIds: readonly string[]): (number | undefined)[] =>
    contactIds.map((id) => list<{ lastSeenAtMs: number | undefined }>(selectLastSeen, botId, id)[0]?.lastSeenAtMs);
}

const selectOwner = `SELECT id, row_id AS rowId, contact_tokens.last_seen_at AS lastSeenAtMs
  FROM contact_tokens CROSS JOIN contacts ON contacts.row_id = contact_tokens.contact
  WHERE contact_tokens.bot = ? AND hash = ?`;

export function prepareTokenWrites(
  db: DatabaseSync,
  states: BotStates,
  findContact: ContactWrites['find'],
  events: EventWrites,
) {
  const { find, run } = statementsOf(db);
  const findOwner = (bot: number, hash: Uint8Array) =>
    find<{ id: string; rowId: number; lastSeenAtMs: number | null }>(selectOwner, bot, hash);

  const removeOldest = (bot: number, contact: bigint, max: number): void => {
    const count = find<{ count: number }>('SELECT count(*) AS count FROM contact_tokens WHERE contact = ?', contact);
    if ((count?.count ?? 0) <= max) return;
    const sql = `DELETE FROM contact_tokens WHERE bot = ? AND hash IN (SELECT hash FROM contact_tokens
      WHERE contact = ? ORDER BY created_at DESC, hash DESC LIMIT -1 OFFSET ?)`;
    run(sql, bot, contact, keptOf(max));
  };

  return {
    createContactToken(botId, contactId, { hash, createdAtMs, expiresAtMs }, max) {
      const found = findContact(botId, contactId);
      if (found === undefined) return false;
      const sql = 'INSERT INTO contact_tokens (bot, hash, contact, created_at, expires_at) VALUES (?, ?, ?, ?, ?)';
      run(sql, found.bot.number, hash, found.contact.rowId, createdAtMs, expiresAtMs);
      if (max !== undefined) removeOldest(found.bot.number, found.contact.rowId, max);
      events.note(found.bot, 'token.created', contactId);
      return true;
    },

    revokeContactToken(botId, hash) {
      const bot = states.find(botId);
      const owner = bot && findOwner(bot.number, hash);
      if (bot === undefined || owner === undefined) return false;
      run('DELETE FROM contact_tokens WHERE bot = ? AND hash = ?', bot.number, hash);
      events.note(bot, 'token.revoked', owner.id);
      return true;
    },

    revokeContactTokens(botId, contactId) {
      const found = findContact(botId, contactId);
      if (found === undefined) return false;
      const revoked = run('DELETE FROM contact_tokens WHERE contact = ?', found.contact.rowId);
      if (revoked > 0) events.note(found.bot, 'token.revoked', contactId);
      return true;
    },

    noteTokensSeen(botId, seen) {
      const bot = states.find(botId);
      if (bot === undefined) return;
      const moveForward = (table: string, where: string) =>
        `UPDATE ${table} SET last_seen_at = ?1 WHERE ${where} AND (last_seen_at IS NULL OR last_seen_at < ?1)`;
      for (const { hash, seenAtMs } of seen) {
        const owner = findOwner(bot.number, hash);
        if (owner === undefined) continue;
        if (beginsPeriod(dayMs, owner.lastSeenAtMs, seenAtMs)) {
          events.note(bot, 'visitor.recognized', owner.id, undefined, seenAtMs);
        }
        run(moveForward('contact_tokens', 'bot = ?2 AND hash = ?3'), seenAtMs, bot.number, hash);
        if (!beginsPeriod(contactSeenEveryMs, owner.lastSeenAtMs, seenAtMs)) continue;
        run(moveForward('contacts', 'row_id = ?2'), seenAtMs, owner.rowId);
      }
    },
  } satisfies PortMethods;
}
