// What an error of the driver or the database means for the caller. Decides by SQLSTATE, never by the name of a
// constraint, which differs between shards.
import pg from 'pg';
import { DiskFullError, StoreUnavailableError } from '../store.ts';

/** The connection broke, or there was none. The statement may have been carried out, or not. */
export class LostConnectionError extends StoreUnavailableError {}

/**
 * A node behind the database was lost, such as a worker of Citus; our own connection lives. The transaction was rolled
 * back, unless this is the answer to its COMMIT.
 */
export class LostNodeError extends StoreUnavailableError {}

/** The transaction conflicted with another and was rolled back: it may be tried again at once. */
export class ConflictError extends StoreUnavailableError {}

/** Under the lock of its bot only somebody outside of Roster can take a key meanwhile; the retry reads again and decides anew. */
export function asConflict(error: unknown): unknown {
  const isTaken = (error as { code?: string }).code === '23505';
  return isTaken ? new ConflictError('a key was taken', { cause: error }) : error;
}

/** Whether a COMMIT that failed so may have been carried out: a node that was lost or slow may have been told to commit. */
export function isCommitUnknown(error: unknown): boolean {
  return error instanceof StoreUnavailableError && !(error instanceof ConflictError);
}

const outOfReach = 'the database is unreachable';
const busy = 'the database is busy';

type ErrorClass = new (message: string, options: ErrorOptions) => StoreUnavailableError;

/**
 * What Citus reports as XX000 when a worker is lost: texts of libpq, which tell why a result has no SQLSTATE, and its own.
 * They are in English when lc_messages is C, which citus.sql sets.
 */
const lostNodeTexts = [
  'server closed the connection unexpectedly',
  'SSL SYSCALL error',
  'SSL connection has been closed unexpectedly',
  'could not receive data from server',
  'could not send data to server',
  'no connection to the server',
  'connection not open',
  'connection to the remote node',
  'failure on connection marked as essential',
  'failed to prepare transaction',
  'could not commit transaction for shard',
];

/** The context that Citus adds to an error of a worker. */
const nodeContext = 'while executing command on ';

/**
 * An error that ends our own connection is FATAL or PANIC. One that comes as ERROR over a connection that lives is about a
 * connection behind it. 25006 is an ERROR of either, and told apart by its context.
 */
function isOfNode({ severity, code = '', message, where = '' }: pg.DatabaseError): boolean {
  if (severity !== 'ERROR') return false;
  if (code === '25006') return where.includes(nodeContext);
  if (code === 'XX000') return lostNodeTexts.some((text) => message.includes(text));
  return /^(08|57P0|53300)/.test(code);
}

/** The first pattern that matches the SQLSTATE decides. Other errors are faults of a statement, and stay as they are. */
const byState: [pattern: RegExp, mapped: ErrorClass, message: string][] = [
  // 57P0x: shutting down or starting; 25006: the primary has become a standby; 53300: no connection left.
  [/^(08|57P0|25006|53300)/, LostConnectionError, outOfReach],
  [/^(40001|40P01)/, ConflictError, busy],
  [/^53100/, DiskFullError, 'the disk is full'],
  // Too little memory, a timeout, a lock that was not to be had.
  [/^(53|57014|55P03|25P0[34]|58)/, StoreUnavailableError, busy],
  // The user, the password or the database is wrong.
  [/^(28|3D000)/, StoreUnavailableError, outOfReach],
];

/** In these the database quotes rows and parameters, and so the data of contacts. Errors are logged. */
const quotingMembers = ['detail', 'hint', 'where', 'internalQuery'] as const;
/** What is wrong with a value, with the value: 22P02 is `invalid input syntax for type integer: "jane"`. */
const quotingState = /^22/;

/** The code, the table and the constraint stay, and tell what went wrong. */
function withoutData(error: pg.DatabaseError): pg.DatabaseError {
  for (const member of quotingMembers) delete error[member];
  const { message, code = '', stack = '' } = error;
  if (quotingState.test(code)) {
    error.message = 'the database rejected a value';
    error.stack = stack.replace(message, error.message);
  }
  return error;
}

/** The driver's own text, which names the database's address, stays in `cause`. */
export function mapDriverError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || error instanceof TypeError || error instanceof RangeError) return error;
  const isLostNode = error instanceof pg.DatabaseError && isOfNode(error);
  if (error instanceof pg.DatabaseError) withoutData(error);
  const { code = '', message } = error as Error & { code?: string };
  // The text of pg-pool for "all connections are in use, and none became free in time".
  if (message === 'timeout exceeded when trying to connect') {
    return new StoreUnavailableError('too many requests are waiting for a database connection', { cause: error });
  }
  if (!(error instanceof pg.DatabaseError)) {
    // A certificate that is not trusted will not be so at the next try either.
    const isRefused = /^(ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code) || /support SSL/.test(message);
    return new (isRefused ? StoreUnavailableError : LostConnectionError)(outOfReach, { cause: error });
  }
  if (isLostNode) return new LostNodeError('a database node is unreachable', { cause: error });
  const [, mapped, text] = byState.find(([pattern]) => pattern.test(code)) ?? [];
  return mapped === undefined ? error : new mapped(text as string, { cause: error });
}
