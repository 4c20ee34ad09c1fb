// The list of bots with their counts of contacts. On a sharded database the counts lie on many nodes: one that is lost costs
// the counts of its bots, not the list.
import type { Bot, ListedBot, Store } from '../../store.ts';
import { botColumns, toBot } from '../../tenants/tenant-sql.ts';
import { askForEach } from '../each-bot.ts';
import type { Pool } from '../pool.ts';
import { readRetryMs, retrying } from '../retries.ts';

const listBots = `SELECT ${botColumns} FROM bots
  WHERE deleted_at IS NULL AND ($1::text IS NULL OR organization_id = $1) ORDER BY id`;
const countEach = `SELECT bot_id AS "botId", contact_count AS "contactCount" FROM bot_states
  WHERE bot_id = ANY ($1::text[])`;

export function prepareBotList(pool: Pool) {
  return {
    listBots: (organizationId?: string) =>
      retrying(readRetryMs, async () => {
        const bots = (await pool.query<Bot>(listBots, [organizationId ?? null])).map(toBot);
        const ids = bots.map(({ id }) => id);
        const { rows, lostIds } = await askForEach<{ botId: string; contactCount: number }>(pool, countEach, ids);
        const counts = new Map<string, number | null>(lostIds.map((id) => [id, null]));
        for (const { botId, contactCount } of rows) counts.set(botId, contactCount);
        return bots.flatMap((bot): ListedBot[] => {
          const contactCount = counts.get(bot.id);
          // One without a state was deleted meanwhile.
          return contactCount === undefined ? [] : [{ ...bot, contactCount }];
        });
      }),
  } satisfies Partial<Store>;
}
