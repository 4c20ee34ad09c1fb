// The part of a process that delivers webhooks. Of several processes, each takes the webhooks whose lease is over, renews the leases that it
// has, and delivers for those. It stops sooner than its leases end, by a clock of its own that is never put back.
import { randomUUID } from 'node:crypto';
import { writeContext } from '../account/audit.ts';
import { makeIdSource } from '../contacts/ids.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { LeasedWebhook } from '../store/webhooks/webhook-store.ts';
import { DeliveryCounts, type DeliveryReadings } from './delivery-counts.ts';
import type { FeedOf } from './feed-cursor.ts';
import { prepareMessages } from './message.ts';
import type { Send } from './send.ts';
import { SendSlots } from './send-slots.ts';
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
  /** How long the webhooks of a process that has died wait for another. */
  leaseMs?: number;
  /** How long messages that are in flight may take when it stops. */
  drainMs?: number;
}

/** Webhooks of one bot that were taken together. */
interface Lease {
  botId: string;
  /** Of this lease alone: when a webhook is lost and taken again, what was begun before is refused by the store. */
  owner: string;
  /** The beginning of the last renewal that succeeded. */
  renewedAt: number;
  /** By webhook. */
  runs: Map<string, WebhookRun>;
}

/** After this share of its time a lease is renewed. */
const renewalShare = 1 / 2;
/** After this share of its time without a renewal no message begins, since another process may soon send it. */
const sendingShare = 2 / 3;
/** Side by side, so that other writes come between them. */
const leasesAtOnceMax = 100;
/** How long the store may take to end the leases. Otherwise they end by themselves. */
const leaveMs = 2000;
/** While the store fails, one line in the log for so long. */
const logEveryMs = 60_000;

