// The list of bots with their counts of contacts. On a sharded database the counts lie on many nodes: each is asked once,
// and one that is down or hangs costs the counts of its bots, not the list.
import { setTimeout as delay } from 'node:timers/promises';
import { type Bot, type ListedBot, type Store, StoreUnavailableError } from '../store.ts';
import { botColumns, toBot } from '../tenant-sql.ts';
import { LostConnectionError } from './driver-errors.ts';
import type { Nodes } from './nodes.ts';
import type { Pool } from './pool.ts';
import { readRetryMs, retrying } from './retries.ts';

/** A list is not worth a longer wait for a count. */
const countsWithinMs = 1000;

const ofOrganization = 'deleted_at IS NULL AND ($1::text IS NULL OR organization_id = $1)';
const listBots = `SELECT ${botColumns} FROM bots WHERE ${ofOrganization} ORDER BY id`;
const listCounted = `SELECT ${botColumns}, contact_count AS "contactCount"
  FROM bots JOIN bot_states ON bot_states.bot_id = bots.id WHERE ${ofOrganization} ORDER BY id`;
const countEach = `SELECT bot_id AS "botId", contact_count AS "contactCount" FROM bot_states
  WHERE bot_id = ANY ($1::text[])`;

type Count = [botId: string, contactCount: number | null];

export function prepareBotList(pool: Pool, nodes: Nodes | undefined) {
  /** Of bots on one node. A bot that is missing was deleted meanwhile. */
  const countOn = async (botIds: readonly string[]): Promise<Count[]> => {
    const unknown = botIds.map((id): Count => [id, null]);
    const counting = pool
      .query<{ botId: string; contactCount: number }>(countEach, [botIds], botIds[0])
      .then((rows) => rows.map(({ botId, contactCount }): Count => [botId, contactCount]))
      .catch((error) => {
        const isOfNode = error instanceof StoreUnavailableError && !(error instanceof LostConnectionError);
        if (isOfNode) return unknown;
        throw error;
      });
    const late = new AbortController();
    const timeout = delay(countsWithinMs, unknown, { signal: late.signal });
    // Aborted when the counts came first.
    timeout.catch(() => {});
    return Promise.race([counting, timeout]).finally(() => late.abort());
  };

  const listByNode = async ({ nodesOf }: Nodes, organizationId: string | null): Promise<ListedBot[]> => {
    const bots = (await pool.query<Bot>(listBots, [organizationId])).map(toBot);
    const nodeOf = await nodesOf(bots.map(({ id }) => id));
    const byNode = Map.groupBy(bots, ({ id }) => nodeOf.get(id)).values();
    const counts = new Map((await Promise.all(byNode.map((some) => countOn(some.map(({ id }) => id))))).flat());
    return bots.flatMap((bot) => {
      const contactCount = counts.get(bot.id);
      return contactCount === undefined ? [] : [{ ...bot, contactCount }];
    });
  };

  return {
    listBots: (organizationId?: string) =>
      retrying(readRetryMs, async () =>
        nodes === undefined
          ? (await pool.query<ListedBot>(listCounted, [organizationId ?? null])).map(toBot)
          : listByNode(nodes, organizationId ?? null),
      ),
  } satisfies Partial<Store>;
}
