// Deferred writes: what is collected in memory is written some time after the first of it, one write after the other, or
// on demand. For data that a crash may lose. What is collected, and how it is written, is up to the caller.
import type { Logger } from 'pino';

export interface DeferredWritesSettings {
  everyMs: number;
  /** Takes what is pending, and writes it. */
  write(): Promise<void>;
  logger: Pick<Logger, 'warn'>;
  /** Logged when a write fails. It is not tried again: what comes next is newer anyway. */
  warning: string;
}

export class DeferredWrites {
  readonly #settings: DeferredWritesSettings;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: DeferredWritesSettings) {
    this.#settings = settings;
  }

  /** To be called when there is something to write. */
  expect(): void {
    this.#timer ??= setTimeout(() => this.flush(), this.#settings.everyMs).unref();
  }

  /** Writes what is pending. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One after the other: a store that is slow to write never has more than one of these writes in flight.
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { write, logger, warning } = this.#settings;
    try {
      await write();
    } catch (error) {
      logger.warn({ err: error }, warning);
    }
  }
}
