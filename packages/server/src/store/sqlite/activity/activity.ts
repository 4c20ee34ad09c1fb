// How a bot is used: read on a reader thread, and written on the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { BotActivity, WantedActivity } from '../../activity/activity-store.ts';
import {
  type ActivityRow,
  countByDay,
  firstUseColumns,
  keptDays,
  toActivity,
  type VisitorRow,
} from '../../activity/rows.ts';
import { type PortMethods, statementsOf } from '../contacts/rows.ts';
import type { BotState } from '../tenants/bot-states.ts';

const selectActivity = `SELECT contact_count AS contactCount, last_created_us AS lastCreatedUs,
    created_last_day AS createdLastDay, widget_loaded_at AS widgetLoadedAtMs,
    visitor_recognized_at AS visitorRecognizedAtMs, day, created_count AS createdCount
  FROM bots LEFT JOIN contacts_by_day ON bot = number AND day >= ?2
  WHERE id = ?1 AND deleted_at IS NULL ORDER BY day`;
const selectVisitors = `SELECT contacts.id, name, lastSeenAtMs, visitorCount, tokenCount FROM (
    SELECT contact, max(last_seen_at) AS lastSeenAtMs, count(*) OVER () AS visitorCount,
      sum(count(*)) OVER () AS tokenCount
    FROM (SELECT contact, last_seen_at FROM bots CROSS JOIN contact_tokens ON contact_tokens.bot = bots.number
      WHERE bots.id = ? AND deleted_at IS NULL AND last_seen_at >= ? ORDER BY last_seen_at DESC LIMIT ?)
    GROUP BY contact ORDER BY lastSeenAtMs DESC, contact DESC LIMIT ?) AS seen
  CROSS JOIN contacts ON contacts.row_id = seen.contact ORDER BY lastSeenAtMs DESC, contact DESC`;

export function prepareActivity(db: DatabaseSync) {
  const { list } = statementsOf(db);
  return (botId: string, wanted: WantedActivity): BotActivity | undefined => {
    const { fromDay, seenSinceMs, tokensMax, visitorsMax } = wanted;
    const rows = list<ActivityRow>(selectActivity, botId, fromDay);
    const visitors = list<VisitorRow>(selectVisitors, botId, seenSinceMs, tokensMax, visitorsMax);
    return toActivity(rows, visitors, wanted);
  };
}

export function prepareActivityWrites(db: DatabaseSync) {
  const { run } = statementsOf(db);
  return {
    noteFirstUse(botId, use, { nowMs }) {
      const column = firstUseColumns[use];
      run(`UPDATE bots SET ${column} = ?2 WHERE id = ?1 AND deleted_at IS NULL AND ${column} IS NULL`, botId, nowMs);
    },
  } satisfies PortMethods;
}

export type CountCreated = ReturnType<typeof prepareCountCreated>;

/** Counts a creation in the state of the bot. To be called before `lastCreatedUs` moves on. */
export function prepareCountCreated(db: DatabaseSync) {
  const { run } = statementsOf(db);
  const saveDay = `INSERT INTO contacts_by_day (bot, day, created_count) VALUES (?, ?, ?)
    ON CONFLICT (bot, day) DO UPDATE SET created_count = created_count + excluded.created_count`;
  return (bot: BotState, createdUs: number): void => {
    const { finished, createdLastDay } = countByDay(bot, [createdUs]);
    for (const { day, count } of finished) {
      run(saveDay, bot.number, day, count);
      run('DELETE FROM contacts_by_day WHERE bot = ? AND day < ?', bot.number, day - keptDays);
    }
    bot.createdLastDay = createdLastDay;
  };
}
