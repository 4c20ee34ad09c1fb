// The part of a process that delivers webhooks. Several processes share the webhooks of all bots: each has an equal share, and takes over
// those of one that has died. Each is known to the others by its beat.
import { randomUUID } from 'node:crypto';
import { writeContext } from '../account/audit.ts';
import { makeIdSource } from '../contacts/ids.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { OwnedWebhook } from '../store/webhook-store.ts';
import { DeliveryCounts, type DeliveryReadings } from './delivery-counts.ts';
import type { FeedOf } from './feed-cursor.ts';
import { Liveness } from './liveness.ts';
import { prepareMessages } from './message.ts';
import type { Send } from './send.ts';
import { SendSlots } from './send-slots.ts';
import { shareOf } from './shares.ts';
import { type RunDeps, WebhookRun } from './webhook-run.ts';

export interface DelivererSettings {
  store: Store;
  send: Send;
  /** Milliseconds since 1970. */
  clock: () => number;
  logger: Logger;
  retriesMs: readonly number[];
  /** Shared with whoever else sends to webhooks. */
  slots?: SendSlots;
  /** Between two looks at who delivers what. */
  everyMs?: number;
  /** How long a beat stands still until its deliverer counts as dead. */
  deadAfterMs?: number;
  /** How long messages that are in flight may take when it stops. */
  drainMs?: number;
}

/** A process that was held up for so long may have been taken for dead, or will be soon: it begins nothing until it has beaten again. */
const ownershipShare = 2 / 3;
/** Taken over in one look, so that the next beat is not late. */
const takeOversMax = 200;
/** How long the store may take to note that it leaves. Otherwise the others find out. */
const leaveMs = 2000;
/** While the store fails, one line in the log for so long. */
const logEveryMs = 60_000;

