// Limits the messages that an organization may have in flight in this process: receivers that hang take no slots from others.
import { KeyedLimit } from '../concurrency/keyed-limit.ts';

export class SendSlots {
  readonly #limit: KeyedLimit;
  /** The callbacks of senders that found no slot, by organization. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(perOrganization = 200) {
    this.#limit = new KeyedLimit(perOrganization);
  }

  /** False when there is none. Then `onFree` is called once, when there may be one. */
  take(organizationId: string, onFree?: () => void): boolean {
    if (this.#limit.take(organizationId)) return true;
    if (onFree === undefined) return false;
    const waiting = this.#waiting.get(organizationId) ?? new Set();
    this.#waiting.set(organizationId, waiting.add(onFree));
    return false;
  }

  giveBack(organizationId: string): void {
    this.#limit.giveBack(organizationId);
    const waiting = this.#waiting.get(organizationId);
    this.#waiting.delete(organizationId);
    // All are called, since the first may have nothing left to send.
    for (const onFree of waiting ?? []) onFree();
  }
}
