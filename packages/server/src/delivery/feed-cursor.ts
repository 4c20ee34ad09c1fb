// Where a webhook stands in the feed of its bot: reads the events after its position, and makes pending deliveries of those that it
// wants.
import type { Logger } from '../log.ts';
import type { EventsRead, StoredEvent } from '../store/events/event-store.ts';
import type { Store } from '../store/store.ts';
import type { StoredWebhook } from '../store/webhooks/webhook-store.ts';
import { contextAt } from '../store/write-context.ts';

export interface FeedCursorDeps {
  store: Pick<Store, 'readEvents' | 'planDeliveries'>;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** A clock that is never put back, in milliseconds. */
  monotonic: () => number;
  logger: Pick<Logger, 'warn'>;
}

type Planned = Exclude<Awaited<ReturnType<Store['planDeliveries']>>, false>;

export interface FeedOf {
  botId: string;
  organizationId: string;
  webhookId: string;
  /** As the store knows whoever has the lease. */
  owner: string;
}

/** A position that moved past unwanted events alone is saved after so many events or so long. */
const unsavedEventsMax = 1000;
const unsavedMs = 3_600_000;

export class FeedCursor {
  readonly #deps: FeedCursorDeps;
  readonly #of: FeedOf;
  #position = 0;
  #savedPosition = 0;
  #savedAt = 0;
  /** Whether there may be events after the position. */
  hasMore = true;

  constructor(of: FeedOf, deps: FeedCursorDeps) {
    this.#of = of;
    this.#deps = deps;
  }

  load({ position }: StoredWebhook): void {
    this.#noteSaved(position);
    this.hasMore = true;
  }

  isBehind(end: number): boolean {
    return end > this.#position;
  }

  /**
   * The next events that the webhook wants, for which there are deliveries from now on, and which of them are deferred. Undefined:
   * none could be made, since the webhook is another's, was changed, or is gone with its bot.
   */
  async planNext(webhook: StoredWebhook, max: number): Promise<(Planned & { events: StoredEvent[] }) | undefined> {
    this.hasMore = false;
    try {
      const page = await this.#read(webhook, max);
      if (page === undefined) return undefined;
      const { events, next, feed } = page;
      this.#position = next;
      if (next < feed.end) this.hasMore = true;
      const isWrite = events.length > 0 || next - this.#savedPosition >= unsavedEventsMax || this.#isSavedLongAgo();
      const planned = isWrite ? await this.#save(webhook, events) : { deferred: [] };
      return planned && { ...planned, events };
    } catch (error) {
      this.#position = this.#savedPosition;
      this.hasMore = true;
      throw error;
    }
  }

  /** So that the next owner does not read unwanted events again. */
  async savePosition(webhook: StoredWebhook): Promise<void> {
    if (this.#position !== this.#savedPosition) await this.#save(webhook, []);
  }

  async #read({ types }: StoredWebhook, limit: number): Promise<(EventsRead & { kind: 'page' }) | undefined> {
    const { botId, organizationId, webhookId } = this.#of;
    const { store, logger } = this.#deps;
    const wanted = { limit, types: types ?? undefined };
    const page = await store.readEvents(botId, { ...wanted, after: this.#position }, { organizationId });
    if (page.kind === 'page') return page;
    if (page.kind === 'missing') return undefined;
    logger.warn(
      { webhookId, botId },
      'events expired before a webhook got them; it goes on with the oldest that are kept',
    );
    const oldest = await store.readEvents(botId, wanted, { organizationId });
    return oldest.kind === 'page' ? oldest : undefined;
  }

  async #save({ version }: StoredWebhook, events: StoredEvent[]): Promise<Planned | undefined> {
    const { botId, webhookId, owner } = this.#of;
    const { store, clock } = this.#deps;
    const position = this.#position;
    const plan = { owner, version, position, events };
    const planned = await store.planDeliveries(botId, webhookId, plan, contextAt(clock()));
    if (planned === false) return undefined;
    this.#noteSaved(position);
    return planned;
  }

  #noteSaved(position: number): void {
    this.#position = position;
    this.#savedPosition = position;
    this.#savedAt = this.#deps.monotonic();
  }

  #isSavedLongAgo(): boolean {
    return this.#position !== this.#savedPosition && this.#deps.monotonic() - this.#savedAt >= unsavedMs;
  }
}
