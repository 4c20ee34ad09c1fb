// When each secret was last used. Gathered in memory and written in batches: a request adds no more than an entry to a
// map. A crash loses the last half minute of it, and nothing else depends on it.
import type { Logger } from 'pino';
import { DeferredWrites } from '../store/deferred-writes.ts';
import type { Store } from '../store/store.ts';

/** With the time that a write may take it is within the minute that the contract tells. */
const defaultWriteEveryMs = 30_000;

export interface LastUsedSettings {
  store: Pick<Store, 'noteSecretsUsed'>;
  logger: Pick<Logger, 'warn'>;
  writeEveryMs?: number;
}

export class LastUsed {
  readonly #store: LastUsedSettings['store'];
  readonly #writes: DeferredWrites;
  /** Secrets that were found to be in force, so there are no more of them than were made. */
  #waiting = new Map<string, number>();

  constructor({ store, logger, writeEveryMs = defaultWriteEveryMs }: LastUsedSettings) {
    this.#store = store;
    const warning = 'could not note when secrets were last used';
    this.#writes = new DeferredWrites({ everyMs: writeEveryMs, write: () => this.#write(), logger, warning });
  }

  note(secretId: string, usedAtMs: number): void {
    this.#waiting.set(secretId, usedAtMs);
    this.#writes.expect();
  }

  /** Writes what waits. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #write(): Promise<void> {
    const used = Array.from(this.#waiting, ([secretId, usedAtMs]) => ({ secretId, usedAtMs }));
    this.#waiting = new Map();
    if (used.length > 0) await this.#store.noteSecretsUsed(used);
  }
}
