// How rows of the database become the values of the port, and how row ids are made. Shared by all threads.
import type { Contact } from '@roster/contract';

/** A row id is the bot's number and the contact's, 32 bits each: the rows of a bot are one range. */
export function rowIdOf(bot: number, contact: number): bigint {
  return (BigInt(bot) << 32n) | BigInt(contact);
}

/**
 * First and last row id of a bot. Always bigints: a JavaScript number is bound as REAL, and FTS5 then ignores the
 * bounds and reads the rows of every bot.
 */
export function rowRange(bot: number): [bigint, bigint] {
  return [rowIdOf(bot, 0), rowIdOf(bot, 0xffffffff)];
}

/** The columns of a contact row, in the order of `ContactRow`. */
export const contactColumns = 'id, name, email, phone, mid, wid, created_us, updated_at';

export type ContactRow = [
  id: string,
  name: string,
  email: string,
  phone: string,
  mid: string,
  wid: string,
  createdUs: number,
  updatedAtMs: number,
];

export function toContact([id, name, email, phone, mid, wid, createdUs, updatedAtMs]: ContactRow): Contact {
  const createdAtMs = Math.floor(createdUs / 1000);
  const createdAt = new Date(createdAtMs).toISOString();
  const updatedAt = updatedAtMs === createdAtMs ? createdAt : new Date(updatedAtMs).toISOString();
  return { id, name, email, phone, mid, wid, createdAt, updatedAt };
}
