// An error as the page gets it: a code for programs and a message for developers.
import type { RosterError, RosterErrorCode } from '../types/roster.d.ts';

export class Failure extends Error implements RosterError {
  override readonly name = 'RosterError';
  readonly code: RosterErrorCode;

  constructor(code: RosterErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Browsers and pages may throw anything; whatever is not a Failure means that the service is unreachable. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('unreachable', String((error as Error | undefined)?.message));
}
