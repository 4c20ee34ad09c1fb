// What SQLite's errors mean to the port: which of them say that the store cannot answer now.
import { DatabaseDamagedError, DiskFullError, StoreUnavailableError } from '../store.ts';

/** SQLite's extended result code, or undefined when the error is not SQLite's. */
function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === 'number' ? code : undefined;
}

/** The low byte of an extended code is the primary one. */
export const primaryCodes = {
  busy: 5,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notADatabase: 26,
} as const;

export function primaryCode(error: unknown): number | undefined {
  const code = sqliteCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** Faults of the disk, the file or another program's lock, not of a statement: the port's error, and its reason. */
const faults = new Map<number | undefined, [typeof StoreUnavailableError, reason: string]>([
  [primaryCodes.busy, [StoreUnavailableError, 'another program has locked the database']],
  [primaryCodes.full, [DiskFullError, 'the disk is full']],
  [primaryCodes.ioError, [StoreUnavailableError, 'the database cannot be read or written']],
  [primaryCodes.corrupt, [DatabaseDamagedError, 'the database is damaged']],
  [primaryCodes.cannotOpen, [StoreUnavailableError, 'the database cannot be opened']],
  [primaryCodes.protocol, [StoreUnavailableError, 'another program has locked the database']],
  [primaryCodes.notADatabase, [DatabaseDamagedError, 'the database is damaged']],
]);

/** A StoreUnavailableError for a busy or failing SQLite; any other error as it is. */
export function mapDriverError(error: unknown, code = primaryCode(error)): unknown {
  const [Kind, reason] = faults.get(code) ?? [];
  return Kind === undefined ? error : new Kind(reason, { cause: error });
}

/** The message with the code, which a message between threads drops. */
export function textOf(error: unknown): string {
  const { message } = error as Error;
  const code = sqliteCode(error);
  return code === undefined ? message : `${message} (SQLite ${code})`;
}

/** An error as a thread reports it: a message between threads keeps neither its class, its code nor its cause. */
export type ThreadError = { error: Error } | { code: number | undefined; cause: string };

export function toThreadError(error: unknown): ThreadError {
  const code = primaryCode(error);
  return faults.has(code) ? { code, cause: textOf(error) } : { error: error as Error };
}

export function fromThreadError(reported: ThreadError): Error {
  if ('error' in reported) return reported.error;
  return mapDriverError(new Error(reported.cause), reported.code) as Error;
}

/** A full disk or another program's lock passes, and what was written before is on the disk. */
export function isTransient(error: unknown): boolean {
  return primaryCode(error) === primaryCodes.full || primaryCode(error) === primaryCodes.busy;
}

/** The file holds what SQLite cannot have written there. */
export function isDamage(error: unknown): boolean {
  return mapDriverError(error) instanceof DatabaseDamagedError;
}
