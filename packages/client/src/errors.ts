// The errors of calls without a usable answer. Answers with an error status are in api-errors.ts. No error may contain
// a secret: texts from outside pass through redaction.ts first.
import type { Problem } from './api-types.ts';

export interface ErrorDetails {
  /** `contacts.create`, …; undefined outside of a call. */
  operation?: string | undefined;
  status?: number | undefined;
  error?: Problem | undefined;
  isOutcomeUnknown?: boolean | undefined;
  cause?: unknown;
}

/** Every error of this package is one of these. */
export class RosterError extends Error {
  override name = 'RosterError';
  /** Which operation failed: `contacts.create`, … Undefined when it failed outside of a call. */
  readonly operation: string | undefined;
  /** The status of the answer. Undefined when there was none. */
  readonly status: number | undefined;
  /** The problem document of the answer. Undefined when there was none, or when it did not come from Roster. */
  readonly error: Problem | undefined;
  /** True when a write may or may not have been applied: it was sent, and the answer was lost or said nothing. */
  readonly isOutcomeUnknown: boolean;

  constructor(message: string, { operation, status, error, isOutcomeUnknown, cause }: ErrorDetails = {}) {
    super(operation === undefined ? message : `${operation}: ${message}`, cause === undefined ? undefined : { cause });
    this.operation = operation;
    this.status = status;
    this.error = error;
    this.isOutcomeUnknown = isOutcomeUnknown ?? false;
  }
}

/** The client was used in a way that cannot work. Nothing was sent. */
export class UsageError extends RosterError {
  override name = 'UsageError';
}

/** No answer: the server could not be reached, or the connection broke. `cause` says how. */
export class ConnectionError extends RosterError {
  override name = 'ConnectionError';
}

/** No answer within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/** The caller's `signal` was aborted. `cause` is its reason. The name is the one that the platform uses. */
export class AbortError extends RosterError {
  override name = 'AbortError';
}

/** An answer that Roster never sends: a redirect, or a success without the declared data. */
export class UnexpectedAnswerError extends RosterError {
  override name = 'UnexpectedAnswerError';
  declare readonly status: number;
}

/** A request to the receiver of a webhook did not come from Roster, or it cannot be verified that it did. The message says what to do. */
export class WebhookVerificationError extends RosterError {
  override name = 'WebhookVerificationError';
}
