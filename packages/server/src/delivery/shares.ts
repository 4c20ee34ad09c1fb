// How the processes that deliver share the webhooks. Pure: each decides for itself by what all of them see.
import type { OwnedWebhook } from '../store/webhook-store.ts';

export interface Share {
  own: OwnedWebhook[];
  /** Nobody's, or of a dead deliverer, as many as this one may take. */
  free: OwnedWebhook[];
  /** How many of its own it has too many. */
  surplus: number;
}

/** `alive` counts the deliverers, this one included. */
export function shareOf(
  listed: readonly OwnedWebhook[],
  delivererId: string,
  isAlive: (delivererId: string) => boolean,
  alive: number,
  random: () => number = Math.random,
): Share {
  const own = listed.filter(({ owner }) => owner === delivererId);
  const free = listed.filter(({ owner }) => owner === undefined || (owner !== delivererId && !isAlive(owner)));
  const fair = Math.ceil(listed.length / Math.max(1, alive));
  // Those that look at the same moment begin at different ones.
  const start = Math.floor(random() * free.length);
  const inTurn = [...free.slice(start), ...free.slice(0, start)];
  return { own, free: inTurn.slice(0, Math.max(0, fair - own.length)), surplus: Math.max(0, own.length - fair) };
}
