// How created contacts are counted by day, and an activity made of the rows that both engines read. Counts lie in the
// bot's state while their day lasts: a write adds a row only when it is the first of its day.
import type { BotActivity, CreatedOnDay, FirstUse, SeenVisitor, WantedActivity } from './activity-store.ts';

const dayUs = 86_400_000_000;

/** Days whose counts are kept, before the last one: more than a year. */
export const keptDays = 400;

function dayOf(us: number): number {
  return Math.floor(us / dayUs);
}

export interface CountedDay {
  lastCreatedUs: number;
  /** Contacts that were created on the day of `lastCreatedUs`. */
  createdLastDay: number;
}

/** Counts creations by day, from their times in ascending order: the days that are over, and the count of the last one. */
export function countByDay({ lastCreatedUs, createdLastDay }: CountedDay, createdUs: readonly number[]) {
  const finished: CreatedOnDay[] = [];
  let [day, count] = [dayOf(lastCreatedUs), createdLastDay];
  for (const us of createdUs) {
    if (dayOf(us) !== day) {
      if (count > 0) finished.push({ day, count });
      [day, count] = [dayOf(us), 0];
    }
    count++;
  }
  return { finished, createdLastDay: count };
}

/** Of the bot's state, where the time of each is noted. */
export const firstUseColumns: Record<FirstUse, string> = {
  widgetLoaded: 'widget_loaded_at',
  visitorRecognized: 'visitor_recognized_at',
};

/** One for each finished day that is wanted, or a single one without a day. */
export interface ActivityRow extends CountedDay {
  contactCount: number;
  widgetLoadedAtMs: number | undefined;
  visitorRecognizedAtMs: number | undefined;
  day: number | undefined;
  createdCount: number | undefined;
}

/** With how many visitors and tokens there are in all. */
export interface VisitorRow extends SeenVisitor {
  visitorCount: number;
  tokenCount: number;
}

export function toActivity(
  rows: readonly ActivityRow[],
  visitors: readonly VisitorRow[],
  { fromDay, tokensMax }: WantedActivity,
): BotActivity | undefined {
  const [state] = rows;
  if (state === undefined) return undefined;
  const { contactCount, widgetLoadedAtMs, visitorRecognizedAtMs, lastCreatedUs, createdLastDay } = state;
  const counts = new Map(
    rows.flatMap(({ day, createdCount }) => (day === undefined ? [] : [[day, createdCount ?? 0]])),
  );
  const lastDay = dayOf(lastCreatedUs);
  if (createdLastDay > 0 && lastDay >= fromDay) counts.set(lastDay, (counts.get(lastDay) ?? 0) + createdLastDay);
  return {
    contactCount,
    widgetLoadedAtMs,
    visitorRecognizedAtMs,
    createdByDay: [...counts].map(([day, count]) => ({ day, count })),
    visitorCount: visitors[0]?.visitorCount ?? 0,
    hasMoreVisitors: (visitors[0]?.tokenCount ?? 0) >= tokensMax,
    visitors: visitors.map(({ id, name, lastSeenAtMs }) => ({ id, name, lastSeenAtMs })),
  };
}
