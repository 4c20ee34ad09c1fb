// For tests of delivering: a real store of the chosen engine with a bot, its webhooks, and deliverers as processes have them.
import type { TestContext } from 'node:test';
import type { DeliveryStatus, EventType } from '@roster/contract';
import { pino } from 'pino';
import { Deliverer, type DelivererSettings } from '../src/delivery/deliverer.ts';
import { prepareSend, type Send } from '../src/delivery/send.ts';
import { AllowedNetworks } from '../src/network/public-addresses.ts';
import type { Store } from '../src/store/store.ts';
import type { StoredDelivery, StoredWebhook } from '../src/store/webhooks/webhook-store.ts';
import { openChosenStore } from './chosen-engine.ts';
import { until } from './process/waiting.ts';
import { sampleBot, sampleContext, sampleFields, sampleOrganization, sampleWebhook } from './sample.ts';

export const webhookSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** Between two looks of a deliverer. All its other times are as in production, unless a test sets them. */
const everyMs = 20;

/** For the worlds of a file, one after the other: opening a store takes longer than most of its tests. */
export async function openWorldStore(t: Pick<TestContext, 'after'>): Promise<Store> {
  const { store, close } = await openChosenStore();
  t.after(close);
  return store;
}

/** When it ends, nothing is left in the store that a deliverer of a later world would deliver. */
export async function openDeliveryWorld(t: Pick<TestContext, 'after'>, store: Store) {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const bot = sampleBot(organization.id);
  await store.createBot(bot, undefined, sampleContext());
  const logged: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const botIds = [bot.id];
  t.after(async () => {
    for (const stop of stops) await stop();
    for (const botId of botIds) await store.deleteBot(botId, sampleContext({ nowMs: Date.now() }));
  });

  /** Like a process that starts. `wrapStore` makes its store slow or fail. */
  const startDeliverer = (
    settings: Partial<DelivererSettings> & { wrapStore?: (store: Store) => Store; timeoutMs?: number } = {},
  ) => {
    const { wrapStore = (same) => same, timeoutMs, ...rest } = settings;
    const clock = settings.clock ?? (() => Date.now());
    const sender = prepareSend({
      clock,
      allowed: new AllowedNetworks(['127.0.0.0/8']),
      timeoutMs,
    });
    // As if receivers were on the internet, whose answers are kept.
    const send: Send = async (...args) => ({ ...(await sender.send(...args)), isPrivate: false });
    const deliverer = new Deliverer({
      store: wrapStore(store),
      send,
      clock,
      logger: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
      retriesMs: [1, 1, 1, 1, 1],
      everyMs,
      drainMs: 200,
      ...rest,
    });
    deliverer.start();
    stops.push(async () => {
      await deliverer.stop();
      sender.close();
    });
    return deliverer;
  };

  /** Of an organization of its own, unless one is given. */
  const addBot = async (organizationId?: string): Promise<string> => {
    const owner = sampleOrganization();
    if (organizationId === undefined) await store.createOrganization(owner, sampleContext());
    const added = sampleBot(organizationId ?? owner.id);
    await store.createBot(added, undefined, sampleContext());
    botIds.push(added.id);
    return added.id;
  };

  const createWebhook = async (
    url: string,
    types: EventType[] | null = null,
    botId = bot.id,
  ): Promise<StoredWebhook> => {
    const created = await store.createWebhook(
      botId,
      sampleWebhook({ url, types, secret: webhookSecret }),
      20,
      sampleContext(),
    );
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.webhook;
  };

  /** An event `contact.created`, and the id of its contact. */
  const createContact = async (botId = bot.id): Promise<string> => {
    const atMs = Date.now();
    const created = await store.createContact(botId, sampleFields(), sampleContext({ nowMs: atMs }));
    if (created.kind !== 'created') throw new Error(created.kind);
    return created.contact.id;
  };

  /** An event `contact.updated`. */
  const updateContact = async (contactId: string, name: string): Promise<void> => {
    const atMs = Date.now();
    await store.updateContact(bot.id, contactId, { name }, sampleContext({ nowMs: atMs }));
  };

  const listDeliveries = (webhook: StoredWebhook, status?: DeliveryStatus, botId = bot.id): Promise<StoredDelivery[]> =>
    store.listDeliveries(botId, webhook.id, { status, limit: 10_000 });

  const findWebhook = async ({ id }: StoredWebhook) =>
    (await store.listWebhooks(bot.id)).find((webhook) => webhook.id === id);

  /** The id of the deliverer. */
  const ownerOf = async ({ id }: StoredWebhook) =>
    (await store.listLeases([bot.id])).find(({ webhookId }) => webhookId === id)?.owner?.split('/')[0];

  /** Until so many are saved with this status. */
  const untilDelivered = (
    webhook: StoredWebhook,
    count: number,
    status: DeliveryStatus = 'succeeded',
    botId = bot.id,
  ) =>
    until(
      `${count} deliveries to be ${status}`,
      async () => (await listDeliveries(webhook, status, botId)).length === count,
    );

  return {
    store,
    organization,
    bot,
    logged,
    startDeliverer,
    addBot,
    createWebhook,
    createContact,
    updateContact,
    listDeliveries,
    findWebhook,
    ownerOf,
    untilDelivered,
  };
}
