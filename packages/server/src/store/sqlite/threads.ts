// What the threads share: how one is started, called and ended, how much the writer commits at once, and what ends the
// process.
import { once } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';
import { startWorkerThread } from '../../program/start-worker.ts';
import type { QueueItem } from '../fair-queue.ts';
import { fromThreadError, type ThreadError } from './driver-errors.ts';
import type { ThreadSettings } from './settings.ts';

/** A thread's garbage is short-lived: a small nursery costs nothing and keeps the process small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

type ThreadFile = 'writer' | 'reader' | 'checkpointer' | 'checker';

export function spawnThread(file: ThreadFile, workerData: ThreadSettings, transferList: MessagePort[] = []): Worker {
  const source = new URL(`./${file}.ts`, import.meta.url);
  return startWorkerThread(source, { workerData, transferList, resourceLimits });
}

/** Resolves with the thread's first message, when it has opened the database. Rejects with the error that prevented it. */
export async function startThread(...thread: Parameters<typeof spawnThread>) {
  const worker = spawnThread(...thread);
  const [message] = await once(worker, 'message');
  return { worker, message };
}

/** Something that a thread is asked for, queued until it is sent. */
export interface ThreadCall<Request> extends QueueItem {
  request: Request;
  resolve(value: unknown): void;
}

/** With an error, nothing was done. */
export type ThreadResult = { value: unknown } | ThreadError;

/** The results are in the order of the calls. `noteError` gets each error and returns it. */
export function settle(
  calls: readonly ThreadCall<unknown>[],
  results: readonly ThreadResult[],
  noteError: (error: Error) => Error,
): void {
  for (const [index, { resolve, reject }] of calls.entries()) {
    const result = results[index];
    if (result === undefined) reject(new Error('a thread gave no result'));
    else if ('value' in result) resolve(result.value);
    else reject(noteError(fromThreadError(result)));
  }
}

/** The thread first does what it was sent before, and its answers come before this resolves. */
export function endThread(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.postMessage({ kind: 'close' });
  });
}

/** Called when the store must not go on: the process has to end. */
export type OnFatal = (error: Error) => void;

/** Rows in one transaction. A thousand take some 40 ms, the longest that a single write should wait for others. */
export const rowsPerCommit = 1000;

/** A write of more rows is large: a bulk upsert, a slice of the purge. */
export const smallRowsMax = 100;
