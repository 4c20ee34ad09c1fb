// Why the operator's request was not fulfilled, as the commands meet it. It must not load the server's entry.
import type { ErrorCode } from '@roster/contract';

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
