// The checkpointer thread: copies the log into the database file beside the writer thread, which goes on writing.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Checkpointed, type CheckpointerData, type LogState, tailFrames } from './checkpoints.ts';
import { openForWriting } from './database.ts';
import { isTransient } from './driver-errors.ts';

/** What is written meanwhile is copied by the next round. On a slow disk the log may grow as fast as it is copied. */
const roundsMax = 3;

const parent = parentPort as MessagePort;
const { path, answers } = workerData as CheckpointerData;
const db = openForWriting(path);
const copy = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const inspect = db.prepare('PRAGMA wal_checkpoint(NOOP)');

function checkpoint(): Checkpointed {
  try {
    for (let round = 0; round < roundsMax; round++) {
      copy.get();
      const { log, checkpointed } = inspect.get() as unknown as LogState;
      if (log - checkpointed <= tailFrames) break;
    }
    return {};
  } catch (error) {
    const { message, errcode } = error as NonNullable<Checkpointed['failure']>;
    return isTransient(error) ? {} : { failure: { message, errcode } };
  }
}

parent.on('message', (request: 'checkpoint' | { kind: 'close' }) => {
  if (request === 'checkpoint') {
    answers.postMessage(checkpoint());
    return;
  }
  db.close();
  parent.close();
  answers.close();
});
parent.postMessage('ready');
