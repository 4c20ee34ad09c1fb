// A reader thread: runs searches and export pages, which may take long, away from the main thread.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ExportPage, Search } from '../store.ts';
import { openForReading } from './database.ts';
import { prepareSearch, type SearchSettings } from './search.ts';

export type ReaderRequest =
  | { kind: 'search'; botId: string; search: Search }
  | { kind: 'export'; botId: string; page: ExportPage }
  | { kind: 'close' };

export type ReaderAnswer = { value: unknown } | { error: Error };

export interface ReaderSettings extends SearchSettings {
  path: string;
}

const port = parentPort as MessagePort;
const settings = workerData as ReaderSettings;
const db = openForReading(settings.path);
const reads = prepareSearch(db, settings);

function answer(request: Exclude<ReaderRequest, { kind: 'close' }>): ReaderAnswer {
  try {
    const { botId } = request;
    return {
      value: request.kind === 'search' ? reads.search(botId, request.search) : reads.exportPage(botId, request.page),
    };
  } catch (error) {
    return { error: error as Error };
  }
}

port.on('message', (request: ReaderRequest) => {
  if (request.kind !== 'close') {
    port.postMessage(answer(request));
    return;
  }
  db.close();
  port.close();
});
