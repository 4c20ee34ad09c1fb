// Delivers for one webhook that this process owns: plans deliveries from the feed, sends them, and saves how they went. What is in
// memory is only a cache: whatever is not saved when the process dies is sent again, by whoever takes over.
import type { StoredEvent } from '../store/event-store.ts';
import type { Store } from '../store/store.ts';
import type { StoredWebhook } from '../store/webhook-store.ts';
import { AttemptResults, type AttemptResultsDeps } from './attempt-results.ts';
import { FeedCursor, type FeedCursorDeps, type FeedOf } from './feed-cursor.ts';
import { PendingDeliveries, type PendingDelivery } from './pending-deliveries.ts';
import { remainingWaitMs } from './schedule.ts';
import type { Message, Send } from './send.ts';
import type { SendSlots } from './send-slots.ts';

export interface RunDeps extends FeedCursorDeps, AttemptResultsDeps {
  store: Pick<Store, 'readEvents' | 'findOwned' | 'planDeliveries' | 'saveAttempts' | 'changeOwner'>;
  logger: AttemptResultsDeps['logger'];
  send: Send;
  buildMessage(botId: string, event: StoredEvent): Promise<Message>;
  slots: SendSlots;
  /** Whether this process is known to be the owner still: if it was held up for long, another may have taken over. */
  isOwnershipFresh(): boolean;
  onStoreError(error: unknown): void;
  onEnd(run: WebhookRun): void;
}

/** In memory, and pending in the store: more events stay in the feed until some of these are done. */
const pendingMax = 1000;
/** The feed is read when there is room for so many, so that a long backlog is not planned one by one. */
const planMin = 100;
/** Messages to different contacts. While nothing but failures comes back, one alone. */
const sideBySideMax = 10;
/** Results that are not saved yet. A process that dies has sent those, and they are sent again. */
const unsavedMax = 50;
/** After a failure of the store, doubled with each further one. */
const storePauseMs = { first: 1000, max: 30_000 };