export class Deliverer implements DeliveryReadings {
  readonly id: string = randomUUID();
  readonly counts = new DeliveryCounts();
  readonly #settings: Required<DelivererSettings>;
  readonly #runDeps: RunDeps;
  readonly #liveness: Liveness;
  /** By bot and webhook. */
  readonly #runs = new Map<string, Map<string, WebhookRun>>();
  readonly #running = new Map<() => Promise<void>, Promise<void>>();
  /** The beginning of the last beat that succeeded. */
  #beatAt = Number.NEGATIVE_INFINITY;
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** Whether the others know of it. It does not beat while no bot has webhooks. */
  #isEntered = false;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: DelivererSettings) {
    this.#settings = { everyMs: 1000, deadAfterMs: 15_000, drainMs: 5000, slots: new SendSlots(), ...settings };
    this.#liveness = new Liveness(this.#settings.deadAfterMs);
    const nextId = makeIdSource();
    this.#runDeps = {
      ...settings,
      monotonic: () => performance.now(),
      buildMessage: prepareMessages(settings),
      slots: this.#settings.slots,
      counts: this.counts,
      isOwnershipFresh: () => performance.now() - this.#beatAt < this.#settings.deadAfterMs * ownershipShare,
      disablingContext({ organizationId, botId }, origin) {
        const action = { organizationId, actor, address: undefined, audit: 'webhook.disable' } as const;
        return writeContext({ clock: settings.clock, nextId }, action, { id: botId, name: origin });
      },
      onStoreError: (error) => this.#noteStoreError(error),
      onEnd: ({ target: { botId, webhookId } }) => {
        const ofBot = this.#runs.get(botId);
        ofBot?.delete(webhookId);
        if (ofBot?.size === 0) this.#runs.delete(botId);
      },
    };
  }

  /** Of webhooks that it delivers for, or is about to give back. */
  get runCount(): number {
    return [...this.#all()].length;
  }

  start(): void {
    const tick = () => {
      if (this.#isEntered) this.#run(this.#beat);
      this.#run(this.#look);
    };
    this.#timer = setInterval(tick, this.#settings.everyMs).unref();
    tick();
  }

  /** There may be new events of this bot. */
  wake(botId: string): void {
    for (const run of this.#runs.get(botId)?.values() ?? []) run.wake();
  }

  oldestUndeliveredSeconds(): number {
    const nowMs = this.#settings.clock();
    let oldestMs = nowMs;
    for (const run of this.#all()) oldestMs = Math.min(oldestMs, run.oldestPendingMs ?? nowMs);
    return (nowMs - oldestMs) / 1000;
  }

  /** Messages that are in flight get some seconds. Never rejects. */
  async stop(): Promise<void> {
    const { store, drainMs } = this.#settings;
    this.#isStopping = true;
    clearInterval(this.#timer);
    const drained = [...this.#running.values(), ...Array.from(this.#all(), (run) => run.stop())];
    await within(drainMs, Promise.all(drained));
    const late = [...this.#all()];
    for (const run of late) run.drop();
    const givenBack = late.map(({ target: { botId, webhookId } }) =>
      store.changeOwner(botId, webhookId, this.id, undefined),
    );
    const left = Promise.all([...givenBack, this.#leave()]).catch((error) => this.#noteStoreError(error));
    await within(leaveMs, left);
  }

  /** Each at most once at a time: a store that is slow to answer is not asked again meanwhile. */
  #run(step: () => Promise<void>): Promise<void> {
    const running = this.#running.get(step);
    if (running !== undefined) return running;
    const done = step()
      .catch((error) => this.#noteStoreError(error))
      .finally(() => this.#running.delete(step));
    this.#running.set(step, done);
    return done;
  }

  readonly #beat = async (): Promise<void> => {
    const at = performance.now();
    this.#liveness.note(await this.#settings.store.beat(this.id), performance.now());
    this.#isEntered = true;
    // Not before the beat: what waits may have become stale, and stopped, while the store was slow to answer.
    const wasFresh = this.#runDeps.isOwnershipFresh();
    this.#beatAt = at;
    if (!wasFresh) for (const run of this.#all()) run.proceed();
  };

  async #leave(): Promise<void> {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    await this.#settings.store.removeDeliverer(this.id);
  }

  /** At who delivers what, and at what is new. */
  readonly #look = async (): Promise<void> => {
    const { store } = this.#settings;
    const bots = await store.listBotsWithWebhooks();
    if (bots.length === 0) {
      for (const run of this.#all()) run.reload();
      return this.#leave();
    }
    if (!this.#isEntered) await this.#run(this.#beat);
    if (!this.#isEntered || this.#isStopping) return;
    const listed = await store.listOwners(bots.map(({ botId }) => botId));
    // Whoever owns a webhook has beaten before: one that is not known may have begun after our last look at the beats.
    if (listed.some(({ owner }) => owner !== undefined && !this.#liveness.knows(owner))) await this.#beat();
    if (this.#isStopping) return;
    const organizations = new Map(bots.map(({ botId, organizationId }) => [botId, organizationId]));
    const toTarget = ({ botId, webhookId }: OwnedWebhook): FeedOf => {
      return { botId, webhookId, organizationId: organizations.get(botId) ?? '', owner: this.id };
    };
    const isAlive = (id: string) => this.#liveness.isAlive(id);
    const { own, free, surplus } = shareOf(listed, this.id, isAlive, this.#liveness.alive().length);
    this.#noteOwn(own, toTarget);
    for (const run of [...this.#all()].slice(0, surplus)) run.stop();
    await Promise.all(free.slice(0, takeOversMax).map((webhook) => this.#takeOver(webhook, toTarget(webhook))));
    await Promise.all(this.#liveness.dead().map((id) => store.removeDeliverer(id)));
    for (const [botId, { end }] of await store.findFeeds([...this.#runs.keys()])) {
      for (const run of this.#runs.get(botId)?.values() ?? []) run.noteFeedEnd(end);
    }
  };

  #noteOwn(own: readonly OwnedWebhook[], toTarget: (webhook: OwnedWebhook) => FeedOf): void {
    const unlisted = new Set(this.#all());
    for (const webhook of own) {
      const run = this.#runs.get(webhook.botId)?.get(webhook.webhookId) ?? this.#begin(toTarget(webhook));
      run.noteVersion(webhook.version);
      unlisted.delete(run);
    }
    // Off, deleted, or taken by another; or their bots cannot be asked now. They find out by themselves.
    for (const run of unlisted) run.reload();
  }

  async #takeOver({ botId, webhookId, owner }: OwnedWebhook, target: FeedOf): Promise<void> {
    const { store, logger } = this.#settings;
    if (!(await store.changeOwner(botId, webhookId, owner, this.id))) return;
    if (this.#isStopping) await store.changeOwner(botId, webhookId, this.id, undefined);
    else this.#begin(target);
    if (owner !== undefined) logger.info({ webhookId, botId }, 'took over a webhook of a process that has died');
  }

  #begin(target: FeedOf): WebhookRun {
    const { botId, webhookId } = target;
    const ofBot = this.#runs.get(botId) ?? new Map<string, WebhookRun>();
    this.#runs.set(botId, ofBot);
    const run = new WebhookRun(target, this.#runDeps);
    ofBot.set(webhookId, run);
    return run;
  }

  *#all(): Generator<WebhookRun> {
    for (const ofBot of this.#runs.values()) yield* ofBot.values();
  }

  #noteStoreError(error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedAt < logEveryMs) return;
    this.#loggedAt = now;
    this.#settings.logger.warn({ err: error }, 'delivering webhooks failed and will be retried');
  }
}

/** Whoever switches a webhook off: no member, no secret and no operator. */
const actor = { kind: 'anonymous' } as const;

/** Resolves when the promise does, or when the time is over. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, isOver]);
  clearTimeout(timer);
}
