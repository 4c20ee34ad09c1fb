// The hosts of one database, of which one is the primary, and after a failover another. Opens no connection itself.
import type { ClientConfig } from 'pg';

export class Hosts {
  readonly #hosts: readonly ClientConfig[];
  #current = 0;

  constructor(hosts: readonly ClientConfig[]) {
    this.#hosts = hosts;
  }

  get current(): ClientConfig {
    return this.#hosts[this.#current] as ClientConfig;
  }

  /** Several connections fail at once: only the first of them turns to the next host. */
  leave(host: ClientConfig): void {
    if (host === this.current) this.#current = (this.#current + 1) % this.#hosts.length;
  }
}
