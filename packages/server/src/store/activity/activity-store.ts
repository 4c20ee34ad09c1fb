// The part of the storage port that tells how a bot is used: how its contacts grew, who was seen lately, and what happened
// for the first time. The promises at the head of store.ts are made here too.
import type { Caller } from '../caller.ts';
import type { WriteContext } from '../write-context.ts';

export interface ActivityStore {
  /** Only the first time of each is kept. A bot that does not exist is passed over. */
  noteFirstUse(botId: string, use: FirstUse, context: WriteContext): Promise<void>;
  /** Undefined when there is no such bot. */
  findActivity(botId: string, wanted: WantedActivity, caller: Caller): Promise<BotActivity | undefined>;
}

/** A page of another origin has loaded the widget; a visitor was recognised by a contact token. */
export type FirstUse = 'widgetLoaded' | 'visitorRecognized';

export interface WantedActivity {
  /** Days since 1970, in UTC. */
  fromDay: number;
  seenSinceMs: number;
  /** How many tokens are looked at, those that were seen last. */
  tokensMax: number;
  /** How many visitors are listed, at least one. */
  visitorsMax: number;
}

export interface BotActivity {
  /** Exact. */
  contactCount: number;
  /** Undefined: not yet. */
  widgetLoadedAtMs: number | undefined;
  visitorRecognizedAtMs: number | undefined;
  /** Exact, whether or not the contacts were deleted since. Ascending; days on which none was created are left out. */
  createdByDay: CreatedOnDay[];
  /** Contacts among the tokens that were looked at. */
  visitorCount: number;
  /** There were more tokens than were looked at. */
  hasMoreVisitors: boolean;
  /** The latest first. */
  visitors: SeenVisitor[];
}

export interface CreatedOnDay {
  day: number;
  count: number;
}

export interface SeenVisitor {
  id: string;
  name: string;
  lastSeenAtMs: number;
}
