// The writer thread: owns the only connection that writes. Takes batches of writes, commits each batch with one sync,
// and answers only then. In its idle time it keeps the search index.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Durability, durabilityOf, openForWriting, primaryCode, primaryCodes, sqliteCode } from './database.ts';
import { prepareIndexUpkeep } from './index-upkeep.ts';
import { prepareWrites, type Writes } from './writes.ts';

export interface WriterSettings {
  path: string;
  indexThreshold: number;
}

type WriteName = keyof Writes;
export type Write = { [Name in WriteName]: { name: Name; args: Parameters<Writes[Name]> } }[WriteName];

export type WriterRequest = { kind: 'batch'; writes: Write[] } | { kind: 'inspect' } | { kind: 'close' };

/** `unavailable`: the disk is full, nothing of the batch was written, later batches may succeed. */
export type WriterAnswer =
  | { kind: 'batch'; results: WriteResult[] }
  | { kind: 'unavailable'; reason: string }
  | { kind: 'inspect'; durability: Durability }
  | { kind: 'fatal'; error: Error };

export type WriteResult = { value: unknown } | { error: Error };

/** So long after a write its rows are indexed, however few they are. */
const indexWithinMs = 50;
/** Between two slices of upkeep, so that writes come first. */
const upkeepPauseMs = 5;

const port = parentPort as MessagePort;
const settings = workerData as WriterSettings;
const db = openForWriting(settings.path);
const writes = prepareWrites(db, settings);
const upkeep = prepareIndexUpkeep(db);

const begin = db.prepare('BEGIN IMMEDIATE');
const savepoint = db.prepare('SAVEPOINT write');
const release = db.prepare('RELEASE write');
const rollbackTo = db.prepare('ROLLBACK TO write');
const commit = db.prepare('COMMIT');

function runWrite(write: Write): WriteResult {
  savepoint.run();
  try {
    const run = writes[write.name] as (...args: unknown[]) => unknown;
    const value = run(...write.args);
    release.run();
    return { value };
  } catch (error) {
    // A failing disk concerns the whole batch; anything else only this write.
    if (isDiskFault(error)) throw error;
    rollbackTo.run();
    release.run();
    return { error: error as Error };
  }
}

function runBatch(batch: Write[]): WriterAnswer {
  try {
    begin.run();
    const results = batch.map(runWrite);
    commit.run();
    return { kind: 'batch', results };
  } catch (error) {
    return recover(error);
  }
}

/**
 * A full disk is a state to wait out. After any other failed write or sync nobody knows what reached the disk, and a
 * second sync may report success for pages that were dropped: the process must end and read the log again.
 */
function recover(error: unknown): WriterAnswer {
  try {
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch (cause) {
    return fatal(cause);
  }
  if (primaryCode(error) === primaryCodes.full) return { kind: 'unavailable', reason: 'the disk is full' };
  return fatal(error);
}

/** The code goes into the text, since a message between threads drops it. */
function fatal(error: unknown): WriterAnswer {
  const { message } = error as Error;
  const code = sqliteCode(error);
  return { kind: 'fatal', error: new Error(code === undefined ? message : `${message} (SQLite ${code})`) };
}

function isDiskFault(error: unknown): boolean {
  const code = primaryCode(error);
  return code === primaryCodes.full || code === primaryCodes.ioError || code === primaryCodes.corrupt;
}

let upkeepTimer: NodeJS.Timeout | undefined;

function keepIndex(): void {
  clearTimeout(upkeepTimer);
  upkeepTimer = undefined;
  try {
    if (upkeep.runSlice()) planUpkeep(upkeepPauseMs);
  } catch (error) {
    const answer = recover(error);
    if (answer.kind === 'fatal') port.postMessage(answer);
    else planUpkeep(indexWithinMs);
  }
}

/** Later writes do not put it off: a steady trickle of them must not keep the index waiting. */
function planUpkeep(delayMs: number): void {
  upkeepTimer ??= setTimeout(keepIndex, delayMs);
}

planUpkeep(indexWithinMs);

port.on('message', (request: WriterRequest) => {
  switch (request.kind) {
    case 'batch':
      port.postMessage(runBatch(request.writes) satisfies WriterAnswer);
      if (upkeep.isDue()) keepIndex();
      else planUpkeep(indexWithinMs);
      break;
    case 'inspect':
      port.postMessage({ kind: 'inspect', durability: durabilityOf(db) } satisfies WriterAnswer);
      break;
    case 'close':
      clearTimeout(upkeepTimer);
      // The last connection to close folds the log into the file; the main thread has closed its own.
      db.close();
      port.close();
      break;
  }
});
