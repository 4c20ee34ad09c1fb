// Readers that wait at the end of a feed. A waiting reader costs no query: writes of this process wake those of their bot, and
// one query a second, for all bots that are waited for, finds what other servers wrote.

import { KeyedLimit } from '../concurrency/keyed-limit.ts';
import { unavailable } from '../http/api-error.ts';
import type { Feed } from '../store/events/event-store.ts';
import type { Bot, EventContext, Store } from '../store/store.ts';

const pollEveryMs = 1000;

export interface WaitingReadersSettings {
  store: Pick<Store, 'findFeeds'>;
  /** How many may wait, of all bots. One organization may have half of them. */
  max: number;
  /** Aborted when the server begins to stop: from then on nobody waits. */
  stopping: AbortSignal;
}

export class WaitingReaders {
  readonly #settings: WaitingReadersSettings;
  readonly #byBot = new Map<string, Set<WaitingReader>>();
  readonly #byOrganization: KeyedLimit;
  count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: WaitingReadersSettings) {
    this.#settings = settings;
    this.#byOrganization = new KeyedLimit(Math.ceil(settings.max / 2));
    settings.stopping.addEventListener('abort', () => {
      for (const botId of this.#byBot.keys()) this.wake(botId);
    });
  }

  /** To be called before the feed is read, so that no event falls between the read and the wait. The reader must leave. */
  join({ id, organizationId }: Bot): WaitingReader {
    const { max, stopping } = this.#settings;
    if (this.count >= max || !this.#byOrganization.take(organizationId)) {
      throw unavailable('too many requests are waiting for events');
    }
    const readers = this.#byBot.get(id) ?? new Set();
    this.#byBot.set(id, readers);
    this.count++;
    const reader = new WaitingReader(stopping, () => {
      if (!readers.delete(reader)) return;
      this.count--;
      this.#byOrganization.giveBack(organizationId);
      if (readers.size === 0 && this.#byBot.get(id) === readers) this.#byBot.delete(id);
    });
    readers.add(reader);
    this.#planPoll();
    return reader;
  }

  /** There may be something new for the readers of the bot. */
  wake(botId: string): void {
    for (const reader of this.#byBot.get(botId) ?? []) reader.wake();
  }

  #planPoll(): void {
    this.#timer ??= setTimeout(() => this.#poll(), pollEveryMs).unref();
  }

  async #poll(): Promise<void> {
    const { store } = this.#settings;
    // While the database does not answer, readers wait on: their own reads will say so.
    const feeds = await store.findFeeds([...this.#byBot.keys()]).catch(() => new Map<string, Feed>());
    for (const [botId, { end }] of feeds) {
      for (const reader of this.#byBot.get(botId) ?? []) if (reader.end !== end) reader.wake();
    }
    this.#timer = undefined;
    if (this.#byBot.size > 0) this.#planPoll();
  }
}

export class WaitingReader implements Disposable {
  /** The number of the last event when it read the feed. Undefined: it has not yet. */
  end: number | undefined;
  readonly #stopping: AbortSignal;
  readonly #leave: () => void;
  #isWoken = false;
  #onWake: (() => void) | undefined;

  constructor(stopping: AbortSignal, leave: () => void) {
    this.#stopping = stopping;
    this.#leave = leave;
  }

  wake(): void {
    this.#isWoken = true;
    this.#onWake?.();
  }

  /** Until the feed may have gone on since it was last read, up to `end`. False: time is up, the client left or the server stops. */
  async wait(end: number, ms: number, left: AbortSignal): Promise<boolean> {
    this.end = end;
    if (!this.#isWoken && !this.#isOver(left) && ms > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#onWake = resolve;
      const end = () => resolve();
      left.addEventListener('abort', end);
      await promise;
      left.removeEventListener('abort', end);
      clearTimeout(timer);
      this.#onWake = undefined;
    }
    const isWoken = this.#isWoken && !this.#isOver(left);
    this.#isWoken = false;
    return isWoken;
  }

  #isOver(left: AbortSignal): boolean {
    return left.aborted || this.#stopping.aborted;
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}

type Method = (botId: string, ...values: unknown[]) => Promise<unknown>;

/** The writes that make events. */
type WriteName = {
  [Name in keyof Store]-?: Parameters<NonNullable<Store[Name]>> extends [...unknown[], EventContext] ? Name : never;
}[keyof Store];

/** Each of them: without one of these, or with another, it does not compile. */
const writes: Record<WriteName, true> = {
  createContact: true,
  updateContact: true,
  upsertContacts: true,
  deleteContact: true,
  deleteContacts: true,
  createContactToken: true,
  revokeContactToken: true,
  revokeContactTokens: true,
  noteTokensSeen: true,
  deleteAttribute: true,
  renameTag: true,
  deleteTag: true,
};

/** The same store, which says after each such write that there may be events of the bot. */
export function notifyingOfEvents(store: Store, notify: (botId: string) => void): Store {
  const notifying = (Object.keys(writes) as WriteName[]).map((name) => {
    const write = store[name] as Method;
    const writeAndNotify: Method = (botId, ...values) => {
      const outcome = write(botId, ...values);
      outcome.then(
        () => notify(botId),
        () => {},
      );
      return outcome;
    };
    return [name, writeAndNotify];
  });
  return { ...store, ...(Object.fromEntries(notifying) as Pick<Store, WriteName>) };
}
