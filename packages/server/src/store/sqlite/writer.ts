// The writer thread: owns the only connection that writes. Commits all pending writes with one sync, and answers only
// then. Between commits it runs the maintenance of the search index.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { recordOf } from '../account/audit-sql.ts';
import type { Store } from '../store.ts';
import { contextIn } from '../write-context.ts';
import { startCheckpoints } from './checkpoints.ts';
import { openForWriting } from './database.ts';
import { isDamage, isTransient, primaryCodes, type ThreadError, textOf, toThreadError } from './driver-errors.ts';
import { prepareMaintenance } from './search/maintenance.ts';
import type { ThreadSettings } from './settings.ts';
import { rowsPerCommit, type ThreadResult } from './threads.ts';
import { endLeases } from './webhooks/webhooks.ts';
import { prepareWrites, type Writes } from './writes.ts';

export type WriteName = keyof Writes;
export type WriteArgs<Name extends WriteName> = Parameters<Store[Name]>;
export type Write = { [Name in WriteName]: { name: Name; args: WriteArgs<Name> } }[WriteName];

interface Batch {
  kind: 'batch';
  writes: Write[];
  rows: number;
  /** Committed alone, and its sender waits until the writer is ready before it sends another. */
  isLarge: boolean;
}

export type WriterRequest = { kind: 'begin' } | Batch | { kind: 'halt'; damage: string } | { kind: 'close' };

export type WriterMessage =
  /** The results of one or more batches, in the order in which they came. */
  | { kind: 'answers'; batches: ThreadResult[][] }
  /** Whether long reads must not begin. */
  | { kind: 'hold'; isHeld: boolean }
  /** What the last large batch left to do is done. */
  | { kind: 'ready' }
  /** From now on nothing is written. */
  | { kind: 'damage'; error: ThreadError };

/** So long after a write its rows are indexed, however few they are. */
const indexWithinMs = 100;
/** After so long without a write, segments are merged. */
const quietMs = 100;
/** Between two slices of maintenance, so that writes come first. */
const maintenancePauseMs = 5;

const port = parentPort as MessagePort;
const settings = workerData as ThreadSettings;
const db = openForWriting(settings.path);
const prepared = prepareWrites(db, settings);
const maintenance = prepareMaintenance(db, settings);
const checkpoints = await startCheckpoints(db, settings, { onHold: (isHeld) => send({ kind: 'hold', isHeld }) });

/** The answer to every write since the file is known to be damaged. */
let refusal: ThreadError | undefined;

const begin = db.prepare('BEGIN IMMEDIATE');
const commit = db.prepare('COMMIT');

function send(message: WriterMessage): void {
  port.postMessage(message);
}

/** All in one transaction with one sync. */
function commitTogether(writes: Write[]): ThreadResult[] {
  begin.run();
  const results = writes.map(({ name, args }) => {
    const context = contextIn(args);
    prepared.beforeWrite(context);
    const write = prepared.writes[name] as (...args: unknown[]) => unknown;
    const value = write(...args);
    const record = recordOf(context?.audit, value);
    if (record !== undefined) prepared.recordAudit(record);
    return { value };
  });
  prepared.beforeCommit();
  commit.run();
  return results;
}

function runWrites(writes: Write[]): ThreadResult[] {
  if (refusal !== undefined) return Array<ThreadResult>(writes.length).fill(refusal);
  try {
    return commitTogether(writes);
  } catch (error) {
    prepared.rollBack();
    const reported = toThreadError(error);
    if ('code' in reported) {
      assertTransient(error);
      return writes.map(() => reported);
    }
    // One of the writes is at fault. Alone, each can harm only itself.
    return writes.length === 1 ? [reported] : writes.flatMap((write) => runWrites([write]));
  }
}

/**
 * After a failed write or sync that is not transient it is unknown what reached the disk, and a second sync may report
 * success for pages that were dropped: the process must end and read the log again. The error ends this thread, and the
 * main thread ends the process. Damage is there after a restart too: it must be seen, and no write may make it worse.
 */
