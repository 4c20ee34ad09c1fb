// When each secret was last used. Gathered in memory and written in batches: a request adds no more than an entry to a
// map. A crash loses the last half minute of it, and nothing else depends on it.
import type { Logger } from 'pino';
import type { Store } from './store/store.ts';

/** With the time that a write may take it is within the minute that the contract tells. */
const defaultWriteEveryMs = 30_000;

export interface LastUsedSettings {
  store: Pick<Store, 'noteSecretsUsed'>;
  logger: Pick<Logger, 'warn'>;
  writeEveryMs?: number;
}

export class LastUsed {
  readonly #settings: Required<LastUsedSettings>;
  /** Secrets that were found to be in force, so there are no more of them than were made. */
  #waiting = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: LastUsedSettings) {
    this.#settings = { writeEveryMs: defaultWriteEveryMs, ...settings };
  }

  note(secretId: string, usedAtMs: number): void {
    this.#waiting.set(secretId, usedAtMs);
    this.#timer ??= setTimeout(() => this.flush(), this.#settings.writeEveryMs).unref();
  }

  /** Writes what waits. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const used = Array.from(this.#waiting, ([secretId, usedAtMs]) => ({ secretId, usedAtMs }));
    this.#waiting = new Map();
    if (used.length === 0) return;
    try {
      await this.#settings.store.noteSecretsUsed(used);
    } catch (error) {
      // Not tried again: the next use of each secret brings a later time anyway.
      this.#settings.logger.warn({ err: error }, 'could not note when secrets were last used');
    }
  }
}
