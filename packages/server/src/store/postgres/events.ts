// The feeds: how they are read. Events are written by transactions.ts.
import { type JoinedEventRow, rangeOf, toEventsRead } from '../event-rows.ts';
import type { EventsRead, Feed, WantedEvents } from '../event-store.ts';
import type { Store } from '../store.ts';
import { statements } from './contact-statements.ts';
import { askEachNode, type Nodes } from './nodes.ts';
import type { Pool } from './pool.ts';
import type { Transactions } from './transactions.ts';

const findEach = `SELECT bot_id AS "botId", event_history AS history, last_event AS "end" FROM bot_states
  WHERE bot_id = ANY ($1::text[])`;

export function prepareEvents({ readOf }: Transactions, pool: Pool, nodes: Nodes | undefined) {
  const findAfterOldest = async (botId: string) =>
    (await readOf<{ number: number }>(statements.findOldestEvent, [botId]))[0]?.number;

  /** Of bots on one node. */
  const findOn = async (botIds: readonly string[]): Promise<[string, Feed][]> => {
    const rows = await pool.query<Feed & { botId: string }>(findEach, [botIds], botIds[0]);
    return rows.map(({ botId, ...feed }) => [botId, feed]);
  };

  return {
    async readEvents(botId: string, wanted: WantedEvents): Promise<EventsRead> {
      // A purge between the two statements is a reason to begin again.
      for (;;) {
        const after = wanted.after ?? (await findAfterOldest(botId));
        if (after === undefined) return { kind: 'missing' };
        const { rowsTo } = rangeOf({ ...wanted, after });
        const rows = await readOf<JoinedEventRow>(statements.readEvents, [botId, after, rowsTo]);
        const found = toEventsRead({ ...wanted, after }, rows);
        if (found.kind !== 'expired' || wanted.after !== undefined) return found;
      }
    },

    // Whoever asks for one bot is told that it cannot be asked.
    findFeeds: async (botIds) =>
      new Map(await (botIds.length === 1 ? findOn(botIds) : askEachNode(nodes, botIds, findOn))),
  } satisfies Partial<Store>;
}
