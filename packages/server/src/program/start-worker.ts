// Starts threads and processes of this program, whatever it was started from: sources, an npm package, or the single
// executable.
import cluster from 'node:cluster';
import { basename } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { isClone } from './release-files.ts';

/** `source` is the thread's module in a clone. A release has it as a bundle, with the name of that module. */
export function startWorkerThread(source: URL, options: WorkerOptions): Worker {
  if (isClone) return new Worker(source, options);
  const name = basename(source.pathname, '.ts');
  if (isSea()) return new Worker(getAsset(`${name}.mjs`, 'utf8'), { ...options, eval: true });
  return new Worker(new URL(`./${name}.mjs`, import.meta.url), options);
}

/** A process with the same arguments as this one, for a cluster. */
export function forkThisProcess(environment: NodeJS.ProcessEnv) {
  if (isSea()) {
    // The executable takes no script and none of Node's options: those that it needs are inside.
    const [, , exec, ...args] = process.argv;
    cluster.setupPrimary({ exec: exec as string, args, execArgv: [] });
  }
  return cluster.fork(environment);
}
