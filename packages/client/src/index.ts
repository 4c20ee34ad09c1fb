// The public exports of the client.
export {
  ApiError,
  BadRequestError,
  BodyTooLargeError,
  EmailTakenError,
  ForbiddenError,
  HeadersTooLargeError,
  MethodNotAllowedError,
  NotFoundError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
  TooManyContactsError,
  UnauthorizedError,
  UnavailableError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './api-errors.ts';
export type {
  Contact,
  ContactCreate,
  ContactExport,
  ContactIdentity,
  ContactOutcome,
  ContactSearch,
  ContactToken,
  ContactUpdate,
  ContactUpsert,
  DeletedRow,
  ErrorCode,
  FieldError,
  Pagination,
  Problem,
  UpsertRow,
} from './api-types.ts';
export type { ContactTokens } from './contact-tokens.ts';
export type { Contacts, ExportResult, Result, SearchResult } from './contacts.ts';
export {
  AbortError,
  ConnectionError,
  RosterError,
  TimeoutError,
  UnexpectedAnswerError,
  UsageError,
} from './errors.ts';
export { Roster, type RosterOptions } from './roster.ts';
export type { RequestOptions, Retry } from './transport.ts';
export type { Fetch, FetchAnswer, FetchInit } from './try-once.ts';
export type { RowResult, UpsertAllOptions, UpsertAllTotals, UpsertOptions } from './upsert-types.ts';
export { version } from './version.ts';
