// Talks to the writer thread and the reader threads: what waits, what is under way, and what is too much.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FairQueue, type Waiting as WaitingRead } from '../fair-queue.ts';
import { type Caller, StoreUnavailableError } from '../store.ts';
import { type WaitingWrite, WriteQueue } from '../write-queue.ts';
import type { Durability } from './database.ts';
import type { Read, ReaderAnswers, ReaderRequest, ReadResult } from './reader.ts';
import type { Write, WriterAnswer, WriterRequest } from './writer.ts';

/** Rows that may wait to be written: some two seconds of work, and 50 MB. */
const waitingRowsMax = 64_000;
/** In a long turn the writer begins with the first writes while the others are still being read. */
const writesPerMessage = 12;
const rowsPerMessage = 1000;

/** Given to the writer and not done, at the most: enough to keep it busy. Whoever comes now waits for these. */
const rowsInFlight = 3 * rowsPerMessage;

interface SentWrite extends WaitingWrite {
  request: Write;
  resolve(value: unknown): void;
}

/** Writes to one bot, or to what else the first argument names, keep their order. */
function lineOf({ name, args: [first] }: Write): string {
  return typeof first === 'string' ? first : name;
}

/** Reads given to a thread at once, at the most. */
const readsPerMessage = 6;

/** A thread's garbage is short-lived: a small nursery costs nothing and keeps the process small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** Starts a thread and waits until it has opened the database. Rejects with what kept it from that. */
export async function startThread(file: 'writer' | 'reader', workerData: object): Promise<Worker> {
  const worker = new Worker(new URL(`./${file}.ts`, import.meta.url), { workerData, resourceLimits });
  await once(worker, 'message');
  return worker;
}

/** Called when the store must not go on: the process has to end. */
export type OnFatal = (error: Error) => void;

/**
 * Sends the writes of each turn of the event loop together, and no more than keep the writer busy. The writer commits all
 * that reached it meanwhile at once, and answers in the order of sending. No timer is involved.
 */
export class WriterThread {
  readonly #worker: Worker;
  readonly #onCommit: () => void;
  readonly #onFatal: OnFatal;
  readonly #lines = new WriteQueue<SentWrite>(waitingRowsMax);
  /** Those of this turn that nothing was sent after. */
  #gathered = 0;
  #gatheredRows = 0;
  /** Sent, and not answered yet, in the order of sending. */
  readonly #sent: SentWrite[][] = [];
  /** Set while closing: called when the last write is answered. */
  #onDrained: (() => void) | undefined;
  #inspections: ((durability: Durability) => void)[] = [];
  #closing: (() => void) | undefined;
  #failure: Error | undefined;
  #isClosed = false;

  /** `onCommit` is called after each commit, before its writes are answered. */
  constructor(worker: Worker, onCommit: () => void, onFatal: OnFatal) {
    this.#worker = worker;
    this.#onCommit = onCommit;
    this.#onFatal = onFatal;
    this.#worker.on('message', (answer: WriterAnswer) => this.#receive(answer));
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => {
      if (this.#closing === undefined) this.#fail(new Error('the writer thread ended'));
      else this.#closing();
    });
    // Not before somebody hears when it fails.
    this.#worker.postMessage({ kind: 'begin' } satisfies WriterRequest);
  }

  get waitingRows(): number {
    return this.#lines.rows;
  }