export class WebhookRun {
  readonly target: FeedOf;
  readonly #deps: RunDeps;
  readonly #cursor: FeedCursor;
  readonly #results: AttemptResults;
  readonly #pending = new PendingDeliveries();
  readonly #ending = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  /** As it was when it was loaded. */
  #webhook: StoredWebhook | undefined;
  /** Whether the store has pending deliveries that are not in memory. */
  #hasMorePending = false;
  #needsLoad = true;
  #isStopping = false;
  #isStepPlanned = false;
  /** Uses of the store, at most one of each kind. */
  readonly #using = new Set<StoreUse>();
  #storeFailures = 0;
  #storeRetryAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: FeedOf, deps: RunDeps) {
    this.target = target;
    this.#deps = deps;
    this.#cursor = new FeedCursor(target, deps);
    this.#results = new AttemptResults(target, deps);
    this.proceed();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** When the oldest event that is pending happened. Undefined: none is. */
  get oldestPendingMs(): number | undefined {
    let oldest: number | undefined;
    for (const { event } of this.#pending) if (oldest === undefined || event.atMs < oldest) oldest = event.atMs;
    return oldest;
  }

  /** There may be events that were not read yet. */
  wake(): void {
    this.#cursor.hasMore = true;
    this.proceed();
  }

  noteFeedEnd(end: number): void {
    if (this.#cursor.isBehind(end)) this.wake();
  }

  /** Whoever changed the webhook has raised its version. */
  noteVersion(version: number): void {
    if (this.#webhook !== undefined && version > this.#webhook.version) this.reload();
  }

  /** Once what is in flight is saved. */
  reload(): void {
    this.#needsLoad = true;
    this.proceed();
  }

  /** Begins no further message, saves how those in flight went, and gives the webhook back. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.proceed();
    return this.#ended.promise;
  }

  /** The webhook is another's, or the time to stop is over: what is in flight is given up. */
  drop(): void {
    if (this.#ending.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#ended.resolve();
    this.#deps.onEnd(this);
  }

  /** Begins whatever can begin by now. Calls of one turn of the event loop are one. */
  readonly proceed = (): void => {
    if (this.#isStepPlanned) return;
    this.#isStepPlanned = true;
    setImmediate(() => {
      this.#isStepPlanned = false;
      if (!this.#ending.signal.aborted) this.#step();
    });
  };

  #step(): void {
    const now = this.#deps.monotonic();
    clearTimeout(this.#timer);
    if (now < this.#storeRetryAt) {
      this.#proceedAt(this.#storeRetryAt, now);
      return;
    }
    const webhook = this.#webhook;
    if (webhook !== undefined && this.#results.unsavedCount > 0) this.#use('save', () => this.#save(webhook));
    if (this.#isStopping || this.#needsLoad) {
      if (this.#using.size > 0 || this.#pending.inFlight > 0) return;
      if (this.#isStopping) this.#use('release', () => this.#release());
      else this.#use('load', () => this.#load());
      return;
    }
    if (webhook === undefined || this.#results.isDisabling) return;
    const room = pendingMax - this.#pending.size;
    if (room >= planMin) {
      if (this.#hasMorePending) this.reload();
      else if (this.#cursor.hasMore) this.#use('plan', () => this.#plan(webhook, room));
    }
    const { pausedUntil } = this.#results;
    if (now >= pausedUntil) this.#sendDue(webhook, now);
    this.#proceedAt(Math.max(this.#pending.nextDueAt(), pausedUntil), now);
  }

  #proceedAt(at: number, now: number): void {
    // What is due and was not sent waits for something else than time.
    if (at > now && at < Number.POSITIVE_INFINITY) this.#timer = setTimeout(this.proceed, at - now).unref();
  }

  /** Uses the store, unless it is being used so already. A failure pauses all of it, and loses nothing. */
  #use(kind: StoreUse, use: () => Promise<void>): void {
    if (this.#using.has(kind)) return;
    this.#using.add(kind);
    use()
      .then(() => {
        this.#storeFailures = 0;
      })
      .catch((error) => this.#noteStoreError(error))
      .finally(() => {
        this.#using.delete(kind);
        this.proceed();
      });
  }

  #noteStoreError(error: unknown): void {
    this.#deps.onStoreError(error);
    const now = this.#deps.monotonic();
    // Several uses that fail together are one failure.
    if (now < this.#storeRetryAt) return;
    this.#storeRetryAt = now + Math.min(storePauseMs.first * 2 ** this.#storeFailures, storePauseMs.max);
    this.#storeFailures++;
  }

  async #load(): Promise<void> {
    const { botId, webhookId, owner } = this.target;
    this.#needsLoad = false;
    const found = await this.#deps.store.findOwned(botId, webhookId, owner, pendingMax).catch((error) => {
      this.#needsLoad = true;
      throw error;
    });
    if (found === undefined) {
      // Off, deleted or another's.
      this.#isStopping = true;
      return;
    }
    const { webhook, pending } = found;
    const { monotonic, clock } = this.#deps;
    const [now, nowMs] = [monotonic(), clock()];
    this.#results.load(webhook, pending);
    this.#pending.replace(
      pending.map((delivery) => {
        const { event, attempts } = delivery;
        return { event, attempts, dueAt: now + remainingWaitMs(delivery, nowMs) };
      }),
    );
    this.#hasMorePending = pending.length === pendingMax;
    this.#cursor.load(webhook);
    this.#webhook = webhook;
  }

  async #plan(webhook: StoredWebhook, room: number): Promise<void> {
    const events = await this.#cursor.planNext(webhook, room);
    if (events === undefined) this.#needsLoad = true;
    const now = this.#deps.monotonic();
    for (const event of events ?? []) this.#pending.add({ event, attempts: 0, dueAt: now });
  }

  #sendDue(webhook: StoredWebhook, now: number): void {
    const { slots, isOwnershipFresh } = this.#deps;
    const max = this.#results.isFailing ? 1 : sideBySideMax;
    while (this.#pending.inFlight < max && this.#results.unsavedCount < unsavedMax && isOwnershipFresh()) {
      const delivery = this.#pending.takeDue(now);
      if (delivery === undefined) return;
      if (!slots.take(this.target.organizationId, this.proceed)) {
        this.#pending.putBack(delivery);
        return;
      }
      this.#send(webhook, delivery);
    }
  }

  async #send(webhook: StoredWebhook, delivery: PendingDelivery): Promise<void> {
    const { send, buildMessage, slots } = this.#deps;
    const { botId, organizationId } = this.target;
    const { signal } = this.#ending;
    try {
      const message = await buildMessage(botId, delivery.event);
      const result = await send(webhook, message, signal);
      this.#results.note(webhook, this.#pending, delivery, result);
    } catch (error) {
      // Sending fails for nothing but an end; the message could not be read from the store.
      this.#pending.putBack(delivery);
      if (!signal.aborted) this.#noteStoreError(error);
    } finally {
      slots.giveBack(organizationId);
      this.proceed();
    }
  }

  async #save(webhook: StoredWebhook): Promise<void> {
    const outcome = await this.#results.save(webhook);
    if (outcome === 'lost') this.drop();
    if (outcome === 'changed') this.#needsLoad = true;
  }

  async #release(): Promise<void> {
    const { botId, webhookId, owner } = this.target;
    if (this.#webhook !== undefined) await this.#cursor.savePosition(this.#webhook);
    await this.#deps.store.changeOwner(botId, webhookId, owner, undefined);
    this.drop();
  }
}

type StoreUse = 'load' | 'plan' | 'save' | 'release';
