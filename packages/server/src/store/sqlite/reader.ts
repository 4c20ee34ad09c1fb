// A reader thread: runs searches, export pages and lists, which may take long, away from the main thread and behind it.
import { setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ExportPage, Search } from '../store.ts';
import { prepareExport } from './contact-reads.ts';
import { openForReading } from './database.ts';
import { type ThreadError, toThreadError } from './driver-errors.ts';
import { prepareSearch, type SearchSettings, type SearchTime } from './search/run-search.ts';
import { prepareTenantLists } from './tenants.ts';

export type Read =
  | { kind: 'search'; botId: string; search: Search }
  | { kind: 'export'; botId: string; page: ExportPage }
  | { kind: ListName; organizationId: string | undefined };
export type ListName = keyof ReturnType<typeof prepareTenantLists>;

export type ReaderRequest = ({ kind: 'reads'; reads: Read[] } & SearchTime) | { kind: 'close' };

/** One for each read, in the order of the request. Those behind a slow one are left out: they were not begun. */
export type ReadResult = { value: unknown } | ThreadError | 'takes long';

export interface ReaderSettings extends SearchSettings {
  path: string;
  /** Of this thread, once it is ready. */
  niceness: number;
}

const port = parentPort as MessagePort;
const settings = workerData as ReaderSettings;
const db = openForReading(settings.path);
const search = prepareSearch(db, settings);
const exportPage = prepareExport(db);
const lists = prepareTenantLists(db);
// Not before this point: opening the store waits until this thread is ready.
if (process.platform === 'linux') {
  try {
    setPriority(0, settings.niceness);
  } catch {
    // Where a sandbox forbids it, searches are as urgent as all the rest.
  }
}
port.postMessage('ready');

function answer(read: Read, time: SearchTime): ReadResult {
  try {
    const value = resultOf(read, time);
    return value === undefined ? 'takes long' : { value };
  } catch (error) {
    return toThreadError(error);
  }
}

/** Undefined when it is a search that takes long, and may not. */
function resultOf(read: Read, time: SearchTime): unknown {
  switch (read.kind) {
    case 'search':
      return search(read.botId, read.search, time);
    case 'export':
      return exportPage(read.botId, read.page);
    default:
      return lists[read.kind](read.organizationId);
  }
}

/** Reads that are done within this time are answered together. */
const answerWithinMs = 2;

function answerAll(requested: Read[], time: SearchTime): void {
  const answers: ReadResult[] = [];
  const endMs = performance.now() + answerWithinMs;
  for (const read of requested) {
    answers.push(answer(read, time));
    if (performance.now() > endMs) break;
  }
  port.postMessage(answers);
}

port.on('message', (request: ReaderRequest) => {
  if (request.kind !== 'close') {
    answerAll(request.reads, request);
    return;
  }
  db.close();
  port.close();
});
