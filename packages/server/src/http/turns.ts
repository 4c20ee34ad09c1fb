// Long work on the main thread, in steps: other requests are served between two slices of it, and organizations that have such work
// take turns.
import { FairQueue, type QueueItem } from '../store/fair-queue.ts';

/** Work goes on without a pause for so long. */
const sliceMs = 2;

interface Turn extends QueueItem {
  resolve(): void;
}

export class Turns {
  readonly #queue = new FairQueue<Turn>({ what: 'large requests', cost: Number.POSITIVE_INFINITY });

  /** Does the steps of the work in slices. */
  async inSlices<Result>(organizationId: string, steps: Iterator<void, Result>): Promise<Result> {
    for (;;) {
      await this.take(organizationId);
      const endMs = performance.now() + sliceMs;
      do {
        const step = steps.next();
        if (step.done) return step.value;
      } while (performance.now() < endMs);
    }
  }

  /** One in each round of the event loop. What follows it runs to its next pause. */
  take(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ key: organizationId, cost: 1, resolve, reject });
      if (this.#queue.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    for (const turn of this.#queue.take({ items: 1 })) {
      this.#queue.done(turn);
      turn.resolve();
    }
    if (this.#queue.length > 0) setImmediate(this.#next);
  };
}
