// A reader thread: runs searches, export pages and lists, which may take long, away from the main thread and behind it.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { auditReads } from '../account/audit-sql.ts';
import { prepareActivity } from './activity/activity.ts';
import { prepareManyContacts } from './contacts/reads.ts';
import { prepareSteps } from './contacts/rows.ts';
import { openForReading } from './database.ts';
import { toThreadError } from './driver-errors.ts';
import { prepareEventReads } from './events/events.ts';
import { prepareSearch } from './search/run-search.ts';
import { standBack, type ThreadSettings } from './settings.ts';
import { prepareTenantLists } from './tenants/tenants.ts';
import type { ThreadResult } from './threads.ts';
import { prepareLastSeen, prepareTokenList } from './tokens/contact-tokens.ts';
import { prepareDeliveryReads } from './webhooks/webhooks.ts';

export type Reads = typeof reads;
export type Read = { name: keyof Reads; args: unknown[] };

/** The answer is the results in the same order. Those behind a slow read are left out: they were not begun. */
export type ReaderRequest = { kind: 'reads'; reads: Read[] } | { kind: 'close' };

const port = parentPort as MessagePort;
const settings = workerData as ThreadSettings;
const db = openForReading(settings.path);
const unindexed = db.prepare('SELECT count(*) AS count FROM search_pending');
const reads = {
  ...prepareSearch(db, settings),
  ...prepareManyContacts(db),
  countUnindexed: () => (unindexed.get() as { count: number }).count,
  listTokens: prepareTokenList(db),
  findLastSeen: prepareLastSeen(db),
  findActivity: prepareActivity(db),
  ...prepareEventReads(db),
  ...prepareDeliveryReads(db),
  ...prepareTenantLists(db),
  ...prepareSteps(db)(auditReads),
};
// Only now: opening the store waits until this thread is ready, which a low priority would delay.
standBack(settings);
port.postMessage('ready');

function answer({ name, args }: Read): ThreadResult {
  const read = reads[name] as (...args: unknown[]) => unknown;
  try {
    return { value: read(...args) };
  } catch (error) {
    return toThreadError(error);
  }
}

/** Reads that are done within this time are answered together. */
const answerWithinMs = 2;

function answerAll(requested: Read[]): void {
  const answers: ThreadResult[] = [];
  const endMs = performance.now() + answerWithinMs;
  for (const read of requested) {
    answers.push(answer(read));
    if (performance.now() > endMs) break;
  }
  port.postMessage(answers);
}

port.on('message', (request: ReaderRequest) => {
  if (request.kind !== 'close') {
    answerAll(request.reads);
    return;
  }
  db.close();
  port.close();
});
