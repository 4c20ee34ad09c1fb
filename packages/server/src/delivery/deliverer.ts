// The part of a process that delivers webhooks. Of several processes, each takes the webhooks whose lease is over, renews the leases that it
// has, all in few writes, and delivers for those. It stops sooner than its leases end, by a clock of its own that is never put back.
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
  /** How long the webhooks of a process that has died wait for another. As the store has it, unless a test sets it. */
  leaseMs?: number;
  /** How long messages that are in flight may take when it stops. */
  drainMs?: number;
}

interface Lease {
  run: WebhookRun;
  /** The beginning of the last renewal that succeeded. */
  renewedAt: number;
  /** Whether the renewal after that failed. */
  isLate: boolean;
}

/** After this share of its time a lease is renewed. */
const renewalShare = 1 / 2;
/** After this share of its time without a renewal no message begins, since another process may soon send it. */
const sendingShare = 2 / 3;
/** Writes in flight, so that other writes have connections too. */
const sideBySideMax = 2;
/** How long the store may take to end the leases. Otherwise they end by themselves. */
const leaveMs = 2000;
/** While the store fails, one line in the log for so long. */
const logEveryMs = 60_000;

export class Deliverer implements DeliveryReadings {
  readonly id: string = randomUUID();
  readonly counts = new DeliveryCounts();
  readonly #settings: Required<DelivererSettings>;
  readonly #botsAtOnce: number;
  readonly #runDeps: Omit<RunDeps, 'isLeased' | 'onEnd'>;
  /** By bot and webhook. */
  readonly #leases = new Map<string, Map<string, Lease>>();
  readonly #running = new Map<() => Promise<void>, Promise<void>>();
  #takeCount = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: DelivererSettings) {
    const { leaseMs, botsAtOnce } = settings.store.leaseRules();
    this.#botsAtOnce = botsAtOnce;
    this.#settings = { everyMs: 1000, leaseMs, drainMs: 5000, slots: new SendSlots(), ...settings };
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
      this.#run(this.#renewDue);
      this.#run(this.#renewLate);
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
    for (const [botId, { end }] of await store.findFeeds([...this.#leases.keys()])) {
      for (const run of this.#runsOf(botId)) run.noteFeedEnd(end);
    }
    // Taken by this process, whose run could not release it or never began, since the store failed.
    const abandoned = listed.filter(({ botId, webhookId, owner }) => {
      const run = this.#leases.get(botId)?.get(webhookId)?.run;
      return owner?.startsWith(`${this.id}/`) && owner !== run?.target.owner;
    });
    await this.#forEach(abandoned, sideBySideMax, ({ botId, webhookId, owner = '' }) =>
      store.releaseWebhook(botId, webhookId, owner),
    );
    const free = new Set(listed.filter(({ owner }) => owner === undefined).map(({ botId }) => botId));
    const organizations = new Map(bots.map(({ botId, organizationId }) => [botId, organizationId]));
    await this.#forEach(this.#batchesOf([...free]), sideBySideMax, (botIds) => this.#take(botIds, organizations));
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

  async #take(botIds: readonly string[], organizations: ReadonlyMap<string, string>): Promise<void> {
    const { store, leaseMs } = this.#settings;
    // Of these webhooks alone: when one is lost and taken again, what was begun before is refused by the store.
    const owner = `${this.id}/${++this.#takeCount}`;
    const renewedAt = performance.now();
    const taken = await store.takeWebhooks(botIds, { owner, leaseMs });
    if (this.#isStopping) {
      await Promise.all(taken.map(({ botId, webhookId }) => store.releaseWebhook(botId, webhookId, owner)));
      return;
    }
    for (const { botId, webhookId } of taken) {
      // A run of an earlier lease may act on what has changed since that was lost.
      this.#leases.get(botId)?.get(webhookId)?.run.drop();
      this.#begin({ botId, organizationId: organizations.get(botId) as string, webhookId, owner }, renewedAt);
    }
  }

  #begin(target: FeedOf, renewedAt: number): void {
    const { botId, webhookId } = target;
    const ofBot = this.#leases.get(botId) ?? new Map<string, Lease>();
    this.#leases.set(botId, ofBot);
    const run = new WebhookRun(target, {
      ...this.#runDeps,
      isLeased: () => performance.now() - lease.renewedAt < this.#settings.leaseMs * sendingShare,
      onEnd: () => {
        ofBot.delete(webhookId);
        if (ofBot.size === 0) this.#leases.delete(botId);
      },
    });
    const lease: Lease = { run, renewedAt, isLate: false };
    ofBot.set(webhookId, lease);
  }

  readonly #renewDue = () => this.#renew({ areLate: false, atOnce: sideBySideMax });
  /** They wait for each other, and no other lease waits for them. */
  readonly #renewLate = () => this.#renew({ areLate: true, atOnce: 1 });

  async #renew({ areLate, atOnce }: { areLate: boolean; atOnce: number }): Promise<void> {
    const renewedBefore = performance.now() - this.#settings.leaseMs * renewalShare;
    const due = [...this.#leases].filter(([, ofBot]) =>
      ofBot.values().some(({ renewedAt, isLate }) => isLate === areLate && renewedAt <= renewedBefore),
    );
    const botIds = due.map(([botId]) => botId);
    await this.#forEach(this.#batchesOf(botIds), atOnce, (batch) => this.#renewAll(batch));
  }

  /** Those that are not renewed may be another's by now, which the next look shows, or are tried again. */
  async #renewAll(botIds: readonly string[]): Promise<void> {
    const { store, leaseMs } = this.#settings;
    const leases = botIds.flatMap((botId) => [...(this.#leases.get(botId)?.values() ?? [])]);
    const owners = new Set(leases.map(({ run }) => run.target.owner));
    const at = performance.now();
    const renewed = await store.renewLeases(botIds, [...owners], leaseMs).catch((error) => {
      this.#noteStoreError(error);
      return [];
    });
    const ids = new Set(renewed);
    for (const lease of leases) {
      lease.isLate = !ids.has(lease.run.target.webhookId);
      if (lease.isLate) continue;
      lease.renewedAt = at;
      lease.run.proceed();
    }
  }

  /** As many bots as the store takes at once. */
  #batchesOf(botIds: readonly string[]): string[][] {
    const botsAtOnce = this.#botsAtOnce;
    const starts = Array.from({ length: Math.ceil(botIds.length / botsAtOnce) }, (_, batch) => batch * botsAtOnce);
    return starts.map((start) => botIds.slice(start, start + botsAtOnce));
  }

  /** One that fails holds up no other. */
  async #forEach<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
    const left = items.values();
    const workThrough = async () => {
      for (const item of left) await work(item).catch((error) => this.#noteStoreError(error));
    };
    await Promise.all(Array.from({ length: atOnce }, workThrough));
  }

  *#all(): Generator<WebhookRun> {
    for (const botId of this.#leases.keys()) yield* this.#runsOf(botId);
  }

  *#runsOf(botId: string): Generator<WebhookRun> {
    for (const { run } of this.#leases.get(botId)?.values() ?? []) yield run;
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
