// The numbers by which the main thread's reads find the rows of a bot. A number never changes.
import type { DatabaseSync } from 'node:sqlite';

const rememberedBots = 10_000;

export type BotNumbers = ReturnType<typeof prepareBotNumbers>;

export function prepareBotNumbers(db: DatabaseSync) {
  const botNumber = db.prepare('SELECT number FROM bots WHERE id = ? AND deleted_at IS NULL');
  const numbers = new Map<string, number>();

  return {
    /** Undefined when there is no such bot. To be called within a snapshot. */
    find(botId: string): number | undefined {
      const known = numbers.get(botId);
      if (known !== undefined) return known;
      const row = botNumber.get(botId) as { number: number } | undefined;
      if (row === undefined) return undefined;
      if (numbers.size >= rememberedBots) numbers.clear();
      numbers.set(botId, row.number);
      return row.number;
    },

    /** To be called when a bot is deleted. */
    forget(botId: string): void {
      numbers.delete(botId);
    },
  };
}