  write(write: Write, rows = 1): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#lines.add(lineOf(write), { request: write, rows, resolve, reject });
      this.#gathered++;
      this.#gatheredRows += rows;
      if (this.#gathered === 1) setImmediate(() => this.#send());
      if (this.#gathered >= writesPerMessage || this.#gatheredRows >= rowsPerMessage) this.#send();
    });
  }

  inspect(): Promise<Durability> {
    return new Promise((resolve) => {
      this.#inspections.push(resolve);
      this.#post({ kind: 'inspect' });
    });
  }

  /** Finishes what waits, then ends the thread. */
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

  #post(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  #send(): void {
    this.#gathered = 0;
    this.#gatheredRows = 0;
    while (this.#lines.takenRows < rowsInFlight) {
      const batch = this.#lines.take({ writes: writesPerMessage, rows: rowsPerMessage });
      if (batch.length === 0) return;
      this.#sent.push(batch);
      const rows = batch.reduce((sum, write) => sum + write.rows, 0);
      this.#post({ kind: 'batch', writes: batch.map(({ request }) => request), rows });
    }
  }

  #checkDrained(): void {
    if (this.#lines.length === 0 && this.#sent.length === 0) this.#onDrained?.();
  }

  #receive(answer: WriterAnswer): void {
    if (answer.kind === 'fatal') {
      this.#fail(answer.error);
      return;
    }
    if (answer.kind === 'inspect') {
      this.#inspections.shift()?.(answer.durability);
      return;
    }
    this.#onCommit();
    const done = this.#sent.splice(0, answer.batches.length).flat();
    for (const write of done) this.#lines.end(write);
    this.#send();
    const results = answer.batches.flat();
    for (const [index, { resolve, reject }] of done.entries()) {
      const result = results[index];
      if (result === undefined) reject(new Error('a write has no result'));
      else if ('value' in result) resolve(result.value);
      else reject('error' in result ? result.error : new StoreUnavailableError(result.unavailable));
    }
    this.#checkDrained();
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    const waiting = this.#lines.take({ writes: Number.POSITIVE_INFINITY, rows: Number.POSITIVE_INFINITY });
    for (const { reject } of [...this.#sent.splice(0).flat(), ...waiting]) reject(error);
    this.#checkDrained();
    this.#onFatal(error);
  }
}

interface Reader {
  worker: Worker;
  /** One must be there for the others when all that takes long is under way. */
  mayTakeLong: boolean;
  underWay: WaitingRead<Read, unknown>[];
}

/**
 * A few threads that read. Every read is tried as one that is done in an instant: a thread is given one at a time, or
 * when many wait a few, since a message between threads costs as much as a quick search. A search that turns out to take
 * long is not begun; it waits with its like for a thread other than the first, which is always there for the quick ones.
 */
export class ReaderThreads {
  readonly #readers: Reader[];
  readonly #quick = new FairQueue<Read, unknown>();
  readonly #long = new FairQueue<Read, unknown>();
  /** Set while closing: called when the last read is answered. */
  #onDrained: (() => void) | undefined;

  constructor(workers: readonly Worker[], onFatal: OnFatal) {
    this.#readers = workers.map((worker, index) => {
      const reader: Reader = { worker, mayTakeLong: index > 0, underWay: [] };
      worker.on('message', (answers: ReaderAnswers) => this.#receive(reader, answers));
      worker.on('error', (error) => onFatal(error as Error));
      worker.on('exit', () => {
        if (this.#onDrained === undefined) onFatal(new Error('a reader thread ended'));
      });
      return reader;
    });
  }

  get figures() {
    return {
      store_waiting_searches: this.#quick.length + this.#long.length,
      store_running_searches: this.#readers.reduce((sum, { underWay }) => sum + underWay.length, 0),
      store_refused_searches_total: this.#quick.refused + this.#long.refused,
    };
  }

  read(request: Read, caller: Caller): Promise<unknown> {
    const answer = this.#quick.wait(request, caller);
    this.#start();
    return answer;
  }

  /** Finishes what is under way and refuses what waits, then ends the threads. */
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
    if (this.#readers.every(({ underWay }) => underWay.length === 0)) this.#onDrained?.();
  }

  #start(): void {
    for (const reader of this.#readers) {
      if (reader.underWay.length > 0) continue;
      const [long] = reader.mayTakeLong ? this.#long.take(1) : [];
      reader.underWay = long === undefined ? this.#takeQuick() : [long];
      if (reader.underWay.length === 0) continue;
      const reads = reader.underWay.map(({ request }) => request);
      reader.worker.postMessage({ kind: 'reads', reads, mayTakeLong: long !== undefined } satisfies ReaderRequest);
    }
  }

  #takeQuick(): WaitingRead<Read, unknown>[] {
    const share = Math.ceil(this.#quick.length / this.#readers.length / 2);
    return this.#quick.take(Math.min(share, readsPerMessage));
  }

  #receive(reader: Reader, answers: ReaderAnswers): void {
    const done = reader.underWay.splice(0, answers.length);
    // Not begun: whichever thread is free takes them, after whoever is to go before them.
    this.#quick.putBack(reader.underWay.splice(0));
    for (const [index, waiting] of done.entries()) if (answers[index] === 'takes long') this.#long.join(waiting);
    this.#start();
    for (const [index, { resolve, reject }] of done.entries()) {
      const result = answers[index] as ReadResult;
      if (result === 'takes long') continue;
      if ('error' in result) reject(result.error);
      else resolve(result.value);
    }
    this.#checkDrained();
  }
}
