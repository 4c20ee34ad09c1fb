// Limits each organization's share of what costs most: large bodies and, counted apart, searches, exports and events with contacts.
// Its calls wait in a queue of its own, and it never gets the last of the slots that all organizations share.
import type { FastifyRequest } from 'fastify';
import type { Timeouts } from '../deps.ts';
import { FairQueue, type QueueItem } from '../store/fair-queue.ts';
import { organizationOf } from './access.ts';
import { clientLeft } from './client-left.ts';

/** Of all organizations together: enough to keep every thread and connection that reads busy. */
const slots = 8;
const ownSlots = slots - 1;

/** A body that is larger is read and parsed as a heavy call, which takes one slot more for each of these. */
export const heavyBodyBytes = 64 * 1024;
const bytesPerSlot = 2 * 1024 * 1024;

interface Pending extends QueueItem {
  resolve(): void;
}

export class HeavyCalls {
  readonly #queue: FairQueue<Pending>;
  /** Slots of each organization, held until its clients have read their answers: slow clients hold up only their own organization. */
  readonly #own = new Map<string, number>();

  /** A call that is queued for longer is rejected. */
  constructor({ heavyQueueMs: timeoutMs }: Pick<Timeouts, 'heavyQueueMs'>) {
    this.#queue = new FairQueue({ what: 'large requests', cost: 4000, costPerKey: 1000, timeoutMs });
  }

  /** Does the work when there is a slot for it. A result of undefined says that the answer is still to come. */
  async run<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    const { end, leave } = await this.#enter(request, 1);
    try {
      const result = await work();
      if (result === undefined) leave();
      return result;
    } finally {
      end();
    }
  }

  /** Resolves when the organization may send the rest of a body. Receiving it takes no slot of others. */
  async admitBody(request: FastifyRequest, bytes: number): Promise<void> {
    const { end } = await this.#enter(request, Math.min(1 + Math.floor(bytes / bytesPerSlot), ownSlots));
    end();
  }

  /** `end` gives back the shared slot, `leave` the organization's own, which is otherwise given back when the answer closes. */
  #enter(request: FastifyRequest, cost: number): Promise<{ end(): void; leave(): void }> {
    const { access, answer } = request;
    const key = organizationOf(access);
    const signal = clientLeft(request);
    return new Promise((resolve, reject) => {
      const call: Pending = {
        ...{ key, cost, signal, reject },
        resolve: () => {
          let left = cost;
          const leave = () => {
            answer.off('close', leave);
            this.#count(key, -left);
            left = 0;
          };
          const end = () => {
            this.#queue.done(call);
            this.#start();
          };
          this.#count(key, cost);
          if (answer.closed) leave();
          else answer.once('close', leave);
          resolve({ end, leave });
        },
      };
      this.#queue.add(call);
      this.#start();
    });
  }

  #start(): void {
    const isFull = new Set<string>();
    // A call does not overtake an earlier one of the same organization.
    const where = ({ key, cost }: Pending): boolean => {
      const hasRoom = this.#queue.inFlightCost + cost <= slots && (this.#own.get(key) ?? 0) + cost <= ownSlots;
      if (!hasRoom) isFull.add(key);
      return hasRoom && !isFull.has(key);
    };
    for (let [next] = this.#queue.take({ items: 1, where }); next !== undefined; ) {
      next.resolve();
      [next] = this.#queue.take({ items: 1, where });
    }
  }

  #count(key: string, cost: number): void {
    const own = (this.#own.get(key) ?? 0) + cost;
    if (own > 0) this.#own.set(key, own);
    else this.#own.delete(key);
    if (cost < 0) this.#start();
  }
}
