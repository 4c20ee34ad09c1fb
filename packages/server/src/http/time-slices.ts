// Long work on the main thread, in time slices: other requests are served between two of them, and a fair queue gives each
// organization that has such work the same share.
import { FairQueue, type QueueItem } from '../store/fair-queue.ts';

/** Work goes on without a pause for so long. */
const sliceMs = 2;

interface Pending extends QueueItem {
  resolve(): void;
}

export class TimeSlices {
  readonly #queue = new FairQueue<Pending>({ what: 'large requests', cost: Number.POSITIVE_INFINITY });

  /** Does the steps of the work in slices. */
  async inSlices<Result>(organizationId: string, steps: Iterator<void, Result>): Promise<Result> {
    for (;;) {
      await this.next(organizationId);
      const endMs = performance.now() + sliceMs;
      do {
        const step = steps.next();
        if (step.done) return step.value;
      } while (performance.now() < endMs);
    }
  }

  /** Resolves when a slice of the organization begins: one begins in each round of the event loop, and ends with the next await. */
  next(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ key: organizationId, cost: 1, resolve, reject });
      if (this.#queue.length === 1) setImmediate(this.#begin);
    });
  }

  readonly #begin = (): void => {
    for (const pending of this.#queue.take({ items: 1 })) {
      this.#queue.done(pending);
      pending.resolve();
    }
    if (this.#queue.length > 0) setImmediate(this.#begin);
  };
}
