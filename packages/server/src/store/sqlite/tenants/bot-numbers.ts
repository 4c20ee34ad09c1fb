// The numbers by which reads find the rows of a bot. A number never changes.
import type { DatabaseSync } from 'node:sqlite';

/** Undefined when there is no such bot. */
export function prepareBotNumber(db: DatabaseSync) {
  const botNumber = db.prepare('SELECT number FROM bots WHERE id = ? AND deleted_at IS NULL');
  return (botId: string) => (botNumber.get(botId) as { number: number } | undefined)?.number;
}

const rememberedBots = 10_000;

export type BotNumbers = ReturnType<typeof prepareBotNumbers>;

/** For the main thread, which remembers them. */
export function prepareBotNumbers(db: DatabaseSync) {
  const numberOf = prepareBotNumber(db);
  const numbers = new Map<string, number>();

  return {
    /** Undefined when there is no such bot. To be called within a snapshot. */
    find(botId: string): number | undefined {
      const known = numbers.get(botId);
      if (known !== undefined) return known;
      const number = numberOf(botId);
      if (number === undefined) return undefined;
      if (numbers.size >= rememberedBots) numbers.clear();
      numbers.set(botId, number);
      return number;
    },

    /** To be called when a bot is deleted. */
    forget(botId: string): void {
      numbers.delete(botId);
    },
  };
}
