// The main thread's side of the reader threads: queues reads by organization, and gives them to threads that are free.
import type { Worker } from 'node:worker_threads';
import { FairQueue, type QueueItem, searchLimitsOf } from '../fair-queue.ts';
import type { Caller } from '../store.ts';
import { fromThreadError } from './driver-errors.ts';
import type { Read, ReaderRequest, ReadResult } from './reader.ts';
import type { OnFatal } from './threads.ts';

/** Reads given to a thread at once, at the most. */
const readsPerMessage = 6;

interface QueuedRead extends QueueItem {
  request: Read;
  resolve(value: unknown): void;
}

interface Reader {
  worker: Worker;
  /** The first of several threads never runs slow searches, so that quick ones are answered while all others do. */
  mayTakeLong: boolean;
  inFlight: QueuedRead[];
  /** Where those in flight were taken from. */
  queue: FairQueue<QueuedRead>;
}

export interface ReadOptions {
  /** A search is run however long it takes, on a thread that may. Otherwise it may be answered with `takesLong`. */
  mayTakeLong?: boolean;
  /** When it was first queued, of a search that is queued again: its time goes on from there. */
  queuedAtMs?: number;
}

/** What a search is answered with that takes longer than an instant, and may not. It was not run. */
export const takesLong = 'takes long';

/**
 * A thread is given one read at a time, or when many are pending a few, since a message between threads costs as much
 * as a quick search.
 */
export class ReaderThreads {
  readonly #readers: Reader[];
  readonly #quick: FairQueue<QueuedRead>;
  readonly #long: FairQueue<QueuedRead>;
  /** Set while closing: called when the last read is answered. */
  #onDrained: (() => void) | undefined;

  constructor(
    workers: readonly Worker[],
    onFatal: OnFatal,
    { searchQueueTimeoutMs }: { searchQueueTimeoutMs?: number } = {},
  ) {
    const limits = searchLimitsOf(searchQueueTimeoutMs);
    this.#quick = new FairQueue(limits);
    this.#long = new FairQueue(limits);
    this.#readers = workers.map((worker, index) => {
      const mayTakeLong = index > 0 || workers.length === 1;
      const reader: Reader = { worker, mayTakeLong, inFlight: [], queue: this.#quick };
      worker.on('message', (answers: ReadResult[]) => this.#receive(reader, answers));
      worker.on('error', (error) => onFatal(error as Error));
      worker.on('exit', () => {
        if (this.#onDrained === undefined) onFatal(new Error('a reader thread ended'));
      });
      return reader;
    });
  }

  get metrics() {
    return {
      store_pending_searches: this.#quick.length + this.#long.length,
      store_running_searches: this.#quick.inFlightCost + this.#long.inFlightCost,
      store_refused_searches_total: this.#quick.rejected + this.#long.rejected,
    };
  }

  read(request: Read, { organizationId, signal }: Caller, options: ReadOptions = {}): Promise<unknown> {
    const { mayTakeLong, queuedAtMs } = options;
    return new Promise((resolve, reject) => {
      const queue = mayTakeLong ? this.#long : this.#quick;
      queue.add({ key: organizationId, cost: 1, signal, queuedAtMs, request, resolve, reject });
      this.#start();
    });
  }

  /** Finishes what is in flight and rejects what is pending, then ends the threads. */
  async close(): Promise<void> {
    if (this.#onDrained !== undefined) return;
    this.#quick.close();
    this.#long.close();
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      this.#checkDrained();
    });
    const ended = this.#readers.map(({ worker }) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const { worker } of this.#readers) worker.postMessage({ kind: 'close' } satisfies ReaderRequest);
    await Promise.all(ended);
  }

  #checkDrained(): void {
    if (this.#readers.every(({ inFlight }) => inFlight.length === 0)) this.#onDrained?.();
  }

  #start(): void {
    for (const reader of this.#readers) {
      if (reader.inFlight.length > 0) continue;
      const long = reader.mayTakeLong ? this.#long.take({ items: 1 }) : [];
      const mayTakeLong = long.length > 0;
      reader.queue = mayTakeLong ? this.#long : this.#quick;
      reader.inFlight = mayTakeLong ? long : this.#takeQuick();
      if (reader.inFlight.length === 0) continue;
      const reads = reader.inFlight.map(({ request }) => request);
      reader.worker.postMessage({ kind: 'reads', reads, mayTakeLong } satisfies ReaderRequest);
    }
  }

  #takeQuick(): QueuedRead[] {
    const share = Math.ceil(this.#quick.length / this.#readers.length / 2);
    return this.#quick.take({ items: Math.min(share, readsPerMessage) });
  }

  #receive(reader: Reader, answers: ReadResult[]): void {
    const done = reader.inFlight.splice(0, answers.length);
    for (const read of done) reader.queue.done(read);
    // The thread has not begun the rest: whichever thread is free takes them, in their order.
    reader.queue.putBack(reader.inFlight.splice(0));
    this.#start();
    for (const [index, { resolve, reject }] of done.entries()) {
      const result = answers[index] as ReadResult;
      if (result === takesLong) resolve(takesLong);
      else if ('value' in result) resolve(result.value);
      else reject(fromThreadError(result));
    }
    this.#checkDrained();
  }
}
