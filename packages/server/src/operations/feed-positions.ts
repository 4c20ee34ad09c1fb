// Positions in the feed of a bot, as callers keep them: the history that they belong to, and the number of an event in it.
import { createHash } from 'node:crypto';
import { eventPositionPattern } from '@roster/contract';
import { ApiError, noSuchBot } from '../http/api-error.ts';
import type { Feed } from '../store/events/event-store.ts';
import type { Store } from '../store/store.ts';

export async function findFeed(store: Pick<Store, 'findFeeds'>, botId: string): Promise<Feed> {
  const feed = (await store.findFeeds([botId])).get(botId);
  if (feed === undefined) throw noSuchBot();
  return feed;
}

/** Identifies one history of one bot. */
function historyTagOf(botId: string, { history }: Feed): string {
  return createHash('sha256').update(`${botId} ${history}`).digest('hex').slice(0, 12);
}

export function positionOf(botId: string, feed: Feed, number: number): string {
  return `${historyTagOf(botId, feed)}-${number}`;
}

/** The number in a well-formed position of this history. Whether the events after it are kept is for the store to say. */
export function numberIn(position: string, botId: string, feed: Feed): number {
  const [, historyTag, number] = eventPositionPattern.exec(position) ?? [];
  if (historyTag !== historyTagOf(botId, feed)) throw expired(botId, feed);
  return Number(number);
}

export function expired(botId: string, feed: Feed): ApiError {
  const detail =
    'This position in the feed is no longer available. Keep `next`, read all contacts with an export, then go on from `next`.';
  return new ApiError('events_expired', detail, { next: positionOf(botId, feed, feed.end) });
}
