// The part of the storage port that holds the feeds: what happened to the contacts of each bot, in the order of commits. The
// promises at the head of store.ts are made here too.
import type { EventActor, EventType } from '@roster/contract';
import type { Caller } from '../caller.ts';

/*
 * A write makes its events in its own transaction, by whom and when its context says: neither is there without the other, and
 * a retry after a lost connection makes them no second time. A write that changes nothing makes none. The events of a bot are
 * numbered from 1 on, without gaps, in the order of commits. The oldest go first. They also prove that a write whose commit was
 * not answered was carried out.
 */
export interface EventStore {
  /** Those after a number, oldest first. May take long: pending ones are queued fairly by organization. */
  readEvents(botId: string, page: WantedEvents, caller: Caller): Promise<EventsRead>;
  /** The feeds of these bots. Those of bots that do not exist are left out, and of several those that cannot be asked now. */
  findFeeds(botIds: readonly string[]): Promise<Map<string, Feed>>;
}

export interface Feed {
  /** Numbers of another history mean nothing in this one. */
  history: string;
  /** The number of the last event. */
  end: number;
}

export interface WantedEvents {
  /** Left out: from the oldest one that is kept. */
  after?: number | undefined;
  limit: number;
  /** Left out: of every type. */
  types?: readonly EventType[] | undefined;
  contactId?: string | undefined;
}

export interface StoredEvent {
  /** The same whenever and however often it is read. */
  id: string;
  number: number;
  type: EventType;
  atMs: number;
  /** Null: it is about the whole bot. */
  contactId: string | null;
  /** Names of members of a contact, with `attributes.` before the key of an attribute. Undefined: its type has none. */
  fields: string[] | undefined;
  actor: EventActor;
}

/**
 * `next` is the number to go on after: that of the last event that was looked at, wanted or not. `expired`: the events after
 * the number are not all kept any more, or it is beyond the end.
 */
export type EventsRead =
  | { kind: 'page'; feed: Feed; events: StoredEvent[]; next: number }
  | { kind: 'expired'; feed: Feed }
  | { kind: 'missing' };
