// What SQLite's errors mean to the port: which of them say that the store cannot answer now.
import { StoreUnavailableError } from '../store.ts';

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

/** Faults of the disk, the file or another program's lock, not of a statement. */
const reasons = new Map<number | undefined, string>([
  [primaryCodes.busy, 'another program has locked the database'],
  [primaryCodes.full, 'the disk is full'],
  [primaryCodes.ioError, 'the database cannot be read or written'],
  [primaryCodes.corrupt, 'the database is damaged'],
  [primaryCodes.cannotOpen, 'the database cannot be opened'],
  [primaryCodes.protocol, 'another program has locked the database'],
  [primaryCodes.notADatabase, 'the database is damaged'],
]);

/** A StoreUnavailableError for a busy or failing SQLite; any other error as it is. */
export function mapDriverError(error: unknown): unknown {
  const reason = reasons.get(primaryCode(error));
  return reason === undefined ? error : new StoreUnavailableError(reason, { cause: error });
}

/** The message with the code, which a message between threads drops. */
export function textOf(error: unknown): string {
  const { message } = error as Error;
  const code = sqliteCode(error);
  return code === undefined ? message : `${message} (SQLite ${code})`;
}

/** An error as a thread reports it: a message between threads keeps neither its class nor its cause. */
export type ThreadError = { error: Error } | { unavailable: string; cause: string };

export function toThreadError(error: unknown): ThreadError {
  const reason = reasons.get(primaryCode(error));
  if (reason === undefined) return { error: error as Error };
  return { unavailable: reason, cause: textOf(error) };
}

export function fromThreadError(reported: ThreadError): Error {
  if ('error' in reported) return reported.error;
  return new StoreUnavailableError(reported.unavailable, { cause: new Error(reported.cause) });
}

/** A full disk or another program's lock passes, and what was written before is on the disk. */
export function isTransient(error: unknown): boolean {
  return primaryCode(error) === primaryCodes.full || primaryCode(error) === primaryCodes.busy;
}
