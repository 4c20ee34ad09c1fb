// The latest part of a bot's feed, newest first, and how it grows at both ends. The feed is read forward only, so older events
// are found by going back some way from what is known, and reading up to it.
import { ApiError } from '@roster/client/parts';
import type { FeedEvent } from '@roster/contract';
import { areOfOneHistory, eventsBefore, positionBefore } from '@roster/contract/event-position';

export interface EventHistory {
  /** The latest first. */
  pages: readonly EventPage[];
  /** The position from which newer events are read. */
  end: string;
  /** No older events are kept. */
  isWhole: boolean;
}

interface EventPage {
  /** The newest first. */
  events: readonly FeedEvent[];
  /** The position before the oldest of them. */
  from: string;
}

/** Reads a page of the feed, forward from a position or from the oldest event that is kept. */
export type ReadPage = (wanted: {
  after?: string;
  limit: number;
  /** In seconds. */
  wait?: number;
}) => Promise<{ data: FeedEvent[]; next: string }>;

export interface EventReader {
  /** May be narrowed to a type or a contact. */
  readPage: ReadPage;
  /** All events are of one contact: few among those of the bot, and none before its creation. */
  isOfContact: boolean;
}

/** So many are read at a time, if there are as many. */
export const eventsWanted = 50;
/** How many events of the feed, wanted or not, are gone back over at a time. The server looks at so many for a request. */
const spanMax = 5000;
const spanMin = eventsWanted;
/** Events of one answer: with their contacts there are never more. */
const limitMax = 100;
/** Rare events of a long feed are looked for step by step: each takes no more requests than these. */
const requestsMax = 12;
/** A page that stays open must not collect events without end. */
const keptMax = 1000;

export async function readLatest(reader: EventReader): Promise<EventHistory> {
  for (;;) {
    const { next } = await reader.readPage({ after: 'now', limit: 1 });
    const empty = { pages: [], end: next, isWhole: false };
    const found = await readOlder(reader, empty);
    if (found !== undefined) return withOlder(empty, empty, found);
  }
}

interface OlderEvents extends Pick<EventHistory, 'pages' | 'isWhole'> {
  /** Up to where the first page was read. */
  end: string;
}

/** Undefined: the data was restored or moved, and the positions that are known mean nothing any more. */
export async function readOlder(reader: EventReader, history: EventHistory): Promise<OlderEvents | undefined> {
  const { readPage, isOfContact } = reader;
  const known = new Set(eventsOf(history).map(({ id }) => id));
  const pages: EventPage[] = [];
  let { end } = history;
  let to = startOf(history);
  let span = isOfContact ? spanMax : spanMin;
  let found = 0;
  for (let requests = 0; requests < requestsMax && found < eventsWanted && eventsBefore(to) > 0; requests++) {
    const from = positionBefore(to, span);
    const limit = Math.min(span, limitMax);
    const page = await unlessExpired(readPage({ after: from, limit }));
    const { data, next } = page ?? (await readPage({ limit }));
    if (!areOfOneHistory(next, to)) return undefined;
    // More were found on the way than one answer holds, and the newest of them are wanted.
    if (eventsBefore(next) < eventsBefore(to)) {
      span = Math.max(spanMin, Math.floor(span / 4));
      continue;
    }
    if (pages.length === 0) end = next;
    // The answer may go on beyond the position: with what is known, and with what has happened since.
    const firstKnown = data.findIndex(({ id }) => known.has(id));
    const events = (firstKnown === -1 ? data : data.slice(0, firstKnown)).toReversed();
    for (const { id } of events) known.add(id);
    pages.push({ events, from });
    const isCreation = isOfContact && events.at(-1)?.type === 'contact.created';
    if (page === undefined || isCreation) return { pages, end, isWhole: true };
    found += events.length;
    to = from;
    span = Math.min(span * 4, spanMax);
  }
  return { pages, end, isWhole: eventsBefore(to) === 0 };
}

/** Adds older events to `now`, unless they do not follow it any more: they were read for what it was `before`. */
export function withOlder(now: EventHistory, before: EventHistory, older: OlderEvents): EventHistory {
  if (startOf(now) !== startOf(before)) return now;
  const end = now.pages.length === 0 ? older.end : now.end;
  return { pages: [...now.pages, ...older.pages], end, isWhole: older.isWhole };
}

/**
 * Adds what has happened since. `current` is asked again after the request, during which older events may have been added. When
 * too much has happened, the result is the latest part alone.
 */
export async function readNewer(reader: EventReader, current: () => EventHistory, wait: number): Promise<EventHistory> {
  const { end } = current();
  const page = await unlessExpired(reader.readPage({ after: end, limit: limitMax, ...(wait > 0 && { wait }) }));
  if (page === undefined || page.data.length === limitMax) return readLatest(reader);
  if (eventsBefore(page.next) - eventsBefore(end) >= spanMax) return readLatest(reader);
  const now = current();
  if (page.data.length === 0) return { ...now, end: page.next };
  const added = { events: page.data.toReversed(), from: end };
  return forgetOldest({ ...now, pages: [added, ...now.pages], end: page.next });
}

/** Newest first, each once: one that happened while older ones were read may be on two pages. */
export function eventsOf({ pages }: EventHistory): FeedEvent[] {
  const events = new Map<string, FeedEvent>();
  for (const event of pages.flatMap((page) => page.events)) if (!events.has(event.id)) events.set(event.id, event);
  return [...events.values()];
}

/** The position before which older events are. */
function startOf({ pages, end }: EventHistory): string {
  return pages.at(-1)?.from ?? end;
}

function forgetOldest(history: EventHistory): EventHistory {
  const pages = [...history.pages];
  let left = pages.reduce((sum, { events }) => sum + events.length, 0);
  for (let last = pages.at(-1); last && left - last.events.length >= keptMax; last = pages.at(-1)) {
    pages.pop();
    left -= last.events.length;
  }
  return { ...history, pages, isWhole: history.isWhole && pages.length === history.pages.length };
}

/** Undefined: the events after the position are not all kept any more. */
async function unlessExpired<Page>(page: Promise<Page>): Promise<Page | undefined> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'events_expired') return undefined;
    throw error;
  }
}
