// The main thread's side of the writer thread: queues writes, sends them, and settles their promises.
import type { Worker } from 'node:worker_threads';
import { FairQueue, type QueueItem } from '../fair-queue.ts';
import { StoreUnavailableError } from '../store.ts';
import { fromThreadError } from './driver-errors.ts';
import { type OnFatal, rowsPerCommit } from './threads.ts';
import type { Write, WriteArgs, WriteName, WriterAnswer, WriterRequest } from './writer.ts';
import type { Writes } from './writes.ts';

/** Rows that may be pending or in flight: some two seconds of work, and 50 MB. */
const queuedRowsMax = 64_000;
/** One commit that is being made, and the next: enough to keep the writer busy. A new write waits for these at most. */
const rowsInFlightMax = 2 * rowsPerCommit;

interface QueuedWrite extends QueueItem {
  request: Write;
  resolve(value: unknown): void;
}

type WriteMethods = { [Name in WriteName]: (...args: WriteArgs<Name>) => Promise<ReturnType<Writes[Name]>> };

/** How many rows it changes, for the limits. */
function rowsOf({ name, args }: Write): number {
  switch (name) {
    case 'noteSecretsUsed':
      return args[0].length;
    case 'upsertContacts':
    case 'noteTokensSeen':
      return args[1].length;
    case 'purge':
    case 'purgeAudit':
      return args[1];
    default:
      return 1;
  }
}

/** Writes to one bot, or to what else the first argument names, keep their order. */
function keyOf({ name, args: [first] }: Write): string {
  return typeof first === 'string' ? first : name;
}

/**
 * Sends a write at once to a writer that is idle, and otherwise those of each turn of the event loop together. The writer
 * commits all that reached it meanwhile at once, and answers in the order of sending. No timer is involved.
 */
export class WriterThread {
  readonly writes: WriteMethods;
  readonly #worker: Worker;
  readonly #onCommit: () => void;
  readonly #onFatal: OnFatal;
  readonly #queue = new FairQueue<QueuedWrite>({ what: 'writes', cost: queuedRowsMax });
  #isSendPlanned = false;
  /** In the order of sending. */
  readonly #inFlight: QueuedWrite[][] = [];
  /** Set while closing: called when the last write is answered. */
  #onDrained: (() => void) | undefined;
  #closing: (() => void) | undefined;
  #failure: Error | undefined;
  #isClosed = false;

  /** `names`: what the thread can write. `onCommit` is called after each commit, before its writes are answered. */
  constructor(worker: Worker, names: readonly WriteName[], onCommit: () => void, onFatal: OnFatal) {
    this.#worker = worker;
    const methods = names.map((name) => [name, (...args: unknown[]) => this.#write({ name, args } as Write)]);
    this.writes = Object.fromEntries(methods) as WriteMethods;
    this.#onCommit = onCommit;
    this.#onFatal = onFatal;
    this.#worker.on('message', (answer: WriterAnswer) => this.#receive(answer));
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => {
      if (this.#closing === undefined) this.#fail(new Error('the writer thread ended'));
      else this.#closing();
    });
    // Maintenance starts only now, when a failure of it is noticed.
    this.#worker.postMessage({ kind: 'begin' } satisfies WriterRequest);
  }

  /** Pending and in flight. */
  get queuedRows(): number {
    return this.#queue.cost;
  }

  /** Finishes what is pending, then ends the thread. */
  async close(): Promise<void> {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#isClosed = true;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      this.#checkDrained();
    });
    if (this.#failure !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      this.#post({ kind: 'close' });
    });
  }

  #write(write: Write): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.add({ key: keyOf(write), cost: rowsOf(write), request: write, resolve, reject });
      if (this.#inFlight.length === 0) this.#send();
      else this.#planSend();
    });
  }

  #post(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  #planSend(): void {
    if (this.#isSendPlanned) return;
    this.#isSendPlanned = true;
    setImmediate(() => {
      this.#isSendPlanned = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#queue.inFlightCost < rowsInFlightMax) {
      const batch = this.#queue.take({ items: Number.POSITIVE_INFINITY, cost: rowsPerCommit });
      if (batch.length === 0) return;
      this.#inFlight.push(batch);
      const rows = batch.reduce((sum, { cost }) => sum + cost, 0);
      this.#post({ kind: 'batch', writes: batch.map(({ request }) => request), rows });
    }
  }

  #checkDrained(): void {
    if (this.#queue.length === 0 && this.#inFlight.length === 0) this.#onDrained?.();
  }

  #receive(answer: WriterAnswer): void {
    if (answer.kind === 'fatal') {
      this.#fail(answer.error);
      return;
    }
    this.#onCommit();
    const done = this.#inFlight.splice(0, answer.batches.length).flat();
    for (const write of done) this.#queue.done(write);
    this.#send();
    const results = answer.batches.flat();
    for (const [index, { resolve, reject }] of done.entries()) {
      const result = results[index];
      if (result === undefined) reject(new Error('a write has no result'));
      else if ('value' in result) resolve(result.value);
      else reject(fromThreadError(result));
    }
    this.#checkDrained();
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    const pending = this.#queue.take({ items: Number.POSITIVE_INFINITY });
    for (const { reject } of [...this.#inFlight.splice(0).flat(), ...pending]) reject(error);
    this.#checkDrained();
    this.#onFatal(error);
  }
}
