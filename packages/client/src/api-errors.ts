// The error classes of responses with an error status: one for each status, and a subclass for each `code` that a
// program may need to handle separately.
import type { ErrorCode, FieldError, Problem } from './api-types.ts';
import { RosterError } from './errors.ts';

export interface ApiErrorDetails {
  operation: string;
  status: number;
  error: Problem | undefined;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  isOutcomeUnknown: boolean;
}

/** The server refused the request. `error` is its problem document, unless a proxy answered in its place. */
export class ApiError extends RosterError {
  override name = 'ApiError';
  declare readonly status: number;
  /** Stable: branch on this, or on the class. Undefined when the answer did not come from Roster. */
  readonly code: Problem['code'] | undefined;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(details: ApiErrorDetails) {
    const { status, error, requestId } = details;
    const summary = error === undefined ? `${status}, and the answer is not Roster's` : `${status} ${error.code}`;
    const reason = error === undefined ? '. Is something else in between?' : `: ${error.detail}`;
    super(`${summary}${reason}${requestId === undefined ? '' : ` (request ${requestId})`}`, details);
    this.code = error?.code;
    this.requestId = requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}

/** `invalid_request`: `errors` lists every invalid field. */
export class ValidationError extends BadRequestError {
  override name = 'ValidationError';
  /** Every invalid field. `index` is the position of the item in an upsert. */
  readonly errors: readonly FieldError[];

  constructor(details: ApiErrorDetails) {
    super(details);
    this.errors = details.error?.errors ?? [];
  }
}

/** `email_taken`: another contact of the bot has this email. */
export class EmailTakenError extends BadRequestError {
  override name = 'EmailTakenError';
  /** The contact that has the email. */
  readonly contactId: string;

  constructor(details: ApiErrorDetails & { error: Problem & { contactId: string } }) {
    super(details);
    this.contactId = details.error.contactId;
  }
}

/** `too_many_contacts`: an upsert takes 1000 at most. `contacts.upsertAll` takes any number. */
export class TooManyContactsError extends BadRequestError {
  override name = 'TooManyContactsError';
}

/** `attribute_type_fixed`: the attribute exists with another type, which never changes. */
export class AttributeTypeFixedError extends BadRequestError {
  override name = 'AttributeTypeFixedError';
}

/** `tag_taken`: another tag of the bot has this name. */
export class TagTakenError extends BadRequestError {
  override name = 'TagTakenError';
}

/** `limit_reached`: the bot has as many attributes, tags or segments as it may have. */
export class LimitReachedError extends BadRequestError {
  override name = 'LimitReachedError';
}

/** The secret is wrong, revoked or expired. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
}

/** The secret lacks a permission. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
  /** What is missing: `contacts:write`, for example. Undefined when the answer did not come from Roster. */
  readonly permission: string | undefined;

  constructor(details: ApiErrorDetails) {
    super(details);
    this.permission = details.error?.permission;
  }
}

/** There is no such bot, contact, token, attribute, tag or segment, or it belongs to another organization. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

export class MethodNotAllowedError extends ApiError {
  override name = 'MethodNotAllowedError';
}

/** The request did not reach the server in time. Nothing was done. */
export class RequestTimeoutError extends ApiError {
  override name = 'RequestTimeoutError';
}

/**
 * `events_expired`: the position in the feed is older than the events that the server keeps, or its data was restored or moved.
 * Keep `next`, walk all contacts, then go on from `next`.
 */
export class EventsExpiredError extends ApiError {
  override name = 'EventsExpiredError';
  /** The end of the feed. */
  readonly next: string;

  constructor(details: ApiErrorDetails & { error: Problem & { next: string } }) {
    super(details);
    this.next = details.error.next;
  }
}

/** `precondition_failed`: the contact is another version than `ifMatch` names. Retrieve it, and decide anew. */
export class PreconditionFailedError extends ApiError {
  override name = 'PreconditionFailedError';
}

export class BodyTooLargeError extends ApiError {
  override name = 'BodyTooLargeError';
}

export class UnsupportedMediaTypeError extends ApiError {
  override name = 'UnsupportedMediaTypeError';
}

/** Too many requests; `retryAfterMs` is how long to wait before the next one. */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError';
}

/** The address is too long, which happens with very long search texts. */
export class HeadersTooLargeError extends ApiError {
  override name = 'HeadersTooLargeError';
}

/** Any status of 500 or more. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

/** The server is overloaded or stopping, or cannot reach its storage. See `isOutcomeUnknown` for a write. */
export class UnavailableError extends ServerError {
  override name = 'UnavailableError';
}

type ApiErrorClass = new (details: ApiErrorDetails) => ApiError;

/** Codes with a class of their own. Any other code gets the class of its status. */
const classesByCode: Partial<Record<ErrorCode, ApiErrorClass>> = {
  invalid_request: ValidationError,
  too_many_contacts: TooManyContactsError,
  attribute_type_fixed: AttributeTypeFixedError,
  tag_taken: TagTakenError,
  limit_reached: LimitReachedError,
};

const classesByStatus: Record<number, ApiErrorClass> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: RequestTimeoutError,
  412: PreconditionFailedError,
  413: BodyTooLargeError,
  415: UnsupportedMediaTypeError,
  429: RateLimitedError,
  431: HeadersTooLargeError,
  503: UnavailableError,
};

export function makeApiError(details: ApiErrorDetails): ApiError {
  const { status, error } = details;
  if (error?.code === 'email_taken' && error.contactId !== undefined) {
    return new EmailTakenError({ ...details, error: { ...error, contactId: error.contactId } });
  }
  if (error?.code === 'events_expired' && error.next !== undefined) {
    return new EventsExpiredError({ ...details, error: { ...error, next: error.next } });
  }
  const byCode = error === undefined ? undefined : classesByCode[error.code as ErrorCode];
  const Class = byCode ?? classesByStatus[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Class(details);
}
