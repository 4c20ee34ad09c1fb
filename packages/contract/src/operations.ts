// The list of operations: method, path, credentials, input and answers of each. The server mounts exactly these, the
// OpenAPI document describes those of the public listener, and the credential tests are generated from them.
import * as z from 'zod';
import { accountOperations } from './account-operations.ts';
import { attributeOperations } from './attribute-operations.ts';
import { consoleOperations } from './console-operations.ts';
import { contactOperations } from './contact-operations.ts';
import { contactIdentitySchema, contactTokenSchema, visitorSchema } from './contact-token.ts';
import { eventOperations } from './event-operations.ts';
import { guideOperations } from './guide-operations.ts';
import type { Credential, Operation } from './operation.ts';
import { operatorOperations } from './operator-operations.ts';
import { segmentOperations } from './segment-operations.ts';
import { webhookOperations } from './webhook-operations.ts';
import { widgetIntegritySchema, widgetSettingsSchema } from './widget.ts';

const identityBody = {
  schema: contactIdentitySchema,
  media: ['json', 'form', 'multipart'],
  numbers: ['expiresIn'],
} as const;
const wrappedToken = {
  status: 200,
  description: 'The contact token.',
  schema: z.strictObject({ data: contactTokenSchema }),
} as const;

export const operations = {
  ...contactOperations,
  ...attributeOperations,
  ...segmentOperations,
  ...eventOperations,
  ...webhookOperations,
  authenticateContact: {
    id: 'auth.contact',
    method: 'POST',
    path: '/v1/bots/{botId}/auth/contact',
    credentials: ['secret'],
    permissions: ['tokens:write'],
    summary: 'Exchange a contact for a contact token',
    description:
      'The token is valid for one year, unless `expiresIn` or the bot’s settings say less. A contact can have several.',
    body: identityBody,
    answer: {
      status: 200,
      description: 'The contact token, not wrapped.',
      schema: contactTokenSchema,
    },
  },
  tokenizeContact: {
    id: 'auth.contacts.tokenize',
    method: 'PUT',
    path: '/v1/bots/{botId}/auth/contacts',
    credentials: ['secret'],
    permissions: ['tokens:write'],
    summary: 'Exchange a contact for a contact token (wrapped)',
    body: identityBody,
    answer: wrappedToken,
  },
  tokenizeContactByPost: {
    id: 'auth.contacts.tokenizeByPost',
    method: 'POST',
    path: '/v1/bots/{botId}/auth/contacts',
    credentials: ['secret'],
    permissions: ['tokens:write'],
    summary: 'Exchange a contact for a contact token (wrapped, by POST)',
    body: identityBody,
    answer: wrappedToken,
  },
  revokeContactToken: {
    id: 'auth.contacts.revoke',
    method: 'DELETE',
    path: '/v1/bots/{botId}/auth/contacts/{token}',
    credentials: ['secret'],
    permissions: ['tokens:write'],
    summary: 'Revoke a contact token',
    answer: { status: 204, description: 'The token no longer works.' },
  },
  identifyVisitor: {
    id: 'auth.visitor',
    method: 'GET',
    path: '/v1/bots/{botId}/auth/contact',
    credentials: ['contactToken'],
    summary: 'Identify the visitor',
    description: 'Called by the widget, with the contact token as bearer token.',
    isCrossOrigin: true,
    answer: { status: 200, description: 'The visitor.', schema: z.strictObject({ data: visitorSchema }) },
  },
  retrieveWidget: {
    id: 'widget.retrieve',
    method: 'GET',
    path: '/v1/bots/{botId}/widget',
    credentials: ['public'],
    summary: 'Public settings of a bot’s widget',
    isCrossOrigin: true,
    answer: { status: 200, description: 'The settings.', schema: z.strictObject({ data: widgetSettingsSchema }) },
  },
  readWidgetScript: {
    id: 'widget.script',
    method: 'GET',
    path: '/widget.js',
    credentials: ['public'],
    summary: 'The widget’s script',
    description:
      'The script reads `bot` and, if the visitor is known, `token` from the query of its own URL; the server ignores both.',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetModule: {
    id: 'widget.module',
    method: 'GET',
    path: '/widget.mjs',
    credentials: ['public'],
    summary: 'The same script, for loaders that expect this name',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetVersion: {
    id: 'widget.versionedScript',
    method: 'GET',
    path: '/widget/{version}/widget.js',
    credentials: ['public'],
    summary: 'One version of the widget’s script, which never changes',
    description: 'For script tags with `integrity`. A server has only its current version.',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetIntegrity: {
    id: 'widget.integrity',
    method: 'GET',
    path: '/widget/integrity.json',
    credentials: ['public'],
    summary: 'URL and hash of the current widget script',
    answer: {
      status: 200,
      description: 'URL and hash for a script tag with `integrity`.',
      schema: z.strictObject({ data: widgetIntegritySchema }),
    },
  },
  ...accountOperations,
  ...consoleOperations,
  ...operatorOperations,
  checkHealth: {
    id: 'service.health',
    method: 'GET',
    path: '/healthz',
    credentials: ['public'],
    summary: 'Is the process alive?',
    answer: { status: 200, description: 'It is alive.', schema: z.strictObject({ status: z.literal('ok') }) },
  },
  checkReadiness: {
    id: 'service.ready',
    method: 'GET',
    path: '/readyz',
    credentials: ['public'],
    summary: 'Is the process ready? 503 if the database does not respond or is damaged, or the server is stopping.',
    answer: {
      status: 200,
      description: 'It is ready. `mode` is there while the disk is full: reads work, and writes get 503.',
      schema: z.strictObject({ status: z.literal('ready'), mode: z.literal('read-only').optional() }),
    },
  },
  readMetrics: {
    id: 'service.metrics',
    method: 'GET',
    path: '/metrics',
    credentials: ['metrics'],
    summary: 'Metrics in Prometheus format',
    description:
      'With `ROSTER_METRICS_TOKEN` as bearer token. Not needed on a server that only listens on the loopback interface.',
    answer: { status: 200, description: 'The metrics.', mediaType: 'text/plain' },
  },
  readSecurityText: {
    id: 'service.securityText',
    method: 'GET',
    path: '/.well-known/security.txt',
    credentials: ['public'],
    summary: 'Where to report a vulnerability',
    description: 'RFC 9116. Only if `ROSTER_SECURITY_CONTACT` is set.',
    answer: { status: 200, description: 'The contact.', mediaType: 'text/plain' },
    errors: ['not_found'],
  },
  readOpenApi: {
    id: 'service.openapi',
    method: 'GET',
    path: '/openapi.json',
    credentials: ['public'],
    summary: 'This document',
    answer: {
      status: 200,
      description: 'OpenAPI 3.1.',
      schema: z.looseObject({ openapi: z.string() }),
      mediaType: 'application/json',
      isRevalidated: true,
    },
  },
  readReference: {
    id: 'service.docs',
    method: 'GET',
    path: '/docs',
    credentials: ['public'],
    summary: 'The API reference',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
  readReferenceScript: {
    id: 'service.docsScript',
    method: 'GET',
    path: '/docs/reference.js',
    credentials: ['public'],
    summary: 'The script of the API reference',
    answer: { status: 200, description: 'A script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  ...guideOperations,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The operations of a listener: those that take at least one of the credentials that it accepts. */
export function operationsFor(accepted: readonly Credential[]): [OperationName, Operation][] {
  return (Object.entries(operations) as [OperationName, Operation][]).filter(([, { credentials }]) =>
    credentials.some((credential) => accepted.includes(credential)),
  );
}
