// The events of a transaction as both engines keep them: packed into rows, so that an upsert of a thousand contacts costs one
// row and not a thousand; and how a feed is read.
import type { EventActor, EventType } from '@roster/contract';
import { makeId, numberedId } from '../../contacts/ids.ts';
import { query, type Statement, type Steps } from '../sql-steps.ts';
import type { EventsRead, Feed, StoredEvent, WantedEvents } from './event-store.ts';

/** One that a write makes. */
export interface NewEvent {
  type: EventType;
  /** Null: it is about the whole bot. */
  contactId: string | null;
  fields?: readonly string[] | undefined;
  actor: EventActor;
  atMs: number;
}

/** In the order of the events. */
export interface PackedEvents {
  /** Id of the first event, from which those of the others follow (`numberedId`). */
  id: string;
  count: number;
  /** Time of the latest event. */
  atMs: number;
  body: string;
}

interface EventRow extends Omit<PackedEvents, 'atMs'> {
  /** The number of its last event. */
  last: number;
}

/** As many as a page may have, so that a read of a page takes at most one row too many. */
const eventsPerRow = 1000;
/** How many events a read with filters looks at: some milliseconds of work. */
const scannedEventsMax = 5000;

/** Stored: a letter must never change its meaning. */
const codes = {
  'contact.created': 'c',
  'contact.updated': 'u',
  'contact.deleted': 'd',
  'token.created': 't',
  'token.revoked': 'r',
  'attribute.deleted': 'a',
  'tag.renamed': 'n',
  'tag.deleted': 'g',
  'visitor.recognized': 'v',
} as const satisfies Record<EventType, string>;
const types = new Map(Object.entries(codes).map(([type, code]) => [code as string, type as EventType]));

/**
 * A body is lines. One that begins with @ says when and by whom, of the events in the lines after it: `@1700000000000 secret
 * sec_…`. An event is its code, its contact or nothing, and its fields or nothing: `u con_… name,attributes.plan`. None of
 * these texts has white space or a comma in it.
 */
export function packEvents(events: readonly NewEvent[]): PackedEvents[] {
  const rows: PackedEvents[] = [];
  for (let start = 0; start < events.length; start += eventsPerRow) {
    rows.push(
      packRow(start === 0 && events.length <= eventsPerRow ? events : events.slice(start, start + eventsPerRow)),
    );
  }
  return rows;
}

function packRow(events: readonly NewEvent[]): PackedEvents {
  let body = '';
  let latest = 0;
  let current: NewEvent | undefined;
  for (const event of events) {
    const { type, contactId, fields, actor, atMs } = event;
    if (actor !== current?.actor || atMs !== current.atMs) {
      body += `${body === '' ? '' : '\n'}@${atMs} ${actor.kind} ${actor.id ?? ''}`;
      latest = Math.max(latest, atMs);
      current = event;
    }
    body += `\n${codes[type]} ${contactId ?? ''}`;
    if (fields !== undefined) body += ` ${fields.join()}`;
  }
  return { id: numberedId(makeId('event', latest * 1000), 0), count: events.length, atMs: latest, body };
}

/** Those behind a number, one after the other: whoever reads a page of a long row needs few of them. */
function* unpackRow({ last, count, id, body }: EventRow, after: number): Generator<StoredEvent> {
  let number = last - count;
  let atMs = 0;
  let actor: EventActor = { kind: 'operator', id: null };
  for (const line of body.split('\n')) {
    const [code = '', second = '', third] = line.split(' ');
    if (code.startsWith('@')) {
      atMs = Number(code.slice(1));
      actor = { kind: second as EventActor['kind'], id: third || null };
      continue;
    }
    if (++number <= after) continue;
    yield {
      id: numberedId(id, number - (last - count) - 1),
      number,
      type: types.get(code) as EventType,
      atMs,
      contactId: second || null,
      fields: third === '' ? [] : third?.split(','),
      actor,
    };
  }
}

/** A row of events with its feed; without events in the range, the feed alone. */
type JoinedEventRow = Feed & Partial<EventRow>;

/**
 * `findOldest` comes to the number before the oldest event that is kept, and `readRange` to the feed with the rows of events that end
 * in a range; to nothing when there is no such bot. `Key` is how an engine names it.
 */
export function eventReads<Key extends string | number>(findOldest: Statement, readRange: Statement) {
  return {
    *readEvents(bot: Key, wanted: WantedEvents): Steps<EventsRead> {
      const { limit, types, contactId } = wanted;
      const looked = types === undefined && contactId === undefined ? limit : Math.max(limit, scannedEventsMax);
      // Again, if a purge between the two statements has removed what the first one found.
      for (;;) {
        const after = wanted.after ?? (yield* query<{ number: number }>(findOldest, bot))[0]?.number;
        if (after === undefined) return { kind: 'missing' };
        const to = after + looked;
        const joined = yield* query<JoinedEventRow>(readRange, bot, after, to + eventsPerRow);
        const found = toEventsRead({ ...wanted, after, to }, joined);
        if (found.kind !== 'expired' || wanted.after !== undefined) return found;
      }
    },
  };
}

/** Of the events up to the number `to`. `joined` are the rows with one of them, in their order. None: there is no such bot. */
function toEventsRead(
  { after, to, limit, types, contactId }: WantedEvents & { after: number; to: number },
  joined: readonly JoinedEventRow[],
): EventsRead {
  const [bot] = joined;
  if (bot === undefined) return { kind: 'missing' };
  const feed = { history: bot.history, end: bot.end };
  const rows = joined.filter((row): row is Feed & EventRow => row.last !== undefined);
  const [first] = rows;
  const isKept = first === undefined ? after === feed.end : first.last - first.count <= after;
  if (!isKept) return { kind: 'expired', feed };
  const events: StoredEvent[] = [];
  for (const row of rows) {
    if (row.last - row.count >= to) break;
    for (const event of unpackRow(row, after)) {
      const { number } = event;
      if (number > to) break;
      if (types !== undefined && !types.includes(event.type)) continue;
      if (contactId !== undefined && event.contactId !== contactId) continue;
      events.push(event);
      if (events.length === limit) return { kind: 'page', feed, events, next: number };
    }
  }
  return { kind: 'page', feed, events, next: Math.min(to, feed.end) };
}
