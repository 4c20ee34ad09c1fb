// Removes deliveries, a slice at a time: those of deleted bots and webhooks, and old ones that are not pending. For purge.ts,
// which goes from bot to bot.
import type { Pool } from '../pool.ts';
import { type Ended, webhookStatements as statements } from './webhook-statements.ts';

const statementsOf = {
  succeeded: {
    listWithOld: statements.listWithOldSucceeded,
    listOldest: statements.listOldestSucceeded,
    purge: statements.purgeSucceeded,
  },
  failed: {
    listWithOld: statements.listWithOldFailed,
    listOldest: statements.listOldestFailed,
    purge: statements.purgeFailed,
  },
} satisfies Record<Ended, unknown>;

export function preparePurgeDeliveries(pool: Pool) {
  /** Those before the first that is to be kept. */
  const purgeOldest = async (botId: string, webhookId: string, status: Ended, beforeMs: number, rows: number) => {
    const { listOldest, purge } = statementsOf[status];
    const values = [botId, webhookId, rows];
    const oldest = await pool.query<{ number: number; createdAtMs: number }>(listOldest, values, botId);
    const kept = oldest.findIndex(({ createdAtMs }) => createdAtMs >= beforeMs);
    const last = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1)?.number;
    if (last === undefined) return 0;
    return pool.change(purge, [botId, webhookId, last], botId);
  };

  // Each returns how many it has removed.
  return {
    /** Of a deleted bot, those of one of its webhooks. */
    async purgeAny(botId: string, rows: number): Promise<number> {
      const [found] = await pool.query<{ webhookId: string }>(statements.findAnyDelivery, [botId], botId);
      if (found === undefined) return 0;
      return pool.change(statements.purgeDeliveries, [botId, found.webhookId, rows], botId);
    },

    /** Of deleted webhooks. */
    async purgeRemoved(botId: string, rows: number): Promise<number> {
      const webhooks = await pool.query<{ id: string }>(statements.listRemovedWebhooks, [botId], botId);
      let removed = 0;
      for (const { id } of webhooks) {
        const left = rows - removed;
        const deleted = await pool.change(statements.purgeDeliveries, [botId, id, left], botId);
        removed += deleted;
        if (deleted === left) break;
        // A slice may also be short because another server was removing the same rows: then it stays.
        await pool.change(statements.deleteRemovedWebhook, [botId, id], botId);
      }
      return removed;
    },

    async purgeOld(botId: string, status: Ended, beforeMs: number, rows: number): Promise<number> {
      const webhooks = await pool.query<{ id: string }>(statementsOf[status].listWithOld, [botId, beforeMs], botId);
      let removed = 0;
      for (const { id } of webhooks) {
        removed += await purgeOldest(botId, id, status, beforeMs, rows - removed);
        if (removed >= rows) break;
      }
      return removed;
    },
  };
}
