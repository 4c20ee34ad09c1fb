// The operations that the client calls: method, path and success status as in the contract (contract.test.ts compares
// them), and whether each may be retried.

/**
 * The effect of a request, which decides whether it is retried when the outcome of a try is unknown:
 *
 * - `read`: changes nothing, so it is retried.
 * - `repeatable`: idempotent, so it is retried.
 * - `removal`: idempotent, so it is retried; "not found" after a try with unknown outcome is a success.
 * - `once`: not retried. If the first try was applied, a second one would conflict with it and report a failure.
 */
export type Effect = 'read' | 'repeatable' | 'removal' | 'once';

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the bot, with `{name}` for a path parameter. */
  readonly path: string;
  /** The status of success. Any other 2xx did not come from Roster. */
  readonly success: 200 | 201 | 202 | 204;
  /** The status of success when what the request names existed before. */
  readonly changed?: 200;
  readonly effect: Effect;
}

export const operations = {
  createContact: { id: 'contacts.create', method: 'PUT', path: '/contacts', success: 201, effect: 'once' },
  upsertContacts: { id: 'contacts.upsert', method: 'PATCH', path: '/contacts', success: 200, effect: 'repeatable' },
  searchContacts: { id: 'contacts.search', method: 'POST', path: '/contacts', success: 200, effect: 'read' },
  retrieveContact: {
    id: 'contacts.retrieve',
    method: 'GET',
    path: '/contacts/{contactId}',
    success: 200,
    effect: 'read',
  },
  updateContact: {
    id: 'contacts.update',
    method: 'PATCH',
    path: '/contacts/{contactId}',
    success: 200,
    effect: 'repeatable',
  },
  deleteContact: {
    id: 'contacts.delete',
    method: 'DELETE',
    path: '/contacts/{contactId}',
    success: 204,
    effect: 'removal',
  },
  // What a first try with unknown outcome deleted, a second one finds gone.
  deleteContacts: {
    id: 'contacts.deleteMany',
    method: 'POST',
    path: '/contacts/delete',
    success: 200,
    effect: 'repeatable',
  },
  exportContacts: { id: 'contacts.export', method: 'GET', path: '/export', success: 200, effect: 'read' },
  // A retry issues a second token. The first was lost with the answer and cannot be used: the server stores its hash
  // only.
  tokenizeContact: {
    id: 'auth.contacts.tokenize',
    method: 'PUT',
    path: '/auth/contacts',
    success: 200,
    effect: 'repeatable',
  },
  revokeContactToken: {
    id: 'auth.contacts.revoke',
    method: 'DELETE',
    path: '/auth/contacts/{token}',
    success: 204,
    effect: 'removal',
  },
  listAttributes: { id: 'attributes.list', method: 'GET', path: '/attributes', success: 200, effect: 'read' },
  // After a lost answer, a second try finds what the first one defined: 200 instead of 201.
  defineAttribute: {
    id: 'attributes.define',
    method: 'PUT',
    path: '/attributes/{key}',
    success: 201,
    changed: 200,
    effect: 'repeatable',
  },
  retrieveAttribute: {
    id: 'attributes.retrieve',
    method: 'GET',
    path: '/attributes/{key}',
    success: 200,
    effect: 'read',
  },
  deleteAttribute: {
    id: 'attributes.delete',
    method: 'DELETE',
    path: '/attributes/{key}',
    success: 204,
    effect: 'removal',
  },
  listTags: { id: 'tags.list', method: 'GET', path: '/tags', success: 200, effect: 'read' },
  // A second try would not find the tag that the first one renamed.
  renameTag: { id: 'tags.rename', method: 'PATCH', path: '/tags/{tag}', success: 200, effect: 'once' },
  deleteTag: { id: 'tags.delete', method: 'DELETE', path: '/tags/{tag}', success: 204, effect: 'removal' },
  listSegments: { id: 'segments.list', method: 'GET', path: '/segments', success: 200, effect: 'read' },
  defineSegment: {
    id: 'segments.define',
    method: 'PUT',
    path: '/segments/{key}',
    success: 201,
    changed: 200,
    effect: 'repeatable',
  },
  retrieveSegment: { id: 'segments.retrieve', method: 'GET', path: '/segments/{key}', success: 200, effect: 'read' },
  listEvents: { id: 'events.list', method: 'GET', path: '/events', success: 200, effect: 'read' },
  deleteSegment: { id: 'segments.delete', method: 'DELETE', path: '/segments/{key}', success: 204, effect: 'removal' },
  listWebhooks: { id: 'webhooks.list', method: 'GET', path: '/webhooks', success: 200, effect: 'read' },
  // A second try would create a second webhook.
  createWebhook: { id: 'webhooks.create', method: 'POST', path: '/webhooks', success: 201, effect: 'once' },
  retrieveWebhook: {
    id: 'webhooks.retrieve',
    method: 'GET',
    path: '/webhooks/{webhookId}',
    success: 200,
    effect: 'read',
  },
  updateWebhook: {
    id: 'webhooks.update',
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    success: 200,
    effect: 'repeatable',
  },
  deleteWebhook: {
    id: 'webhooks.delete',
    method: 'DELETE',
    path: '/webhooks/{webhookId}',
    success: 204,
    effect: 'removal',
  },
  // A second try would retire the secret that receivers know: only the latest two sign.
  rotateWebhookSecret: {
    id: 'webhooks.rotate',
    method: 'POST',
    path: '/webhooks/{webhookId}/rotate',
    success: 200,
    effect: 'once',
  },
  // A retry sends a second test message.
  testWebhook: {
    id: 'webhooks.test',
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    success: 200,
    effect: 'repeatable',
  },
  listDeliveries: {
    id: 'webhooks.deliveries',
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    success: 200,
    effect: 'read',
  },
  retrieveDelivery: {
    id: 'webhooks.delivery',
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries/{eventId}',
    success: 200,
    effect: 'read',
  },
  // Receivers get messages at least once, so that those which a retry sends again are nothing new to them.
  retryDelivery: {
    id: 'webhooks.retry',
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{eventId}/retry',
    success: 202,
    effect: 'repeatable',
  },
  retryFailedDeliveries: {
    id: 'webhooks.retryFailed',
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/retry-failed',
    success: 202,
    effect: 'repeatable',
  },
  skipDelivery: {
    id: 'webhooks.skip',
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{eventId}/skip',
    success: 200,
    effect: 'repeatable',
  },
  replayEvents: {
    id: 'webhooks.replay',
    method: 'POST',
    path: '/webhooks/{webhookId}/replay',
    success: 202,
    effect: 'repeatable',
  },
} as const satisfies Record<string, Operation>;

/** Limits of the contract that batches and page walks depend on. contract.test.ts compares them. */
export const limits = { contactsPerUpsert: 1000, pageSizeMax: 100 } as const;
