// How an organization's bots are used, for the console's home. All bots together take one read each, a few at a time.
import { setTimeout as delay } from 'node:timers/promises';
import { type BotUsage, type Overview, overviewSpan } from '@roster/contract';
import { toTimestamp, toTimestampOrNull } from '../answers/answers.ts';
import type { Deps } from '../deps.ts';
import { noSuchBot } from '../http/api-error.ts';
import { clientLeft } from '../http/client-left.ts';
import type { Handlers } from '../http/operation-types.ts';
import type { BotActivity, WantedActivity } from '../store/activity/activity-store.ts';
import { type Caller, StoreUnavailableError } from '../store/store.ts';

const dayMs = 86_400_000;

/** Tokens that are looked at to count the visitors of one bot, of all bots, and of one among very many. */
const tokensOfBot = 10_000;
const tokensOfAll = 100_000;
const tokensMin = 100;

/** Bots that are read at once. */
const readsAtOnce = 16;
/** On a sharded database a node may not answer: an overview is not worth a longer wait for its bots. */
const readWithinMs = 2000;

export function overviewHandlers({ store, clock }: Pick<Deps, 'store' | 'clock'>) {
  const today = () => Math.floor(clock() / dayMs);

  const wanted = (tokensMax: number, visitorsMax: number): WantedActivity => ({
    fromDay: today() - overviewSpan.days + 1,
    seenSinceMs: clock() - overviewSpan.visitorDays * dayMs,
    tokensMax,
    visitorsMax,
  });

  /** Those that answer in time. */
  const findActivities = async (botIds: readonly string[], caller: Caller): Promise<Map<string, BotActivity>> => {
    const each = Math.floor(tokensOfAll / Math.max(1, botIds.length));
    const asked = wanted(Math.min(tokensOfBot, Math.max(tokensMin, each)), 1);
    const found = new Map<string, BotActivity>();
    const late = new AbortController();
    const remaining = botIds.values();
    const readSome = async () => {
      for (const botId of remaining) {
        try {
          const activity = await store.findActivity(botId, asked, caller);
          if (activity !== undefined) found.set(botId, activity);
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error;
        }
        if (late.signal.aborted) return;
      }
    };
    const reading = Promise.all(Array.from({ length: readsAtOnce }, readSome));
    const timeout = delay(readWithinMs, undefined, { signal: late.signal });
    // The timeout is aborted, and so rejects, when the reads came first.
    timeout.catch(() => {});
    await Promise.race([reading, timeout]).finally(() => late.abort());
    return new Map(found);
  };

  const toDays = (activities: readonly BotActivity[]): Overview['days'] => {
    const counts = new Map<number, number>();
    for (const { day, count } of activities.flatMap(({ createdByDay }) => createdByDay)) {
      counts.set(day, (counts.get(day) ?? 0) + count);
    }
    const fromDay = today() - overviewSpan.days + 1;
    return Array.from({ length: overviewSpan.days }, (_, index) => ({
      date: toTimestamp((fromDay + index) * dayMs).slice(0, 10),
      newContactCount: counts.get(fromDay + index) ?? 0,
    }));
  };

  return {
    async retrieveOverview({ session, request }) {
      const organizationId = session.organization.id;
      const bots = await store.listBots(organizationId);
      const caller = { organizationId, signal: clientLeft(request) };
      const found = await findActivities(
        bots.map(({ id }) => id),
        caller,
      );
      const usages = bots.flatMap(({ id }) => {
        const activity = found.get(id);
        return activity === undefined ? [] : [toUsage(id, activity)];
      });
      const days = toDays([...found.values()]);
      return { body: { data: { days, bots: usages, isComplete: usages.length === bots.length } } };
    },

    async retrieveBotOverview({ bot: { id, organizationId }, request }) {
      const caller = { organizationId, signal: clientLeft(request) };
      const activity = await store.findActivity(id, wanted(tokensOfBot, overviewSpan.visitors), caller);
      if (activity === undefined) throw noSuchBot();
      const visitors = activity.visitors.map(({ id: contactId, name, lastSeenAtMs }) => ({
        id: contactId,
        name,
        lastSeenAt: toTimestamp(lastSeenAtMs),
      }));
      return { body: { data: { ...toUsage(id, activity), days: toDays([activity]), visitors } } };
    },
  } satisfies Partial<Handlers>;
}

function toUsage(id: string, activity: BotActivity): BotUsage {
  const { contactCount, createdByDay, visitorCount, hasMoreVisitors } = activity;
  return {
    id,
    contactCount,
    newContactCount: createdByDay.reduce((sum, { count }) => sum + count, 0),
    visitorCount,
    hasMoreVisitors,
    widgetLoadedAt: toTimestampOrNull(activity.widgetLoadedAtMs),
    visitorRecognizedAt: toTimestampOrNull(activity.visitorRecognizedAtMs),
  };
}
