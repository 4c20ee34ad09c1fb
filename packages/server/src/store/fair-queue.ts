// Who goes next: what may take long, searches and export pages, waits here for a thread or a connection. Organizations
// take turns, however much each asks for and over however many bots, so that one that floods waits for itself alone.
import { type Caller, StoreUnavailableError } from './store.ts';

export interface QueueLimits {
  perOrganization: number;
  /** Of all: far fewer than the requests that a server takes at once, so that everything else still gets in. */
  inAll: number;
  /** Whoever waited so long has mostly left. */
  waitMs: number;
}

const defaultLimits: QueueLimits = { perOrganization: 1000, inAll: 4000, waitMs: 4000 };
const tidyEveryMs = 250;

export interface Waiting<Request, Answer> {
  request: Request;
  caller: Caller;
  untilMs: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class FairQueue<Request, Answer> {
  readonly #limits: QueueLimits;
  /** What each organization waits for, in the order of asking. The organization whose turn is next stands first. */
  #lines = new Map<string, Waiting<Request, Answer>[]>();
  #length = 0;
  #refused = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  get length(): number {
    return this.#length;
  }

  /** So many had to be told to come back later. */
  get refused(): number {
    return this.#refused;
  }

  /** Resolves or rejects when whoever takes the request says so; rejects at once when there is no room for it. */
  wait(request: Request, caller: Caller): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.join({ request, caller, untilMs: performance.now() + this.#limits.waitMs, resolve, reject });
    });
  }

  /** The same for one that was taken from another queue. It has waited there for some of its time. */
  join(waiting: Waiting<Request, Answer>): void {
    const { organizationId } = waiting.caller;
    if (this.#isClosed) {
      waiting.reject(closedError());
      return;
    }
    if (!this.#makeRoom(organizationId)) {
      this.#refuse(waiting, 'too many searches are waiting');
      return;
    }
    const line = this.#lines.get(organizationId);
    if (line === undefined) this.#lines.set(organizationId, [waiting]);
    else line.push(waiting);
    this.#length++;
    this.#watch();
  }

  /** Up to `count` of them, from each organization in turn. */
  take(count: number): Waiting<Request, Answer>[] {
    const taken: Waiting<Request, Answer>[] = [];
    for (const [organizationId, line] of this.#lines) {
      if (taken.length === count) break;
      const next = line.shift() as Waiting<Request, Answer>;
      this.#length--;
      // To the end, where this walk comes by again.
      this.#lines.delete(organizationId);
      if (line.length > 0) this.#lines.set(organizationId, line);
      if (next.caller.signal?.aborted) next.reject(leftError());
      else taken.push(next);
    }
    return taken;
  }

  /** For those that were taken and not begun: they are the next to be taken, in the same order. */
  putBack(taken: readonly Waiting<Request, Answer>[]): void {
    for (const waiting of taken.toReversed()) {
      if (this.#isClosed) {
        waiting.reject(closedError());
        continue;
      }
      const { organizationId } = waiting.caller;
      const line = this.#lines.get(organizationId) ?? [];
      this.#lines.delete(organizationId);
      this.#lines = new Map([[organizationId, [waiting, ...line]], ...this.#lines]);
      this.#length++;
    }
    this.#watch();
  }

  /** Rejects all that wait, and all that come. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.take(this.#length)) reject(closedError());
  }

  /** When all is full, the one that has most must give way to one that has less. */
  #makeRoom(organizationId: string): boolean {
    const own = this.#lines.get(organizationId)?.length ?? 0;
    if (own >= this.#limits.perOrganization) return false;
    if (this.#length < this.#limits.inAll) return true;
    const lines = [...this.#lines.values()];
    const longest = lines.reduce((longest, line) => (line.length > longest.length ? line : longest));
    if (longest.length <= own + 1) return false;
    this.#length--;
    this.#refuse(longest.pop() as Waiting<Request, Answer>, 'too many searches are waiting');
    return true;
  }

  #refuse(waiting: Waiting<Request, Answer>, reason: string): void {
    this.#refused++;
    waiting.reject(new StoreUnavailableError(reason));
  }

  #watch(): void {
    if (this.#length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tidy();
      this.#watch();
    }, tidyEveryMs).unref();
  }

  /** Lets go of those that have left, and of those whose time is over. */
  #tidy(): void {
    const nowMs = performance.now();
    for (const [organizationId, line] of this.#lines) {
      const kept = line.filter((waiting) => {
        if (waiting.caller.signal?.aborted) waiting.reject(leftError());
        else if (waiting.untilMs <= nowMs) this.#refuse(waiting, 'searches take too long');
        else return true;
        return false;
      });
      this.#length -= line.length - kept.length;
      if (kept.length > 0) this.#lines.set(organizationId, kept);
      else this.#lines.delete(organizationId);
    }
  }
}

function closedError(): StoreUnavailableError {
  return new StoreUnavailableError('the store is closed');
}

/** Nobody hears it. */
function leftError(): StoreUnavailableError {
  return new StoreUnavailableError('the caller has left');
}
