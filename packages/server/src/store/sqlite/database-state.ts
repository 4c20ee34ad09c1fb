// What the database is fit for, by the errors of all its connections: reading and writing, reading alone while its disk
// is full, or nothing but what can still be read of it when it is damaged.
import { statfsSync } from 'node:fs';
import { DatabaseDamagedError, DiskFullError } from '../store.ts';
import type { CheckerData } from './checker.ts';
import type { FileToCheck } from './inspection.ts';
import type { ThreadSettings } from './settings.ts';
import { spawnThread } from './threads.ts';

/** What a server is told of its database. */
export interface DatabaseWatch {
  /** At the first sign of damage, wherever it was met. From now on all writes are refused. */
  onDamage(error: Error): void;
  /** A large file was checked after the start and is intact, or could not be checked. */
  onChecked(tookMs: number, error?: Error): void;
}

/** Writes go on when so much is free: what the log takes until it is copied. With less, one write may succeed and the next fail again. */
const roomBytes = 16 * 1024 * 1024;

/** `onDamage` is called once. */
export function prepareState(settings: ThreadSettings, onDamage: (error: Error) => void) {
  let isFull = false;
  let isDamaged = false;

  /** To be called with what every failed read or write is rejected with. Returns it. */
  const noteError = <Thrown>(error: Thrown): Thrown => {
    if (error instanceof DiskFullError) isFull = true;
    if (error instanceof DatabaseDamagedError && !isDamaged) {
      isDamaged = true;
      onDamage(error.cause as Error);
    }
    return error;
  };

  return {
    noteError,
    gauges: { store_read_only: () => Number(isFull), store_damaged: () => Number(isDamaged) },

    /** To be called after each commit. */
    lookForRoom(): void {
      if (isFull) isFull = freeBytes(settings.path) < roomBytes;
    },

    assertNotFull(): void {
      if (isFull) throw new DiskFullError('the disk is full');
    },

    /** Checks the file beside all else. Resolves when the file is closed: after an abort, when the table at hand is read. */
    async checkFile(
      { onChecked }: DatabaseWatch,
      thoroughness: FileToCheck['thoroughness'],
      closing: AbortSignal,
    ): Promise<void> {
      const startedAtMs = performance.now();
      const worker = spawnThread('checker', {
        ...settings,
        ...{ isInUse: true, thoroughness },
      } as CheckerData);
      worker.once('message', (damage: string | undefined) => {
        if (damage === undefined) onChecked(performance.now() - startedAtMs);
        else noteError(new DatabaseDamagedError('the database is damaged', { cause: new Error(damage) }));
      });
      worker.once('error', (error) => onChecked(performance.now() - startedAtMs, error as Error));
      closing.addEventListener('abort', () => worker.terminate());
      await new Promise((resolve) => worker.once('exit', resolve));
    },
  };
}

/** Some file systems keep the last of their space for root. */
function freeBytes(path: string): number {
  const { bavail, bfree, bsize } = statfsSync(path);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}
