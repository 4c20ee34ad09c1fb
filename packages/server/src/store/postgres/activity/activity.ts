// How a bot is used: what its state and its tokens tell of it, and the two times that are noted once.

import { type ActivityRow, firstUseColumns, toActivity, type VisitorRow } from '../../activity/rows.ts';
import type { Store } from '../../store.ts';
import { statements } from '../contacts/statements.ts';
import type { Transactions } from '../transactions.ts';

export function prepareActivity({ readWith, changeRows }: Transactions) {
  return {
    async noteFirstUse(botId, use, { nowMs }) {
      const column = firstUseColumns[use];
      const sql = `UPDATE bot_states SET ${column} = $2 WHERE bot_id = $1 AND ${column} IS NULL`;
      await changeRows(sql, [botId, nowMs], botId);
    },
    async findActivity(botId, wanted) {
      const { fromDay, seenSinceMs, tokensMax, visitorsMax } = wanted;
      return readWith(botId, async (connection) => {
        const [rows, visitors] = await Promise.all([
          connection.query<ActivityRow>(statements.readActivity, [botId, fromDay]),
          connection.query<VisitorRow>(statements.listVisitors, [botId, seenSinceMs, tokensMax, visitorsMax]),
        ]);
        return toActivity(rows, visitors, wanted);
      });
    },
  } satisfies Partial<Store>;
}
