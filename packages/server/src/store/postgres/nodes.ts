// Which node of a sharded database holds a bot, so that one that fails takes no more than its share of connections and
// reads. Only fairness depends on it, so it may be out of date: a shard that moves is noticed within a minute.
import { everyNode, type NodeOf } from './bulkhead.ts';
import type { Pool } from './pool.ts';

/** How the tables by bot are spread: over nodes of Citus, over partitions, or not at all. */
export type Sharding = 'citus' | 'partitions' | 'none';

export interface Nodes {
  nodeOf: NodeOf;
  /** Of many bots at once. Unknown bots are left out. */
  nodesOf(botIds: readonly string[]): Promise<Map<string, string>>;
}

const freshMs = 60_000;
const rememberedBots = 10_000;

/** Asks for bots of each node apart: one that does not answer costs what its bots have, and no others. */
export async function askEachNode<Row>(
  nodes: Nodes | undefined,
  botIds: readonly string[],
  ask: (botIds: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  if (botIds.length === 0) return [];
  if (nodes === undefined) return ask(botIds);
  const nodeOf = await nodes.nodesOf(botIds);
  const byNode = Map.groupBy(botIds, (botId) => nodeOf.get(botId)).values();
  const found = await Promise.allSettled(byNode.map(ask));
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

/** Both read metadata alone, so they answer whichever node is down. */
const findNodes = {
  citus: `SELECT given.id, placement.groupid::text AS node FROM unnest($1::text[]) AS given (id)
    JOIN pg_dist_placement AS placement
      ON placement.shardid = get_shard_id_for_distribution_column('bot_states', given.id)`,
  partitions: `SELECT given.id, partition.oid::text AS node FROM unnest($1::text[]) AS given (id)
    CROSS JOIN pg_inherits AS child JOIN pg_class AS partition ON partition.oid = child.inhrelid
    CROSS JOIN regexp_match(pg_get_expr(partition.relpartbound, partition.oid), 'modulus (\\d+), remainder (\\d+)') AS bound
    WHERE child.inhparent = 'bot_states'::regclass
      AND satisfies_hash_partition(child.inhparent, bound[1]::int, bound[2]::int, given.id)`,
};

export async function findSharding(pool: Pool): Promise<Sharding> {
  const sql = `SELECT CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN 'citus'
    WHEN relkind = 'p' THEN 'partitions' ELSE 'none' END AS sharding
    FROM pg_class WHERE oid = to_regclass('contacts')`;
  const [found] = await pool.query<{ sharding: Sharding }>(sql);
  return found?.sharding ?? 'none';
}

interface Known {
  node: string | undefined;
  untilMs: number;
}

export function prepareNodes(pool: Pool, sharding: Exclude<Sharding, 'none'>): Nodes {
  const statement = { name: 'findNodes', text: findNodes[sharding] };
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<string | undefined>>();

  const find = async (botIds: readonly string[]): Promise<Map<string, string>> => {
    const rows = await pool.query<{ id: string; node: string }>(statement, [botIds]);
    const found = new Map(rows.map(({ id, node }) => [id, node]));
    const untilMs = performance.now() + freshMs;
    for (const id of botIds) {
      known.delete(id);
      known.set(id, { node: found.get(id), untilMs });
    }
    for (const id of known.keys()) {
      if (known.size <= rememberedBots) break;
      known.delete(id);
    }
    return found;
  };

  /** Calls for the same bot that come meanwhile share the answer. */
  const ask = (botId: string): Promise<string | undefined> => {
    const asked =
      asking.get(botId) ??
      find([botId])
        .then((found) => found.get(botId))
        .finally(() => asking.delete(botId));
    asking.set(botId, asked);
    return asked;
  };

  return {
    nodeOf(botId) {
      if (botId === everyNode) return everyNode;
      const found = known.get(botId);
      if (found === undefined) return ask(botId);
      // While it is asked for again, what was known before is good enough.
      if (performance.now() >= found.untilMs) ask(botId).catch(() => {});
      return found.node;
    },
    async nodesOf(botIds) {
      const missing = botIds.filter((id) => !known.has(id));
      const found = missing.length === 0 ? new Map<string, string>() : await find(missing);
      for (const id of botIds) {
        const node = known.get(id)?.node;
        if (node !== undefined) found.set(id, node);
      }
      return found;
    },
  };
}
