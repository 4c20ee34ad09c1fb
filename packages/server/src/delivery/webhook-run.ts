// Delivers for one webhook that this process owns: plans deliveries from the feed, sends them, and saves how they went. What is in
// memory is only a cache: whatever is not saved when the process dies is sent again, by whoever takes over.
import { limits } from '@roster/contract/limits';
import type { StoredEvent } from '../store/events/event-store.ts';
import type { Store } from '../store/store.ts';
import { attemptsOf } from '../store/webhooks/delivery-rows.ts';
import type { StoredDelivery, StoredWebhook } from '../store/webhooks/webhook-store.ts';
import { AttemptResults, type AttemptResultsDeps } from './attempt-results.ts';
import { FeedCursor, type FeedCursorDeps, type FeedOf } from './feed-cursor.ts';
import { PendingDeliveries, type PendingDelivery } from './pending-deliveries.ts';
import { remainingWaitMs } from './schedule.ts';
import type { Message, Send } from './send.ts';
import type { SendSlots } from './send-slots.ts';
import { StoreUse } from './store-use.ts';

export interface RunDeps extends FeedCursorDeps, AttemptResultsDeps {
  store: Pick<
    Store,
    'readEvents' | 'findOwned' | 'findDeferred' | 'planDeliveries' | 'saveAttempts' | 'releaseWebhook'
  >;
  logger: AttemptResultsDeps['logger'];
  send: Send;
  buildMessage(botId: string, event: StoredEvent): Promise<Message>;
  slots: SendSlots;
  /** False when the lease was not renewed for long: another process may have it soon, or has it. */
  isLeased(): boolean;
  onStoreError(error: unknown): void;
  onEnd(): void;
}

/** Deliveries that are not deferred, in memory and in the store. Further events stay in the feed until some of these are done. */
const freshMax = limits.pendingDeliveries;
/** Deferred deliveries in memory, those that are due soonest. The store has any number of them. */
const deferredMax = 100;
/** The feed is read when there is room for so many, so that a long backlog is not read one event at a time. */
const planMin = 100;
/** Messages in flight, each about another contact. While the receiver fails there is only one. */
const sideBySideMax = 10;
/** Results that are not saved yet. If the process dies, these messages are sent a second time. */
const unsavedMax = 50;

