// An error of the API, with what is sent of it. Its `cause` is logged and never sent.
import { type ErrorCode, errorCodes, type FieldError, limits, type Problem, type Role } from '@roster/contract';

/** Members that only some problems have. */
type ProblemExtras = Pick<Problem, 'contactId' | 'errors' | 'next' | 'organizations' | 'permission'>;

/** What is sent instead of the problem document, for somebody to read. */
export interface ErrorPage {
  body: Buffer;
  headers: Record<string, string>;
}

export interface ApiErrorExtras extends ProblemExtras {
  headers?: Record<string, string>;
  page?: ErrorPage;
  cause?: unknown;
}

export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;
  readonly page: ErrorPage | undefined;
  readonly #extras: ProblemExtras;

  constructor(code: ErrorCode, detail: string, { headers = {}, page, cause, ...extras }: ApiErrorExtras = {}) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.headers = headers;
    this.page = page;
    this.#extras = extras;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  toProblem(requestId: string): Problem {
    const { status, title } = errorCodes[this.code];
    const { code, message: detail } = this;
    const { errors, ...extras } = this.#extras;
    return {
      type: 'about:blank',
      ...{ title, status, code, detail, requestId, ...extras },
      ...(errors && { errors: errors.slice(0, limits.faultsReported) }),
      ...(hasMore(errors) && { errorsTruncated: true }),
    };
  }
}

/** Whether there are more faults than are reported, so that a caller can stop collecting them. */
export function hasMore(errors: readonly FieldError[] | undefined): boolean {
  return (errors?.length ?? 0) > limits.faultsReported;
}

const reportedInDetail = 3;
/** Longer than every name of ours. A longer one is the caller's own text, and may be as long as a body. */
const fieldLengthMax = 200;

/** Validation failures: up to a hundred in `errors`, the first few in words. */
export function invalidRequest(faults: readonly FieldError[]): ApiError {
  const errors = faults.map((fault) => ({ ...fault, field: shortened(fault.field) }));
  const listed = errors.slice(0, reportedInDetail).map(({ index, field, message }) => {
    return `${index === undefined ? '' : `item ${index}: `}${field} ${message}`;
  });
  if (hasMore(errors)) listed.push('and many more');
  else if (errors.length > listed.length) listed.push(`and ${errors.length - listed.length} more`);
  return new ApiError('invalid_request', `Invalid request: ${listed.join('; ')}.`, { errors });
}

function shortened(field: string): string {
  return field.length <= fieldLengthMax ? field : `${field.slice(0, fieldLengthMax).toWellFormed()}…`;
}

/** The same for every reason, so that a guesser learns nothing from it. */
export function unauthorized(headers: Record<string, string> = {}): ApiError {
  const detail = 'The credential is missing or invalid. Send Authorization: Bearer <token>.';
  return new ApiError('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer', ...headers } });
}

/** For operations that take a session. The scheme is our own: browsers ask for no password because of it. */
export function signedOut(headers: Record<string, string> = {}): ApiError {
  return new ApiError('unauthorized', 'You are not signed in, or your session has ended. Sign in again.', {
    headers: { 'www-authenticate': 'Session', ...headers },
  });
}

export function forbidden(detail: string): ApiError {
  return new ApiError('forbidden', detail);
}

/** For a member whose role does not reach. */
export function roleNeeded(role: Role): ApiError {
  const detail =
    role === 'owner'
      ? 'Only owners of the organization can do this. Ask an owner.'
      : 'Viewers can’t make changes. Ask an owner of the organization for the member role.';
  return new ApiError('forbidden', detail, { permission: role });
}

export function passwordRequired(): ApiError {
  return new ApiError(
    'password_required',
    'Confirm your password with POST /v1/account/session/confirm, then repeat the request.',
  );
}

export function unavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', `The service is unavailable: ${reason}. Try again shortly.`, {
    headers: { 'retry-after': '1' },
    cause,
  });
}

/** The header is for programs: without it, `unavailable` says that nothing was done. */
export function outcomeUnknown(reason: string, cause: unknown): ApiError {
  return new ApiError(
    'unavailable',
    `The service is unavailable: ${reason}. The change may or may not have been made. Check before you try again.`,
    { headers: { 'retry-after': '1', 'roster-outcome': 'unknown' }, cause },
  );
}

/** The same for a bot that does not exist and one of another organization. */
export function noSuchBot(): ApiError {
  return new ApiError('not_found', 'There is no bot with this id in your organization.');
}

export function noSuchAttribute(): ApiError {
  return new ApiError('not_found', 'This bot has no such attribute.');
}

export function noSuchTag(): ApiError {
  return new ApiError('not_found', 'This bot has no such tag.');
}

export function noSuchSegment(): ApiError {
  return new ApiError('not_found', 'This bot has no such segment.');
}

export function noSuchWebhook(): ApiError {
  return new ApiError('not_found', 'This bot has no such webhook.');
}

export function noSuchDelivery(): ApiError {
  return new ApiError('not_found', 'This webhook has no such delivery.');
}

export function noSuchContact(): ApiError {
  return new ApiError('not_found', 'This bot has no such contact.');
}
