// Talks to the writer thread and the reader threads: what waits, what is under way, and what is too much.
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../store.ts';
import type { Durability } from './database.ts';
import type { ReaderAnswer, ReaderRequest, ReaderSettings } from './reader.ts';
import type { Write, WriterAnswer, WriterRequest, WriterSettings } from './writer.ts';

/** Rows in one transaction. A thousand take some 40 ms, the longest that a single write should wait for others. */
const rowsPerBatch = 1000;
/** Rows that may wait to be written: some two seconds of work, and 50 MB. */
const waitingRowsMax = 64_000;
/** Searches that may wait for a reader. */
const waitingReadsMax = 1000;

interface Waiting<Request> {
  request: Request;
  rows: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A thread's garbage is short-lived: a small nursery costs nothing and keeps the process small. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

/** Called when the store must not go on: the process has to end. */
export type OnFatal = (error: Error) => void;

/** Group commit: while one batch is being committed the next gathers. No timer is involved. */
export class WriterThread {
  readonly #worker: Worker;
  readonly #onCommit: () => void;
  readonly #onFatal: OnFatal;
  #waiting: Waiting<Write>[] = [];
  #waitingRows = 0;
  #underWay: Waiting<Write>[] | undefined;
  #inspections: ((durability: Durability) => void)[] = [];
  #closing: (() => void) | undefined;
  #failure: Error | undefined;
  #isClosed = false;

  /** `onCommit` is called after each commit, before its writes are answered. */
  constructor(settings: WriterSettings, onCommit: () => void, onFatal: OnFatal) {
    this.#onCommit = onCommit;
    this.#onFatal = onFatal;
    this.#worker = new Worker(new URL('./writer.ts', import.meta.url), { workerData: settings, resourceLimits });
    this.#worker.on('message', (answer: WriterAnswer) => this.#receive(answer));
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => {
      if (this.#closing === undefined) this.#fail(new Error('the writer thread ended'));
      else this.#closing();
    });
  }

  get waitingRows(): number {
    return this.#waitingRows;
  }

  write(write: Write, rows = 1): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    if (this.#waitingRows + rows > waitingRowsMax) {
      return Promise.reject(new StoreUnavailableError('too many writes are waiting'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request: write, rows, resolve, reject });
      this.#waitingRows += rows;
      if (this.#underWay === undefined) this.#sendBatch();
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
    const lastWrite = this.write({ name: 'nothing', args: [] }, 0);
    this.#isClosed = true;
    // A full disk is no reason to stay open.
    await lastWrite.catch(() => {});
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      this.#post({ kind: 'close' });
    });
  }

  #post(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  #sendBatch(): void {
    let rows = 0;
    let count = 0;
    while (count < this.#waiting.length && rows < rowsPerBatch) rows += this.#waiting[count++]?.rows ?? 0;
    if (count === 0) return;
    this.#underWay = count === this.#waiting.length ? this.#waiting : this.#waiting.slice(0, count);
    this.#waiting = count === this.#waiting.length ? [] : this.#waiting.slice(count);
    this.#waitingRows -= rows;
    this.#post({ kind: 'batch', writes: this.#underWay.map(({ request }) => request) });
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
    const done = this.#underWay ?? [];
    this.#underWay = undefined;
    // The next batch goes off before the answers of this one are worked on.
    this.#sendBatch();
    if (answer.kind === 'unavailable') {
      for (const { reject } of done) reject(new StoreUnavailableError(answer.reason));
      return;
    }
    this.#onCommit();
    for (const [index, { resolve, reject }] of done.entries()) {
      const result = answer.results[index];
      if (result === undefined || 'error' in result) reject(result?.error ?? new Error('a write has no result'));
      else resolve(result.value);
    }
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const { reject } of [...(this.#underWay ?? []), ...this.#waiting]) reject(error);
    this.#waiting = [];
    this.#underWay = undefined;
    this.#onFatal(error);
  }
}

interface Reader {
  worker: Worker;
  underWay: Waiting<ReaderRequest> | undefined;
}

/** A few threads that read. Each works on one request at a time; the others wait in the order of arrival. */
export class ReaderThreads {
  readonly #readers: Reader[];
  readonly #waiting: Waiting<ReaderRequest>[] = [];
  /** Set while closing: called when the last read is answered. */
  #onDrained: (() => void) | undefined;

  constructor(settings: ReaderSettings, threads: number, onFatal: OnFatal) {
    this.#readers = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL('./reader.ts', import.meta.url), { workerData: settings, resourceLimits });
      const reader: Reader = { worker, underWay: undefined };
      worker.on('message', (answer: ReaderAnswer) => this.#receive(reader, answer));
      worker.on('error', (error) => onFatal(error as Error));
      worker.on('exit', () => {
        if (this.#onDrained === undefined) onFatal(new Error('a reader thread ended'));
      });
      return reader;
    });
  }

  get waitingReads(): number {
    return this.#waiting.length;
  }

  read(request: ReaderRequest): Promise<unknown> {
    if (this.#onDrained !== undefined) return Promise.reject(new StoreUnavailableError('the store is closed'));
    if (this.#waiting.length >= waitingReadsMax) {
      return Promise.reject(new StoreUnavailableError('too many searches are waiting'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, rows: 1, resolve, reject });
      const idle = this.#readers.find(({ underWay }) => underWay === undefined);
      if (idle !== undefined) this.#sendNext(idle);
    });
  }

  /** Answers what waits, then ends the threads. */
  async close(): Promise<void> {
    if (this.#onDrained !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      this.#checkDrained();
    });
    const ended = this.#readers.map(({ worker }) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const { worker } of this.#readers) worker.postMessage({ kind: 'close' } satisfies ReaderRequest);
    await Promise.all(ended);
  }

  #checkDrained(): void {
    if (this.#readers.every(({ underWay }) => underWay === undefined)) this.#onDrained?.();
  }

  #sendNext(reader: Reader): void {
    reader.underWay = this.#waiting.shift();
    if (reader.underWay !== undefined) reader.worker.postMessage(reader.underWay.request);
  }

  #receive(reader: Reader, answer: ReaderAnswer): void {
    const done = reader.underWay;
    this.#sendNext(reader);
    if ('error' in answer) done?.reject(answer.error);
    else done?.resolve(answer.value);
    this.#checkDrained();
  }
}