function assertTransient(error: unknown): void {
  if (isDamage(error)) {
    refusal = toThreadError(error);
    send({ kind: 'damage', error: refusal });
  } else if (!isTransient(error)) {
    throw new Error(textOf(error), { cause: error });
  }
}

let maintenanceTimer: NodeJS.Timeout | undefined;
let lastWriteAtMs = 0;

/** What fails is tried again later. */
function maintain(work: () => void): void {
  if (refusal !== undefined) return;
  try {
    work();
  } catch (error) {
    prepared.rollBack();
    assertTransient(error);
    planMaintenance(indexWithinMs);
  }
}

function maintainLater(): void {
  maintenanceTimer = undefined;
  maintain(() => {
    const isQuiet = performance.now() - lastWriteAtMs >= quietMs;
    if (!isQuiet) {
      maintenance.indexSome();
      planMaintenance(indexWithinMs);
    } else if (maintenance.stepInQuiet()) {
      planMaintenance(maintenancePauseMs);
    }
    checkpoints.afterCommit();
    if (checkpoints.isBusy) planMaintenance(indexWithinMs);
  });
}

/** Later writes do not delay it: a steady trickle of them must not keep rows pending. */
function planMaintenance(delayMs: number): void {
  maintenanceTimer ??= setTimeout(maintainLater, delayMs);
}

/** A request that was received and is not begun yet. */
let kept: WriterRequest | undefined;

/** The next batch, if it has come and is not large. */
function nextSmall(): Batch | undefined {
  kept ??= receiveMessageOnPort(port)?.message as WriterRequest | undefined;
  if (kept?.kind !== 'batch' || kept.isLarge) return undefined;
  const batch = kept;
  kept = undefined;
  return batch;
}

/** Group commit: small batches that came while the one before was being synced are committed together. */
function commitPending(first: Batch): void {
  const batches = [first];
  let { rows } = first;
  while (!first.isLarge && rows < rowsPerCommit) {
    const next = nextSmall();
    if (next === undefined) break;
    batches.push(next);
    rows += next.rows;
  }
  commitBatches(batches);
  // What is left to do holds up large batches alone.
  maintain(() =>
    maintenance.afterCommit(rows, () => {
      const small = nextSmall();
      if (small !== undefined) commitBatches([small]);
      return refusal === undefined && kept?.kind !== 'halt';
    }),
  );
  maintain(() => checkpoints.afterCommit());
  if (first.isLarge) send({ kind: 'ready' });
  planMaintenance(indexWithinMs);
}

function commitBatches(batches: Batch[]): void {
  const writes = batches.flatMap((batch) => batch.writes);
  const results = runWrites(writes);
  // What was deleted since the last purge, by it or by callers, leaves the log too.
  if (writes.some(({ name }) => name === 'purge')) checkpoints.emptySoon();
  const answers = batches.map((batch) => results.splice(0, batch.writes.length));
  send({ kind: 'answers', batches: answers });
  lastWriteAtMs = performance.now();
}

/** The last connection to close folds the log into the file; the main thread has closed its own. */
async function close(): Promise<void> {
  clearTimeout(maintenanceTimer);
  await checkpoints.close();
  db.close();
  port.close();
}

function handle(request: WriterRequest): void {
  if (request.kind === 'batch') commitPending(request);
  else if (request.kind === 'begin') planMaintenance(indexWithinMs);
  else if (request.kind === 'halt') refusal = { code: primaryCodes.corrupt, cause: request.damage };
  else close();
}

port.on('message', (message: WriterRequest) => {
  kept = message;
  while (kept !== undefined) {
    const request: WriterRequest = kept;
    kept = undefined;
    handle(request);
  }
});
port.postMessage(Object.keys(prepared.writes));
// Where the disk is full they end a little later, by themselves.
maintain(() => db.exec(endLeases));
