// What travels between the command line and a running server: HTTP over a Unix socket in the data folder.
// `GET /` tells who listens; `POST /{operation}` takes the input as JSON and answers with lines of JSON.
import { join, relative } from 'node:path';
import { BackupError, StoreUnavailableError } from '../store/store.ts';
import { OperatorError, type OperatorErrorCode } from './operator.ts';

/** Grows when an older command line could misunderstand a newer server, or the other way round. */
export const protocolVersion = 1;
export const protocolHeader = 'roster-operator-protocol';

export interface Hello {
  service: 'roster';
  protocol: number;
  version: string;
}

/** All but the last line of an answer are progress. */
export type Line =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'answer'; value?: unknown }
  | { kind: 'error'; error: SentError };

export type SentError =
  | { kind: 'operator'; code: OperatorErrorCode; message: string }
  | { kind: 'backup' | 'unavailable' | 'internal'; message: string };

/** The system's own limit is 104 to 108 bytes, and what is longer may be cut off without a word. */
const socketPathBytesMax = 100;

export function socketFile(dataDir: string): string {
  return join(dataDir, 'roster.sock');
}

/**
 * The socket's address for this process: by way of the working folder when that is short enough and the whole path is
 * not. Undefined: it has none, because it is too long or the system has no such sockets.
 */
export function socketAddress(dataDir: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const file = socketFile(dataDir);
  return [file, relative(process.cwd(), file)].find((path) => Buffer.byteLength(path) <= socketPathBytesMax);
}

/** What of an error may be told. Undefined: it is a fault of the server's own. */
export function toSent(error: unknown): SentError | undefined {
  if (error instanceof OperatorError) return { kind: 'operator', code: error.code, message: error.message };
  if (error instanceof BackupError) return { kind: 'backup', message: error.message };
  if (error instanceof StoreUnavailableError) return { kind: 'unavailable', message: error.message };
  return undefined;
}

export function fromSent(error: SentError): Error {
  switch (error.kind) {
    case 'operator':
      return new OperatorError(error.code, error.message);
    case 'backup':
      return new BackupError(error.message);
    case 'unavailable':
      return new StoreUnavailableError(error.message);
    default:
      return new Error(error.message);
  }
}
