// Public face of the contract: the one truth about Roster's API.
export * from './account.ts';
export * from './attribute-values.ts';
export * from './attributes.ts';
export * from './channels.ts';
export * from './contact.ts';
export * from './contact-token.ts';
export * from './dates.ts';
export * from './email-key.ts';
export * from './errors.ts';
export * from './event-position.ts';
export * from './events.ts';
export * from './filter-values.ts';
export * from './filters.ts';
export * from './ids.ts';
export * from './limits.ts';
export type {
  AttributeOperationName,
  ContactOperationName,
  EventOperationName,
  SegmentOperationName,
  WebhookOperationName,
} from './member-contact-operations.ts';
export * from './names.ts';
export * from './openapi.ts';
export * from './operation.ts';
export * from './operations.ts';
export { type OperatorAccountName, operatorAccountNames } from './operator-account-operations.ts';
export * from './operator-operations.ts';
export * from './overview.ts';
export * from './paging.ts';
export * from './permissions.ts';
export * from './segments.ts';
export * from './tags.ts';
export * from './tenants.ts';
export * from './webhooks.ts';
export * from './widget.ts';
