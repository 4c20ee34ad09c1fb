// How row ids are made. Shared by all threads.

/** Contacts of a bot are numbered from 1, in the order of creation. */
export const contactNumberMax = 0xffffffff;

/** A row id is the bot's number and the contact's, 32 bits each: the rows of a bot are one range. */
export function rowIdOf(bot: number, contact: number): bigint {
  return (BigInt(bot) << 32n) | BigInt(contact);
}

export function numbersOf(rowId: bigint): { bot: number; contact: number } {
  return { bot: Number(rowId >> 32n), contact: Number(rowId & 0xffffffffn) };
}

/**
 * First and last row id of a bot. Always bigints: a JavaScript number is bound as REAL, and FTS5 then ignores the
 * bounds and reads the rows of every bot.
 */
export function rowRange(bot: number): [bigint, bigint] {
  return [rowIdOf(bot, 0), rowIdOf(bot, contactNumberMax)];
}

/** At most so many contacts lie in a range. */
export function rowsIn([first, last]: [bigint, bigint]): number {
  return Number(last - first) + 1;
}
