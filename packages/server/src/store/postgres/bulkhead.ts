// Keeps connections of a pool free of a node that fails or hangs: a node may hold its share of them, and nodes whose last
// call failed share one such share. What is beyond waits, and is refused in time.
import type { MaybePromise } from '../maybe-promise.ts';
import { StoreUnavailableError } from '../store.ts';
import { ConflictError, LostConnectionError } from './driver-errors.ts';

/** Instead of a bot: for what is written on every node, such as reference tables, and fails with any of them. */
export const everyNode = '*';

/** The node of a bot, or undefined when there is only one or the bot is unknown. Mostly there at once. */
export type NodeOf = (botId: string) => MaybePromise<string | undefined>;

interface Node {
  inUse: number;
  isFailing: boolean;
}

interface Waiting {
  node: Node;
  resolve(): void;
  timer: NodeJS.Timeout;
}

/** So many of the connections, or slots, may be used for one node. */
export function shareOfNode(connections: number): number {
  return Math.max(1, Math.floor(connections / 2));
}

export class Bulkhead {
  readonly #share: number;
  readonly #timeoutMs: number;
  readonly #nodes = new Map<string, Node>();
  readonly #waiting = new Set<Waiting>();

  constructor(connections: number, timeoutMs: number) {
    this.#share = shareOfNode(connections);
    this.#timeoutMs = timeoutMs;
  }

  /** Does the work when the node has room for it. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const node = this.#nodes.get(name) ?? { inUse: 0, isFailing: false };
    this.#nodes.set(name, node);
    await this.#enter(node);
    try {
      const result = await work();
      node.isFailing = false;
      return result;
    } catch (error) {
      node.isFailing = isOfNode(error);
      throw error;
    } finally {
      node.inUse--;
      this.#admit();
    }
  }

  #enter(node: Node): Promise<void> | undefined {
    if (this.#hasRoom(node)) {
      node.inUse++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new StoreUnavailableError('too many requests are waiting for a database node'));
      }, this.#timeoutMs);
      const waiting = { node, resolve, timer };
      this.#waiting.add(waiting);
    });
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.node)) continue;
      this.#waiting.delete(waiting);
      clearTimeout(waiting.timer);
      waiting.node.inUse++;
      waiting.resolve();
    }
  }

  #hasRoom({ inUse, isFailing }: Node): boolean {
    if (inUse >= this.#share) return false;
    if (!isFailing) return true;
    let failing = 0;
    for (const node of this.#nodes.values()) if (node.isFailing) failing += node.inUse;
    return failing < this.#share;
  }
}

/** A lost node, or one that did not answer in time. A lost connection is one to the database as a whole. */
function isOfNode(error: unknown): boolean {
  if (error instanceof LostConnectionError || error instanceof ConflictError) return false;
  return error instanceof StoreUnavailableError;
}
