// The public exports of the client.
export {
  ApiError,
  AttributeTypeFixedError,
  BadRequestError,
  BodyTooLargeError,
  EmailTakenError,
  EventsExpiredError,
  ForbiddenError,
  HeadersTooLargeError,
  LimitReachedError,
  MethodNotAllowedError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
  TagTakenError,
  TooManyContactsError,
  UnauthorizedError,
  UnavailableError,
  UnsupportedMediaTypeError,
  ValidationError,
} from './api-errors.ts';
export type {
  Contact,
  ContactCreate,
  ContactIdentity,
  ContactInclude,
  ContactOutcome,
  ContactToken,
  ContactUpdate,
  ContactUpsert,
  ContactWith,
  DeletedRow,
  ErrorCode,
  FieldError,
  Including,
  Pagination,
  Problem,
  UpsertRow,
} from './api-types.ts';
export type {
  Attribute,
  AttributeDefinition,
  AttributeType,
  AttributeTypes,
  AttributeValue,
  AttributeValues,
  Tag,
} from './attribute-types.ts';
export type { Attributes } from './attributes.ts';
export type { ContactTokens } from './contact-tokens.ts';
export type { Contacts, ExportResult, SearchOptions, SearchResult, UpsertResult } from './contacts.ts';
export {
  AbortError,
  ConnectionError,
  RosterError,
  TimeoutError,
  UnexpectedAnswerError,
  UsageError,
  WebhookVerificationError,
} from './errors.ts';
export { etagOf, type IfMatch } from './etag.ts';
export type {
  ContactEvent,
  EventActor,
  EventFeed,
  EventFollow,
  EventInclude,
  EventList,
  Events,
  EventsResult,
  EventType,
} from './events.ts';
export type {
  AttributeCondition,
  ContactExport,
  ContactFilter,
  ContactKey,
  ContactSearch,
  ContactSelection,
  ContactSort,
  Range,
  Segment,
  SegmentDefinition,
  TimeRange,
} from './filter-types.ts';
export { Roster, type RosterOptions } from './roster.ts';
export type { SegmentOptions, Segments } from './segments.ts';
export type { Tags } from './tags.ts';
export type { RequestOptions, Result, Retry } from './transport.ts';
export type { Fetch, FetchAnswer, FetchInit } from './try-once.ts';
export type { RowResult, UpsertAllOptions, UpsertAllTotals, UpsertOptions } from './upsert-types.ts';
export { verifyWebhook, type WebhookBody, type WebhookHeaders } from './verify-webhook.ts';
export { version } from './version.ts';
export type {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryStatus,
  NewWebhook,
  Webhook,
  WebhookChanges,
  WebhookCreate,
  WebhookMessage,
  WebhookTest,
} from './webhook-types.ts';
export type { DeliveriesResult, Webhooks } from './webhooks.ts';