export class WebhookRun {
  readonly target: FeedOf;
  readonly #deps: RunDeps;
  readonly #cursor: FeedCursor;
  readonly #results: AttemptResults;
  readonly #pending = new PendingDeliveries();
  readonly #ending = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  /** The webhook as the store had it when it was loaded. */
  #webhook: StoredWebhook | undefined;
  /** Whether the store has pending deliveries that are neither deferred nor in memory. */
  #hasMoreFresh = false;
  #needsLoad = true;
  #isStopping = false;
  #isStepPlanned = false;
  readonly #use: StoreUse;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: FeedOf, deps: RunDeps) {
    this.target = target;
    this.#deps = deps;
    this.#cursor = new FeedCursor(target, deps);
    this.#results = new AttemptResults(target, deps);
    this.#use = new StoreUse({
      monotonic: deps.monotonic,
      onStoreError: deps.onStoreError,
      onFailure: (kind) => {
        if (kind === 'load') this.#needsLoad = true;
        this.#pending.isStale = true;
      },
      onEnd: this.proceed,
    });
    this.proceed();
  }

  /** When the oldest event that is pending happened. Undefined: none is. */
  get oldestPendingMs(): number | undefined {
    return this.#pending.oldestMs;
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

  /** Reads the webhook again, after the results of what is in flight are saved. */
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

  /** Ends at once and aborts what is in flight: the webhook is another's, or the time to stop is over. */
  drop(): void {
    if (this.#ending.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#ended.resolve();
    this.#deps.onEnd();
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
    if (now < this.#use.retryAt) {
      this.#proceedAt(this.#use.retryAt, now);
      return;
    }
    const webhook = this.#webhook;
    if (webhook !== undefined && this.#hasWrites) this.#use.begin('write', () => this.#write(webhook));
    if (this.#isEnding) {
      if (this.#use.current !== undefined || this.#pending.inFlight > 0) return;
      if (this.#isStopping) this.#use.begin('release', () => this.#release());
      else this.#use.begin('load', () => this.#load());
      return;
    }
    if (webhook === undefined || this.#use.current === 'load' || this.#results.isDisabling) return;
    if (this.#hasMoreFresh && this.#room >= planMin) this.reload();
    const { pausedUntil } = this.#results;
    if (now >= pausedUntil) this.#sendDue(webhook, now);
    this.#proceedAt(Math.max(this.#pending.nextDueAt(), pausedUntil), now);
  }

  get #isEnding(): boolean {
    return this.#isStopping || this.#needsLoad;
  }

  get #room(): number {
    return freshMax - this.#pending.freshCount;
  }

  get #hasWrites(): boolean {
    return this.#results.hasUnsaved || (!this.#isEnding && (this.#pending.needsDeferred || this.#canPlan));
  }

  get #canPlan(): boolean {
    const { isDisabling, failing } = this.#results;
    const isRoom = this.#cursor.hasMore && !this.#hasMoreFresh && this.#room >= planMin;
    return isRoom && !isDisabling && failing.mayPlan(this.#deps.monotonic());
  }

  #proceedAt(at: number, now: number): void {
    // A delivery that is due already waits for a slot or a save, which call `proceed` themselves.
    if (at > now && at < Number.POSITIVE_INFINITY) this.#timer = setTimeout(this.proceed, at - now).unref();
  }

  async #load(): Promise<void> {
    const { botId, webhookId, owner } = this.target;
    this.#needsLoad = false;
    const found = await this.#deps.store.findOwned(botId, webhookId, owner, freshMax);
    if (found === undefined) {
      // Off, deleted or another's.
      this.#isStopping = true;
      return;
    }
    const { webhook, pending } = found;
    this.#pending.replace(this.#toPending(pending, false));
    this.#hasMoreFresh = pending.length === freshMax;
    this.#results.load(webhook, await this.#readDeferred());
    this.#cursor.load(webhook);
    this.#webhook = webhook;
  }

  async #readDeferred(): Promise<StoredDelivery[]> {
    const { botId, webhookId } = this.target;
    const { next, oldestMs } = await this.#deps.store.findDeferred(botId, webhookId, deferredMax);
    // A delivery whose result is not saved yet was just sent. All are read again once it is saved.
    const waiting = next.filter(({ event }) => !this.#results.unsaved.has(event.number));
    this.#pending.replaceDeferred(this.#toPending(waiting, true), next.length === deferredMax, oldestMs);
    return next;
  }

  #toPending(deliveries: readonly StoredDelivery[], isDeferred: boolean): PendingDelivery[] {
    const { monotonic, clock } = this.#deps;
    const [now, nowMs] = [monotonic(), clock()];
    const dueAt = (delivery: StoredDelivery) => now + remainingWaitMs(delivery, nowMs);
    return deliveries.map((each) => {
      const { event, attempts } = each;
      return { event, attempts, earlier: attemptsOf(each), dueAt: dueAt(each), isDeferred };
    });
  }

  async #write(webhook: StoredWebhook): Promise<void> {
    const { needsDeferred } = this.#pending;
    // A result that arrives during this save sets it again.
    this.#pending.isStale = false;
    if (this.#results.hasUnsaved) {
      const outcome = await this.#results.save(webhook);
      if (outcome === 'lost') return this.drop();
      if (outcome === 'changed') this.#needsLoad = true;
    }
    if (!this.#isEnding && needsDeferred) await this.#readDeferred();
    if (!this.#isEnding && this.#canPlan) await this.#plan(webhook);
  }

  async #plan(webhook: StoredWebhook): Promise<void> {
    this.#results.failing.notePlanned(this.#deps.monotonic());
    const planned = await this.#cursor.planNext(webhook, this.#room);
    if (planned === undefined) this.#needsLoad = true;
    const { events = [], deferred = [] } = planned ?? {};
    // A replayed event may be in memory as it was before the replay.
    if (deferred.length > 0) this.#pending.isStale = true;
    // The save of a failure also defers these later events of the same contact.
    const failed = [...this.#results.unsaved.values()].filter(({ attempt }) => attempt.status === 'pending');
    const held = new Set([...deferred, ...failed.map(({ event }) => event.contactId)]);
    for (const event of events) {
      if (held.has(event.number) || held.has(event.contactId)) continue;
      this.#pending.add({ event, attempts: 0, earlier: [], dueAt: this.#deps.monotonic(), isDeferred: false });
    }
  }

  #sendDue(webhook: StoredWebhook, now: number): void {
    const { slots, isLeased } = this.#deps;
    const max = this.#results.failing.isFailing ? 1 : sideBySideMax;
    while (this.#pending.inFlight < max && this.#results.unsaved.size < unsavedMax && isLeased()) {
      const delivery = this.#pending.takeDue(now, this.#results.failing.isFailing);
      if (delivery === undefined) return;
      if (!slots.take(this.target.organizationId, this.proceed)) {
        this.#pending.putBack(delivery);
        return;
      }
      this.#send(webhook, delivery);
    }
  }

  async #send(webhook: StoredWebhook, delivery: PendingDelivery): Promise<void> {
    const { send, buildMessage, slots, isLeased } = this.#deps;
    const { botId, organizationId } = this.target;
    const { signal } = this.#ending;
    try {
      const message = await buildMessage(botId, delivery.event);
      // Reading the contact may have taken long.
      if (!isLeased()) return this.#pending.putBack(delivery);
      const result = await send(webhook, message, signal);
      this.#results.note(webhook, this.#pending, delivery, result);
    } catch (error) {
      // Sending rejects only when this run has ended, so otherwise the contact could not be read from the store.
      this.#pending.putBack(delivery);
      if (!signal.aborted) this.#use.noteError(error);
    } finally {
      slots.giveBack(organizationId);
      this.proceed();
    }
  }

  async #release(): Promise<void> {
    const { botId, webhookId, owner } = this.target;
    if (this.#webhook !== undefined) await this.#cursor.savePosition(this.#webhook);
    await this.#deps.store.releaseWebhook(botId, webhookId, owner);
    this.drop();
  }
}
