// What is said when a command fails: one line that says what to do next, and the exit code that goes with it.
import {
  AbortError,
  ApiError,
  AttributeTypeFixedError,
  ConnectionError,
  EmailTakenError,
  EventsExpiredError,
  ForbiddenError,
  LimitReachedError,
  NotFoundError,
  PreconditionFailedError,
  RosterError,
  TagTakenError,
  TimeoutError,
  UnauthorizedError,
  UsageError,
  ValidationError,
} from '@roster/client';
import { CommanderError } from 'commander';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** A failure that a person can mend. The message is a whole sentence and says how. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  /** A word that programs decide by; the API's own where the API refused. */
  readonly code: string;

  constructor(exitCode: ExitCode, message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.exitCode = exitCode;
    this.code = code ?? defaultCodes[exitCode];
  }
}

const defaultCodes: Record<ExitCode, string> = {
  [exitCodes.ok]: 'ok',
  [exitCodes.failed]: 'failed',
  [exitCodes.usage]: 'usage',
  [exitCodes.refused]: 'refused',
  [exitCodes.incomplete]: 'incomplete',
  [exitCodes.interrupted]: 'interrupted',
};

export const usageError = (message: string): CliError => new CliError(exitCodes.usage, message);
export const refusal = (message: string): CliError => new CliError(exitCodes.refused, message);
export const failure = (message: string, cause?: unknown): CliError =>
  new CliError(exitCodes.failed, message, { cause });

/** The same failure, with what to do about it in this command. */
export function withAdvice(error: unknown, advice: string): unknown {
  const explained = explain(error);
  if (explained === undefined) return error;
  const { exitCode, message, code } = explained;
  return new CliError(exitCode, `${message} ${advice}`, { code, cause: error });
}

/** Undefined when it is our own fault: then the stack is worth more than a sentence. */
export function explain(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return usageError(explainUsage(error));
  if (error instanceof RosterError) return explainClient(error);
  if (isSystemError(error)) return failure(explainSystem(error), error);
  return undefined;
}

function explainUsage({ message }: CommanderError): string {
  // Commander suggests the nearest name on a line of its own.
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  return `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?)]$/.test(text) ? '' : '.'} See "roster --help".`;
}

function explainClient(error: RosterError): CliError {
  const { code } = error.error ?? {};
  const said = error.error?.detail ?? error.message;
  const say = (exitCode: ExitCode, message: string) =>
    new CliError(exitCode, message, { ...(code !== undefined && { code }), cause: error });
  if (error instanceof UnauthorizedError) {
    return say(
      exitCodes.refused,
      'The server rejected the secret: it is incorrect, revoked or expired. Check ROSTER_SECRET, or run "roster secret create" for a new one.',
    );
  }
  if (error instanceof ForbiddenError) {
    return say(exitCodes.refused, `${said} To create one, run "roster secret create --permissions".`);
  }
  if (error instanceof EmailTakenError) {
    return say(exitCodes.refused, `${said} To change it, run "roster contacts update ${error.contactId}".`);
  }
  if (error instanceof ValidationError && error.errors.length > 0) {
    return say(
      exitCodes.refused,
      `Invalid input: ${error.errors.map(({ field, message }) => `${field} ${message}`).join('; ')}.`,
    );
  }
  if ([AttributeTypeFixedError, TagTakenError, LimitReachedError].some((kind) => error instanceof kind)) {
    return say(exitCodes.refused, said);
  }
  if (error instanceof PreconditionFailedError) {
    return say(
      exitCodes.refused,
      'The contact has been changed since then, so nothing was done. Run "roster contacts get" to see it, then try again with its updatedAt.',
    );
  }
  if (error instanceof EventsExpiredError) {
    return say(
      exitCodes.refused,
      'The position has expired: the events after it are no longer kept, or the data was restored or moved.',
    );
  }
  if (error instanceof NotFoundError) {
    return say(exitCodes.refused, `${said} Check the id and the bot (--bot or ROSTER_BOT).`);
  }
  if (error instanceof ApiError) return say(exitCodes.failed, error.message);
  if (error instanceof AbortError) return say(exitCodes.interrupted, 'Interrupted.');
  if (error instanceof TimeoutError)
    return say(exitCodes.failed, `The server did not respond in time: ${error.message}.`);
  if (error instanceof ConnectionError) {
    return say(
      exitCodes.failed,
      `Cannot reach the server: ${error.message}. Check that it is running and that the address is correct (--url or ROSTER_URL).`,
    );
  }
  return say(error instanceof UsageError ? exitCodes.usage : exitCodes.failed, error.message);
}

const systemReasons: Record<string, string> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of the path is not a folder',
  EEXIST: 'it already exists',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
};

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function explainSystem({ code = '', path, syscall = '', message }: NodeJS.ErrnoException): string {
  const verb = ['read', 'scandir', 'stat'].includes(syscall) ? 'read' : syscall === 'write' ? 'write' : 'open';
  const reason = systemReasons[code];
  return reason === undefined ? `${message}.` : `Cannot ${verb} ${path ?? 'the file'}: ${reason}.`;
}
