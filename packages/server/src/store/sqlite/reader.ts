// A reader thread: runs searches, export pages and lists, which may take long, away from the main thread.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ExportPage, Search } from '../store.ts';
import { openForReading } from './database.ts';
import { prepareLists } from './lists.ts';
import { prepareSearch, type SearchSettings } from './search.ts';

export type Read =
  | { kind: 'search'; botId: string; search: Search }
  | { kind: 'export'; botId: string; page: ExportPage }
  | { kind: 'organizations' }
  | { kind: 'bots' | 'secrets'; organizationId: string | undefined };

export type ReaderRequest = { kind: 'reads'; reads: Read[] } | { kind: 'close' };

/** One for each read, in the order of the request; a slow one sends those before it ahead. */
export type ReaderAnswers = ReadResult[];

export type ReadResult = { value: unknown } | { error: Error };

export interface ReaderSettings extends SearchSettings {
  path: string;
}

const port = parentPort as MessagePort;
const settings = workerData as ReaderSettings;
const db = openForReading(settings.path);
const reads = prepareSearch(db, settings);
const lists = prepareLists(db);
port.postMessage('ready');

function answer(read: Read): ReadResult {
  try {
    return { value: resultOf(read) };
  } catch (error) {
    return { error: error as Error };
  }
}

function resultOf(read: Read): unknown {
  switch (read.kind) {
    case 'search':
      return reads.search(read.botId, read.search);
    case 'export':
      return reads.exportPage(read.botId, read.page);
    case 'organizations':
      return lists.organizations();
    case 'bots':
      return lists.bots(read.organizationId);
    case 'secrets':
      return lists.secrets(read.organizationId);
  }
}

/** Answers that came quickly go together; what took longer holds nobody up further. */
const sendAfterMs = 2;

function answerAll(requested: Read[]): void {
  let answers: ReaderAnswers = [];
  let startedAtMs = performance.now();
  for (const read of requested) {
    answers.push(answer(read));
    if (performance.now() - startedAtMs < sendAfterMs) continue;
    port.postMessage(answers);
    answers = [];
    startedAtMs = performance.now();
  }
  if (answers.length > 0) port.postMessage(answers);
}

port.on('message', (request: ReaderRequest) => {
  if (request.kind !== 'close') {
    answerAll(request.reads);
    return;
  }
  db.close();
  port.close();
});
