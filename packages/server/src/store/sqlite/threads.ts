// What the threads share: how one is started, how much the writer commits at once, and what ends the process.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A thread's garbage is short-lived: a small nursery costs nothing and keeps the process small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/** Resolves with the thread's first message, when it has opened the database. Rejects with the error that prevented it. */
export async function startThread(file: 'writer' | 'reader', workerData: object) {
  const worker = new Worker(new URL(`./${file}.ts`, import.meta.url), { workerData, resourceLimits });
  const [message] = await once(worker, 'message');
  return { worker, message };
}

/** Called when the store must not go on: the process has to end. */
export type OnFatal = (error: Error) => void;

/** Rows in one transaction. A thousand take some 40 ms, the longest that a single write should wait for others. */
export const rowsPerCommit = 1000;
