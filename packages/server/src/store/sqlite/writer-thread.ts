// The main thread's side of the writer thread: queues writes, sends them, and settles their promises.
import type { Worker } from 'node:worker_threads';
import { FairQueue } from '../fair-queue.ts';
import { fromThreadError } from './driver-errors.ts';
import {
  endThread,
  type OnFatal,
  rowsPerCommit,
  settle,
  smallRowsMax,
  type ThreadCall,
  type ThreadResult,
} from './threads.ts';
import type { Write, WriteArgs, WriteName, WriterMessage, WriterRequest } from './writer.ts';
import type { Writes } from './writes.ts';

/** Rows that may be pending or in flight: some two seconds of work, and 50 MB. */
const queuedRowsMax = 64_000;
/** Of small writes: one commit that is being made, and the next, enough to keep the writer busy. */
const rowsInFlightMax = 2 * rowsPerCommit;

type QueuedWrite = ThreadCall<Write>;

interface WriterEvents {
  /** After each commit, before its writes are answered. */
  onCommit(): void;
  /** Whether long reads must not begin, so that the log can begin anew. */
  onHold(isHeld: boolean): void;
  /** Gets and returns the error of each failed write. */
  noteError(error: Error): Error;
  onFatal: OnFatal;
}

type WriteMethods = {
  [Name in WriteName]: (...args: WriteArgs<Name>) => Promise<ReturnType<Writes[Name]>>;
};

/** How many rows it changes, for the limits. */
function rowsOf({ name, args }: Write): number {
  switch (name) {
    case 'noteSecretsUsed':
    case 'takeWebhooks':
    case 'renewLeases':
      return args[0].length;
    case 'upsertContacts':
    case 'deleteContacts':
    case 'noteTokensSeen':
      return args[1].length;
    case 'planDeliveries':
      return args[2].events.length + 1;
    case 'saveAttempts':
      return args[2].attempts.length + 1;
    case 'purge':
      return args[0];
    case 'purgeAudit':
    case 'purgeAttempts':
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
  readonly #events: WriterEvents;
  readonly #queue = new FairQueue<QueuedWrite>({ what: 'writes', cost: queuedRowsMax });
  #isSendPlanned = false;
  /** In the order of sending. */
  readonly #inFlight: QueuedWrite[][] = [];
  /** From when a large write is sent until what it leaves to do is done. */
  #isLargeInFlight = false;
  #failure: Error | undefined;
  #isClosed = false;

  constructor(worker: Worker, names: readonly WriteName[], events: WriterEvents) {
    this.#worker = worker;
    const methods = names.map((name) => [name, (...args: unknown[]) => this.#write({ name, args } as Write)]);
    this.writes = Object.fromEntries(methods) as WriteMethods;
    this.#events = events;
    this.#worker.on('message', (message: WriterMessage) => {
      if (message.kind === 'answers') this.#receive(message.batches);
      else if (message.kind === 'hold') events.onHold(message.isHeld);
      else if (message.kind === 'ready') this.#sendLarge();
      else events.noteError(fromThreadError(message.error));
    });
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => {
      if (!this.#isClosed) this.#fail(new Error('the writer thread ended'));
    });
    // Maintenance starts only now, when a failure of it is noticed.
    this.#post({ kind: 'begin' });
  }

  /** Pending and in flight. */
  get queuedRows(): number {
    return this.#queue.cost;
  }

  /** The database is damaged: from what it is sent next on, the thread refuses all writes. */
  halt({ message }: Error): void {
    this.#post({ kind: 'halt', damage: message });
  }

  /** Finishes what is pending, then ends the thread. */
  async close(): Promise<void> {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#isClosed = true;
    while (this.#queue.length > 0) this.#sendBatch({});
    this.#queue.close();
    await endThread(this.#worker);
  }

  #write(write: Write): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
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

  /** Small writes overtake large ones of other bots. Of these one is in flight at most, so that the others wait for no more. */
  #send(): void {
    while (this.#queue.inFlightCost < rowsInFlightMax && this.#sendBatch({ costEach: smallRowsMax }));
    if (!this.#isLargeInFlight) this.#sendLarge();
  }

  #sendLarge(): void {
    this.#isLargeInFlight = this.#sendBatch({ items: 1 });
  }

  /** False when there is none. */
  #sendBatch(max: { items?: number; costEach?: number }): boolean {
    const batch = this.#queue.take({ items: Number.POSITIVE_INFINITY, cost: rowsPerCommit, ...max });
    if (batch.length === 0) return false;
    this.#inFlight.push(batch);
    const rows = batch.reduce((sum, { cost }) => sum + cost, 0);
    const isLarge = max.costEach === undefined;
    this.#post({ kind: 'batch', writes: batch.map(({ request }) => request), rows, isLarge });
    return true;
  }

  #receive(batches: ThreadResult[][]): void {
    this.#events.onCommit();
    const done = this.#inFlight.splice(0, batches.length).flat();
    for (const write of done) this.#queue.done(write);
    this.#send();
    settle(done, batches.flat(), this.#events.noteError);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    const pending = this.#queue.take({ items: Number.POSITIVE_INFINITY });
    for (const { reject } of [...this.#inFlight.splice(0).flat(), ...pending]) reject(error);
    this.#events.onFatal(error);
  }
}
