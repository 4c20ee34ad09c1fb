// The main thread's side of the reader threads: queues reads by organization, and gives them to threads that are free.
import type { Worker } from 'node:worker_threads';
import { FairQueue, searchLimitsOf } from '../fair-queue.ts';
import type { Caller } from '../store.ts';
import type { Read, ReaderRequest, Reads } from './reader.ts';
import { endThread, type OnFatal, settle, type ThreadCall, type ThreadResult } from './threads.ts';

/** Reads given to a thread at once, at the most. */
const readsPerMessage = 6;

type QueuedRead = ThreadCall<Read>;

interface Reader {
  worker: Worker;
  takesLong: boolean;
  inFlight: QueuedRead[];
  /** Where those in flight were taken from. */
  queue: FairQueue<QueuedRead>;
}

interface ReaderEvents {
  /** Before the reads of a thread are answered: what they saw may be newer than what the main thread has read in this turn. */
  onAnswer(): void;
  /** Gets and returns the error of each failed read. */
  noteError(error: Error): Error;
  onFatal: OnFatal;
}

interface ReadOptions {
  /** It is queued apart, for the threads that take long reads. */
  isLong?: boolean;
  /** When it was first queued, if it is queued again: its time goes on from there. */
  queuedAtMs?: number;
}

/** The first of several threads never runs long reads, so that quick ones are answered while all others do. */
export function takesLong(index: number, threads: number): boolean {
  return index > 0 || threads === 1;
}

/**
 * A thread is given one read at a time, or when many are pending a few, since a message between threads costs as much
 * as a quick search.
 */
export class ReaderThreads {
  readonly #readers: Reader[];
  readonly #events: ReaderEvents;
  readonly #quick: FairQueue<QueuedRead>;
  readonly #long: FairQueue<QueuedRead>;
  #isLongHeld = false;
  #isClosed = false;

  constructor(workers: readonly Worker[], events: ReaderEvents, queueTimeoutMs: number | undefined) {
    const { onFatal } = events;
    this.#events = events;
    const limits = searchLimitsOf(queueTimeoutMs);
    this.#quick = new FairQueue(limits);
    this.#long = new FairQueue(limits);
    this.#readers = workers.map((worker, index) => {
      const reader: Reader = { worker, takesLong: takesLong(index, workers.length), inFlight: [], queue: this.#quick };
      worker.on('message', (results: ThreadResult[]) => this.#receive(reader, results));
      worker.on('error', (error) => onFatal(error as Error));
      worker.on('exit', () => {
        if (!this.#isClosed) onFatal(new Error('a reader thread ended'));
      });
      return reader;
    });
  }

  readonly gauges = {
    store_pending_searches: () => this.#quick.length + this.#long.length,
    store_running_searches: () => this.#quick.inFlightCost + this.#long.inFlightCost,
    store_refused_searches_total: () => this.#quick.rejected + this.#long.rejected,
  };

  read<Name extends keyof Reads>(
    name: Name,
    args: Parameters<Reads[Name]>,
    { organizationId, signal }: Caller,
    { isLong, queuedAtMs }: ReadOptions = {},
  ): Promise<ReturnType<Reads[Name]>> {
    return new Promise((resolve, reject) => {
      const call = { request: { name, args }, resolve: resolve as ThreadCall<Read>['resolve'], reject };
      (isLong ? this.#long : this.#quick).add({ key: organizationId, cost: 1, signal, queuedAtMs, ...call });
      this.#start();
    });
  }

  /** While they are held, no long read begins; those in flight go on. */
  holdLong(isHeld: boolean): void {
    this.#isLongHeld = isHeld;
    this.#start();
  }

  /** Finishes what is in flight and rejects what is pending, then ends the threads. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#quick.close();
    this.#long.close();
    await Promise.all(this.#readers.map(({ worker }) => endThread(worker)));
  }

  #start(): void {
    for (const reader of this.#readers) {
      if (reader.inFlight.length > 0) continue;
      const long = reader.takesLong && !this.#isLongHeld ? this.#long.take({ items: 1 }) : [];
      reader.queue = long.length > 0 ? this.#long : this.#quick;
      reader.inFlight = long.length > 0 ? long : this.#takeQuick();
      if (reader.inFlight.length === 0) continue;
      const reads = reader.inFlight.map(({ request }) => request);
      reader.worker.postMessage({ kind: 'reads', reads } satisfies ReaderRequest);
    }
  }

  #takeQuick(): QueuedRead[] {
    const share = Math.ceil(this.#quick.length / this.#readers.length / 2);
    return this.#quick.take({ items: Math.min(share, readsPerMessage) });
  }

  #receive(reader: Reader, results: ThreadResult[]): void {
    const done = reader.inFlight.splice(0, results.length);
    for (const read of done) reader.queue.done(read);
    // The thread has not begun the rest: whichever thread is free takes them, in their order.
    reader.queue.putBack(reader.inFlight.splice(0));
    this.#start();
    this.#events.onAnswer();
    settle(done, results, this.#events.noteError);
  }
}
