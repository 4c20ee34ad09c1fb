// A reader thread: runs searches and export pages, which may take long, away from the main thread.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ExportPage, Search } from '../store.ts';
import { openForReading } from './database.ts';
import { prepareSearch, type SearchSettings } from './search.ts';

export type Read =
  | { kind: 'search'; botId: string; search: Search }
  | { kind: 'export'; botId: string; page: ExportPage };

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
port.postMessage('ready');

function answer(read: Read): ReadResult {
  try {
    const { botId } = read;
    return { value: read.kind === 'search' ? reads.search(botId, read.search) : reads.exportPage(botId, read.page) };
  } catch (error) {
    return { error: error as Error };
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
