// Leases of webhooks as tests take them: for longer than a test lasts.

import type { Store } from '../src/store/store.ts';

/**
 * All of the bot that are free. Names those that are this owner's from now on. The lease is not the longest that there is: to a
 * transaction that began before it was given, that one would end later than any can.
 */
export async function takeWebhooks(store: Store, botId: string, owner: string): Promise<string[]> {
  return leaseWebhooks(store, botId, owner, store.leaseRules().leaseMaxMs * 0.75);
}

export async function leaseWebhooks(store: Store, botId: string, owner: string, leaseMs: number): Promise<string[]> {
  return (await store.takeWebhooks([botId], { owner, leaseMs })).map(({ webhookId }) => webhookId);
}

/** As if the owner's lease had ended and another had taken the webhook, with all others of the bot that are free. */
export async function handOver(
  store: Store,
  botId: string,
  webhookId: string,
  from: string,
  to: string,
): Promise<void> {
  await store.releaseWebhook(botId, webhookId, from);
  const taken = await takeWebhooks(store, botId, to);
  if (!taken.includes(webhookId)) throw new Error('the webhook was not taken');
}
