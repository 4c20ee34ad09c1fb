// When the log is copied into the database file. A thread of its own copies almost all of it beside the writes; the writer
// copies the little that came meanwhile, and its next commit begins the log anew. Without that step the log would never begin
// anew under a load that does not pause. Nor would it while long reads overlap: none begins while the log is very large. After a
// purge the log is emptied, since its old pages hold what was deleted.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { isTransient } from './driver-errors.ts';
import type { ThreadSettings } from './settings.ts';
import { endThread, startThread } from './threads.ts';

/** What `PRAGMA wal_checkpoint` tells: the frames in the log, and how many of them are in the database file. */
export interface LogState {
  log: number;
  checkpointed: number;
}

export interface CheckpointerData extends ThreadSettings {
  answers: MessagePort;
}

/** With a failure, it is unknown what reached the disk. */
export interface Checkpointed {
  failure?: { message: string; errcode: number };
}

/** 16 MiB of log: a page that changes often is copied once. */
const logFrames = 4000;
/** A reader that holds an old snapshot keeps the log from beginning anew. After so many more frames it is tried again. */
const retryFrames = 1000;
/** 64 MiB. With so many, long reads are held; after a hold that was in vain, with so many more. */
const holdFrames = 16_000;
/** A read of another kind, such as a backup, may last. Meanwhile the log grows: neither writes nor searches wait for it. */
const holdTimeoutMs = 10_000;
/** So few the checkpointer leaves to the writer, and the writer copies at most ten times as many: some milliseconds. */
export const tailFrames = 100;
/** The log is looked at after so many commits. */
const commitsBetween = 8;
/** The log is emptied so often at most, and where a reader needs it tried again. */
const emptyEveryMs = 1000;

interface HoldOptions {
  /** Whether long reads must not begin. Each keeps the log from beginning anew until it ends. */
  onHold(isHeld: boolean): void;
  timeoutMs?: number;
}

export async function startCheckpoints(
  db: DatabaseSync,
  settings: ThreadSettings,
  { onHold, timeoutMs = holdTimeoutMs }: HoldOptions,
) {
  // No commit waits for a checkpoint.
  db.exec('PRAGMA wal_autocheckpoint = 0');
  // Answers are polled after each commit: the event loop delivers none while messages to the writer keep coming.
  const { port1: answers, port2 } = new MessageChannel();
  const data: CheckpointerData = { ...settings, answers: port2 };
  const { worker } = await startThread('checkpointer', data, [port2]);
  // Before SQLite 3.51, NOOP copies too.
  const inspect = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  const copyTail = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const copyTailAndEmpty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  const { timeout } = db.prepare('PRAGMA busy_timeout').get() as { timeout: number };
  const ask = (statement: StatementSync) => statement.get() as unknown as LogState;

  let commits = 0;
  let dueAtFrames = logFrames;
  let isRunning = false;
  let holdAtFrames = holdFrames;
  let heldSinceMs: number | undefined;
  let emptyAtMs: number | undefined;

  /** When a reader needs the log it is left as it is, all copied: the writer does not wait. */
  const emptyLog = (): LogState => {
    db.exec('PRAGMA busy_timeout = 0');
    try {
      const left = ask(copyTailAndEmpty);
      if (left.log === 0) emptyAtMs = undefined;
      return left;
    } finally {
      db.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  };

  const hold = (isHeld: boolean): void => {
    if (isHeld === (heldSinceMs !== undefined)) return;
    heldSinceMs = isHeld ? performance.now() : undefined;
    onHold(isHeld);
  };

  const begin = (): void => {
    const { log } = ask(inspect);
    if (log < logFrames) {
      dueAtFrames = logFrames;
      holdAtFrames = holdFrames;
      hold(false);
    }
    if (log === 0) emptyAtMs = undefined;
    const isEmptyingDue = emptyAtMs !== undefined && performance.now() >= emptyAtMs;
    if (isEmptyingDue) emptyAtMs = performance.now() + emptyEveryMs;
    // What is held waits for the next checkpoint, however little is written until then.
    if (log < dueAtFrames && heldSinceMs === undefined && !isEmptyingDue) return;
    isRunning = true;
    worker.postMessage('checkpoint');
  };

  const finish = ({ failure }: Checkpointed): void => {
    isRunning = false;
    if (failure !== undefined) throw Object.assign(new Error(), failure);
    const { log, checkpointed } = ask(inspect);
    dueAtFrames = log + retryFrames;
    // When all is copied, the next commit begins the log anew, and a read that begins before it does not need the log.
    const isCopied =
      log - checkpointed <= 10 * tailFrames && isWhole(emptyAtMs === undefined ? ask(copyTail) : emptyLog());
    if (heldSinceMs !== undefined && performance.now() - heldSinceMs >= timeoutMs) holdAtFrames = log + holdFrames;
    hold(log >= holdAtFrames && !isCopied);
  };

  return {
    /** To be called after each commit. Throws when a sync has failed, or the file is damaged. */
    afterCommit(): void {
      try {
        if (isRunning) {
          const answer = receiveMessageOnPort(answers)?.message as Checkpointed | undefined;
          if (answer !== undefined) finish(answer);
        } else if (++commits % commitsBetween === 0 || heldSinceMs !== undefined || emptyAtMs !== undefined) {
          begin();
        }
      } catch (error) {
        if (!isTransient(error)) throw error;
      }
    },
    /** When what was written just now is indexed, which deletes old texts, and no reader needs the log. */
    emptySoon(): void {
      emptyAtMs ??= performance.now() + emptyEveryMs;
    },
    /** The log must then be looked at again soon, also when nothing is written. */
    get isBusy(): boolean {
      return heldSinceMs !== undefined || emptyAtMs !== undefined;
    },
    async close(): Promise<void> {
      await endThread(worker);
      answers.close();
    },
  };
}

function isWhole({ log, checkpointed }: LogState): boolean {
  return log === checkpointed;
}
