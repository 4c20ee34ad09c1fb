// Why the operator's request was not fulfilled, as the command line meets it. Problem documents become errors only here.
import type { ErrorCode, Problem } from '@roster/contract';
import { StoreUnavailableError } from '../store/store.ts';

/** What the operator asked for is refused. The message says why, for a person, in one line. */
export class OperatorError extends Error {
  override name = 'OperatorError';
  /** The API's own, or `refused` where the API was not asked. */
  readonly code: ErrorCode | 'refused';

  constructor(code: OperatorError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function errorOf({ code, detail, errors = [] }: Problem): Error {
  if (code === 'unavailable') return new StoreUnavailableError(detail);
  if (code === 'internal') return new Error(detail);
  const faults = errors.map(({ field, message }) => `${field} ${message}`);
  return new OperatorError(code, faults.length > 0 ? `${faults.join('; ')}.` : detail);
}
