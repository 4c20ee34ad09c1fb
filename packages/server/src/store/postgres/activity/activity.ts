// How a bot is used: what its state and its tokens tell of it, and the two times that are noted once.

import type { FirstUse } from '../../activity/activity-store.ts';
import { type ActivityRow, toActivity, type VisitorRow } from '../../activity/rows.ts';
import type { Store } from '../../store.ts';
import { statements } from '../contacts/statements.ts';
import type { Transactions } from '../transactions.ts';

const noteStatements = {
  widgetLoaded: statements.noteWidgetLoaded,
  visitorRecognized: statements.noteVisitorRecognized,
} satisfies Record<FirstUse, unknown>;

export function prepareActivity({ readWith, changeRows }: Transactions) {
  return {
    async noteFirstUse(botId, use, { nowMs }) {
      await changeRows(noteStatements[use], [botId, nowMs], botId);
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
