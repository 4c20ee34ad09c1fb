// The operations on a bot's webhooks, as an organization's server calls them with its secret.
import * as z from 'zod';
import { json, many, one } from './envelopes.ts';
import { limits } from './limits.ts';
import type { Operation } from './operation.ts';
import {
  deliveriesQuerySchema,
  deliveryDetailSchema,
  deliverySchema,
  newWebhookSchema,
  replaySchema,
  retriedSchema,
  testResultSchema,
  webhookChangesSchema,
  webhookCreateSchema,
  webhookSchema,
} from './webhooks.ts';

const webhooks = '/v1/bots/{botId}/webhooks';
const webhook = `${webhooks}/{webhookId}` as const;

/** Whoever can name the receiver can read every contact that changes. */
const changing = ['contacts:read', 'account:write'] as const;

export const webhookOperations = {
  createWebhook: {
    id: 'webhooks.create',
    method: 'POST',
    path: webhooks,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Create a webhook',
    description: `Events from now on are sent to it. A bot has up to ${limits.webhooksPerBot} webhooks.`,
    body: json(webhookCreateSchema),
    audit: 'webhook.create',
    answer: { status: 201, description: 'The new webhook, with its secret.', schema: one(newWebhookSchema) },
    errors: ['limit_reached'],
  },
  listWebhooks: {
    id: 'webhooks.list',
    method: 'GET',
    path: webhooks,
    credentials: ['secret'],
    permissions: ['account:read'],
    summary: 'List the webhooks of a bot',
    answer: { status: 200, description: 'All webhooks, oldest first.', schema: many(webhookSchema) },
  },
  retrieveWebhook: {
    id: 'webhooks.retrieve',
    method: 'GET',
    path: webhook,
    credentials: ['secret'],
    permissions: ['account:read'],
    summary: 'Retrieve a webhook',
    answer: { status: 200, description: 'The webhook.', schema: one(webhookSchema) },
  },
  updateWebhook: {
    id: 'webhooks.update',
    method: 'PATCH',
    path: webhook,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Update a webhook',
    description: 'Fields that are left out keep their value.',
    body: { ...json(webhookChangesSchema), readOnly: Object.keys(webhookSchema.shape) },
    audit: 'webhook.update',
    answer: { status: 200, description: 'The webhook.', schema: one(webhookSchema) },
  },
  deleteWebhook: {
    id: 'webhooks.delete',
    method: 'DELETE',
    path: webhook,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Delete a webhook',
    description: 'What is pending is not sent any more.',
    audit: 'webhook.delete',
    answer: { status: 204, description: 'Deleted.' },
  },
  rotateWebhookSecret: {
    id: 'webhooks.rotate',
    method: 'POST',
    path: `${webhook}/rotate`,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Rotate the secret of a webhook',
    description: 'Messages are signed with both secrets for 24 hours.',
    audit: 'webhook.rotateSecret',
    answer: { status: 200, description: 'The webhook, with its new secret.', schema: one(newWebhookSchema) },
  },
  testWebhook: {
    id: 'webhooks.test',
    method: 'POST',
    path: `${webhook}/test`,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Send a test message to a webhook',
    description:
      'A message of type `webhook.test`, which is not in the feed. It is sent once, also if the webhook is off. If the receiver accepts it, failed deliveries are sent again now.',
    isWrite: false,
    answer: { status: 200, description: 'How the receiver responded.', schema: one(testResultSchema) },
  },
  listDeliveries: {
    id: 'webhooks.deliveries',
    method: 'GET',
    path: `${webhook}/deliveries`,
    credentials: ['secret'],
    permissions: ['account:read'],
    summary: 'List the deliveries of a webhook',
    description: 'Of the last 30 days, newest first.',
    query: deliveriesQuerySchema,
    answer: {
      status: 200,
      description: 'One page and the position of the next.',
      schema: z.strictObject({
        data: z.array(deliverySchema),
        next: z
          .string()
          .nullable()
          .meta({ description: 'Pass it as `before` to get the next page; null on the last page.' }),
      }),
    },
  },
  retrieveDelivery: {
    id: 'webhooks.delivery',
    method: 'GET',
    path: `${webhook}/deliveries/{eventId}`,
    credentials: ['secret'],
    permissions: ['account:read'],
    summary: 'Retrieve a delivery',
    description: 'With its attempts, and the request as it would be sent now.',
    answer: { status: 200, description: 'The delivery.', schema: one(deliveryDetailSchema) },
  },
  retryDelivery: {
    id: 'webhooks.retry',
    method: 'POST',
    path: `${webhook}/deliveries/{eventId}/retry`,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Send an event again',
    description: 'Now, and as often as a new one if it fails.',
    audit: 'webhook.retry',
    answer: { status: 202, description: 'It is pending.', schema: one(deliverySchema) },
  },
  retryFailedDeliveries: {
    id: 'webhooks.retryFailed',
    method: 'POST',
    path: `${webhook}/deliveries/retry-failed`,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Send all failed events again',
    description: 'Those whose deliveries were given up: now, and as often as new ones if they fail.',
    audit: 'webhook.retry',
    answer: { status: 202, description: 'They are pending.', schema: one(retriedSchema) },
  },
  skipDelivery: {
    id: 'webhooks.skip',
    method: 'POST',
    path: `${webhook}/deliveries/{eventId}/skip`,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Skip an event',
    description:
      'Gives up its delivery, so that later events of its contact follow. One that succeeded stays as it is. An attempt in flight still counts if it succeeds.',
    audit: 'webhook.skip',
    answer: { status: 200, description: 'The delivery.', schema: one(deliverySchema) },
  },
  replayEvents: {
    id: 'webhooks.replay',
    method: 'POST',
    path: `${webhook}/replay`,
    credentials: ['secret'],
    permissions: changing,
    summary: 'Send all events after a position again',
    description: 'Messages keep their `webhook-id`.',
    body: json(replaySchema),
    audit: 'webhook.replay',
    answer: { status: 202, description: 'The webhook goes on from this position.', schema: one(webhookSchema) },
    errors: ['events_expired'],
  },
} as const satisfies Record<string, Operation>;
