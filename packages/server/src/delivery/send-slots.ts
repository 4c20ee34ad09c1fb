// How many messages an organization may have in flight, of each process: receivers that hang cost it its own slots, not those of others.
import { KeyedLimit } from '../concurrency/keyed-limit.ts';

export class SendSlots {
  readonly #limit: KeyedLimit;
  /** Those that found no slot. */
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
    // All of them: whoever is called first may have nothing to send any more.
    for (const onFree of waiting ?? []) onFree();
  }
}