export class Deliverer implements DeliveryReadings {
  readonly id: string = randomUUID();
  readonly counts = new DeliveryCounts();
  readonly #settings: Required<DelivererSettings>;
  readonly #runDeps: Omit<RunDeps, 'isLeased' | 'onEnd'>;
  /** By bot. */
  readonly #leases = new Map<string, Set<Lease>>();
  readonly #running = new Map<() => Promise<void>, Promise<void>>();
  #leaseCount = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: DelivererSettings) {
    this.#settings = { everyMs: 1000, leaseMs: 15_000, drainMs: 5000, slots: new SendSlots(), ...settings };
    const nextId = makeIdSource();
    this.#runDeps = {
      ...settings,
      monotonic: () => performance.now(),
      buildMessage: prepareMessages(settings),
      slots: this.#settings.slots,
      counts: this.counts,
      disablingContext({ organizationId, botId }, origin) {
        const action = { organizationId, actor, address: undefined, audit: 'webhook.disable' } as const;
        return writeContext({ clock: settings.clock, nextId }, action, { id: botId, name: origin });
      },
      onStoreError: (error) => this.#noteStoreError(error),
    };
  }

  /** Of webhooks that it delivers for, or is about to give back. */
  get runCount(): number {
    return [...this.#all()].length;
  }

  start(): void {
    const tick = () => {
      this.#run(this.#renewAll);
      this.#run(this.#look);
    };
    this.#timer = setInterval(tick, this.#settings.everyMs).unref();
    tick();
  }

  /** There may be new events of this bot. */
  wake(botId: string): void {
    for (const run of this.#runsOf(botId)) run.wake();
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
    const released = late.map(({ target: { botId, webhookId, owner } }) =>
      store.releaseWebhook(botId, webhookId, owner),
    );
    await within(
      leaveMs,
      Promise.all(released).catch((error) => this.#noteStoreError(error)),
    );
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

  /** What is new: changed webhooks, those whose lease is over, and events that other processes wrote. */
  readonly #look = async (): Promise<void> => {
    const { store } = this.#settings;
    const bots = await store.listBotsWithWebhooks();
    if (bots.length === 0) return this.#noteListed([]);
    const listed = await store.listLeases(bots.map(({ botId }) => botId));
    if (this.#isStopping) return;
    this.#noteListed(listed);
    const free = new Set(listed.filter(({ owner }) => owner === undefined).map(({ botId }) => botId));
    await this.#forEach(
      bots.filter(({ botId }) => free.has(botId)),
      (bot) => this.#take(bot),
    );
    for (const [botId, { end }] of await store.findFeeds([...this.#leases.keys()])) {
      for (const run of this.#runsOf(botId)) run.noteFeedEnd(end);
    }
  };

  #noteListed(listed: readonly LeasedWebhook[]): void {
    const byWebhook = new Map(listed.map((webhook) => [webhook.webhookId, webhook]));
    for (const run of this.#all()) {
      const found = byWebhook.get(run.target.webhookId);
      if (found?.owner === run.target.owner) run.noteVersion(found.version);
      // Off, deleted, or taken by another; or its bot cannot be asked now. It finds out by itself.
      else run.reload();
    }
  }

  async #take({ botId, organizationId }: { botId: string; organizationId: string }): Promise<void> {
    const { store, leaseMs } = this.#settings;
    const owner = `${this.id}/${++this.#leaseCount}`;
    const lease: Lease = { botId, owner, renewedAt: performance.now(), runs: new Map() };
    const taken = await store.leaseWebhooks(botId, { owner, leaseMs, takesFree: true });
    if (this.#isStopping) {
      await Promise.all(Array.from(taken, (webhookId) => store.releaseWebhook(botId, webhookId, owner)));
      return;
    }
    for (const webhookId of taken) {
      // A run of an earlier lease may act on what has changed since that was lost.
      for (const run of this.#runsOf(botId)) if (run.target.webhookId === webhookId) run.drop();
      this.#begin(lease, { botId, organizationId, webhookId, owner });
    }
  }

  #begin(lease: Lease, target: FeedOf): void {
    const ofBot = this.#leases.get(lease.botId) ?? new Set<Lease>();
    this.#leases.set(lease.botId, ofBot.add(lease));
    const run = new WebhookRun(target, {
      ...this.#runDeps,
      isLeased: () => performance.now() - lease.renewedAt < this.#settings.leaseMs * sendingShare,
      onEnd: () => {
        lease.runs.delete(target.webhookId);
        if (lease.runs.size === 0) ofBot.delete(lease);
        if (ofBot.size === 0) this.#leases.delete(lease.botId);
      },
    });
    lease.runs.set(target.webhookId, run);
  }

  readonly #renewAll = async (): Promise<void> => {
    const renewedBefore = performance.now() - this.#settings.leaseMs * renewalShare;
    const leases = [...this.#leases.values()].flatMap((ofBot) => [...ofBot]);
    await this.#forEach(
      leases.filter(({ renewedAt }) => renewedAt <= renewedBefore),
      (lease) => this.#renew(lease),
    );
  };

  async #renew(lease: Lease): Promise<void> {
    const { store, leaseMs } = this.#settings;
    const { botId, owner, runs } = lease;
    const at = performance.now();
    const renewed = await store.leaseWebhooks(botId, { owner, leaseMs, takesFree: false });
    lease.renewedAt = at;
    for (const [webhookId, run] of runs) {
      if (renewed.has(webhookId)) run.proceed();
      else run.reload();
    }
  }

  /** One that fails holds up no other. */
  async #forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    for (let start = 0; start < items.length; start += leasesAtOnceMax) {
      const some = items.slice(start, start + leasesAtOnceMax);
      await Promise.all(some.map((item) => work(item).catch((error) => this.#noteStoreError(error))));
    }
  }

  *#all(): Generator<WebhookRun> {
    for (const botId of this.#leases.keys()) yield* this.#runsOf(botId);
  }

  *#runsOf(botId: string): Generator<WebhookRun> {
    for (const { runs } of this.#leases.get(botId) ?? []) yield* runs.values();
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
