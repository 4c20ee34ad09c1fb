// When each secret was last used. Gathered in memory and written in batches: a request adds no more than an entry to a
// map. A crash loses the last half minute of it, and nothing else depends on it.
import type { Logger } from 'pino';
import { DeferredWrites } from '../store/deferred-writes.ts';
import type { Store } from '../store/store.ts';

/** With the time that a write takes, it stays within the minute that the contract promises. */
const defaultWriteEveryMs = 30_000;

export interface LastUsedSettings {
  store: Pick<Store, 'noteSecretsUsed'>;
  logger: Pick<Logger, 'warn'>;
  writeEveryMs?: number;
}

export class LastUsed {
  readonly #store: LastUsedSettings['store'];
  readonly #writes: DeferredWrites;
  /** By secret. Only secrets in force are noted, so there are no more entries than secrets. */
  #pending = new Map<string, number>();

  constructor({ store, logger, writeEveryMs = defaultWriteEveryMs }: LastUsedSettings) {
    this.#store = store;
    const warning = 'could not note when secrets were last used';
    this.#writes = new DeferredWrites({ everyMs: writeEveryMs, write: () => this.#write(), logger, warning });
  }

  note(secretId: string, usedAtMs: number): void {
    this.#pending.set(secretId, usedAtMs);
    this.#writes.expect();
  }

  /** Writes what is pending. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #write(): Promise<void> {
    const used = Array.from(this.#pending, ([secretId, usedAtMs]) => ({ secretId, usedAtMs }));
    this.#pending = new Map();
    if (used.length > 0) await this.#store.noteSecretsUsed(used);
  }
}
