// The list of operations: method, path, credentials, input and answers of each. The server mounts exactly these, the
// OpenAPI document describes those of the public listener, and the credential tests are generated from them.
import { z } from 'zod';
import { accountOperations } from './account-operations.ts';
import { attributeOperations } from './attribute-operations.ts';
import { consoleOperations } from './console-operations.ts';
import { contactOperations } from './contact-operations.ts';
import { contactIdentitySchema, contactTokenSchema, visitorSchema } from './contact-token.ts';
import type { Credential, Operation } from './operation.ts';
import { operatorOperations } from './operator-operations.ts';
import { segmentOperations } from './segment-operations.ts';
import { widgetIntegritySchema, widgetSettingsSchema } from './widget.ts';

const identityBody = { schema: contactIdentitySchema, media: ['json', 'form', 'multipart'] } as const;
const wrappedToken = {
  status: 200,
  description: 'The contact token.',
  schema: z.strictObject({ data: contactTokenSchema }),
} as const;

export const operations = {
  ...contactOperations,
  ...attributeOperations,
  ...segmentOperations,
  authenticateContact: {
    id: 'auth.contact',
    method: 'POST',
    path: '/v1/bots/{botId}/auth/contact',
    credentials: ['secret'],
    permissions: ['tokens:write'],
    summary: 'Exchange a contact for a contact token',
    description: 'The token is valid for one year. A contact may hold several.',
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
    answer: { status: 204, description: 'Revoked: the visitor is anonymous from now on.' },
  },
  identifyVisitor: {
    id: 'auth.visitor',
    method: 'GET',
    path: '/v1/bots/{botId}/auth/contact',
    credentials: ['contactToken'],
    summary: 'Tell who the visitor is',
    description: 'Called by the widget, with the contact token as bearer.',
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
    summary: 'The widget’s script, for a script tag of any page',
    description:
      'The script reads `bot` and, if the visitor is known, `token` from the query of its own address; the server looks at neither.',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetModule: {
    id: 'widget.module',
    method: 'GET',
    path: '/widget.mjs',
    credentials: ['public'],
    summary: 'The same script, for loaders that ask for this name',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetVersion: {
    id: 'widget.versionedScript',
    method: 'GET',
    path: '/widget/{version}/widget.js',
    credentials: ['public'],
    summary: 'One version of the widget’s script, which never changes',
    description: 'For script tags with `integrity`. Only the version that this server has is there.',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetIntegrity: {
    id: 'widget.integrity',
    method: 'GET',
    path: '/widget/integrity.json',
    credentials: ['public'],
    summary: 'Address and hash of the current version of the widget’s script',
    answer: {
      status: 200,
      description: 'What a script tag with `integrity` needs.',
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
    answer: { status: 200, description: 'It is.', schema: z.strictObject({ status: z.literal('ok') }) },
  },
  checkReadiness: {
    id: 'service.ready',
    method: 'GET',
    path: '/readyz',
    credentials: ['public'],
    summary: 'Can it serve? 503 when storage does not answer or the server is stopping.',
    answer: { status: 200, description: 'It can.', schema: z.strictObject({ status: z.literal('ready') }) },
  },
  readMetrics: {
    id: 'service.metrics',
    method: 'GET',
    path: '/metrics',
    credentials: ['metrics'],
    summary: 'Metrics in Prometheus form',
    description: 'With `ROSTER_METRICS_TOKEN` as bearer. A server for this machine only answers on it without a token.',
    answer: { status: 200, description: 'The metrics.', mediaType: 'text/plain' },
  },
  readSecurityText: {
    id: 'service.securityText',
    method: 'GET',
    path: '/.well-known/security.txt',
    credentials: ['public'],
    summary: 'Whom to tell about a vulnerability',
    description: 'By RFC 9116. Not there unless `ROSTER_SECURITY_CONTACT` is set.',
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
    summary: 'This document, to browse',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html', isRevalidated: true },
  },
  readReferenceScript: {
    id: 'service.docsScript',
    method: 'GET',
    path: '/docs/reference.js',
    credentials: ['public'],
    summary: 'The script of the reference page',
    answer: { status: 200, description: 'A script.', mediaType: 'text/javascript', isRevalidated: true },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The operations of a listener: those that take at least one of the credentials that it accepts. */
export function operationsFor(accepted: readonly Credential[]): [OperationName, Operation][] {
  return (Object.entries(operations) as [OperationName, Operation][]).filter(([, { credentials }]) =>
    credentials.some((credential) => accepted.includes(credential)),
  );
}
