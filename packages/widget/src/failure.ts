// Why something did not work, as pages are told: a code for programs and a sentence for people.
import type { RosterError, RosterErrorCode } from '../types/roster.d.ts';

export class Failure extends Error implements RosterError {
  override readonly name = 'RosterError';
  readonly code: RosterErrorCode;

  constructor(code: RosterErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Anything can be thrown by a browser or a page; what is not ours means that the service was out of reach. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('unreachable', String((error as Error | undefined)?.message));
}
