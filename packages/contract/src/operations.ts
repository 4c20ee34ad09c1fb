// The list of operations: method, path, credential, input and answers of each. The server mounts exactly these, the
// OpenAPI document describes exactly these, and the credential tests are generated from them.
import { z } from 'zod';
import {
  contactCreateSchema,
  contactIdSchema,
  contactSchema,
  contactUpdateSchema,
  contactUpsertSchema,
} from './contact.ts';
import { contactIdentitySchema, contactTokenSchema, visitorSchema } from './contact-token.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { exportQuerySchema, paginationSchema, searchQuerySchema } from './paging.ts';
import { widgetIntegritySchema, widgetSettingsSchema } from './widget.ts';

/**
 * Who may call: an organization's server with its secret, a visitor's browser with a contact token, the operator of
 * the service (from the same machine, or with the metrics token), or anybody.
 */
export type Credential = 'organization' | 'contact' | 'operator' | 'public';

export const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const;

export type Media = keyof typeof mediaTypes;

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{name}` for a path parameter. */
  readonly path: string;
  readonly credential: Credential;
  readonly summary: string;
  readonly description?: string;
  /** Pages of other origins may call it, if the bot's settings allow them. */
  readonly isCrossOrigin?: boolean;
  readonly query?: z.ZodType;
  readonly body?: { readonly schema: z.ZodType; readonly media: readonly Media[]; readonly isOptional?: boolean };
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly description: string;
    /** Absent: no body, or one that is not JSON. */
    readonly schema?: z.ZodType;
    readonly mediaType?: string;
    readonly headers?: readonly (keyof typeof answerHeaders)[];
    /** Carries an `ETag`: who has it already is answered 304, without a body. */
    readonly isRevalidated?: boolean;
  };
  /** Beyond those that follow from the credential, the path and the body: see `errorsOf`. */
  readonly errors?: readonly ErrorCode[];
}

export const answerHeaders = {
  Location: 'Path of the new contact.',
  'Roster-Ignored': 'Names of input fields that no operation knows, so that a typo does not pass in silence.',
} as const;

export const pathParameters = {
  botId: { pattern: idKinds.bot.pattern, description: 'Id of the bot.' },
  contactId: { pattern: idKinds.contact.pattern, description: 'Id of the contact.' },
  token: { pattern: undefined, description: 'The contact token.' },
  version: { pattern: undefined, description: 'The version of the widget’s script.' },
} as const;

const oneContact = z.strictObject({ data: contactSchema });
const contactPage = z.strictObject({ data: z.array(contactSchema), pagination: paginationSchema });

const collection = '/v1/bots/{botId}/contacts';
const member = '/v1/bots/{botId}/contacts/{contactId}';

const identityBody = { schema: contactIdentitySchema, media: ['json', 'form', 'multipart'] } as const;
const wrappedToken = {
  status: 200,
  description: 'The contact token.',
  schema: z.strictObject({ data: contactTokenSchema }),
  headers: ['Roster-Ignored'],
} as const;

export const operations = {
  createContact: {
    id: 'contacts.create',
    method: 'PUT',
    path: collection,
    credential: 'organization',
    summary: 'Create a contact',
    body: { schema: contactCreateSchema, media: ['json'] },
    answer: {
      status: 201,
      description: 'The new contact.',
      schema: oneContact,
      headers: ['Location', 'Roster-Ignored'],
    },
    errors: ['email_taken'],
  },
  upsertContacts: {
    id: 'contacts.upsert',
    method: 'PATCH',
    path: collection,
    credential: 'organization',
    summary: 'Create or update many contacts',
    description: `Up to ${limits.contactsPerUpsert} contacts, matched by email. All or nothing: one bad item, and nothing is written. Items apply in order, so a later item with the same email updates the earlier one.`,
    body: {
      schema: z.object({ data: z.array(contactUpsertSchema).max(limits.contactsPerUpsert) }),
      media: ['json'],
    },
    answer: {
      status: 200,
      description: 'One row per item, in the order of the items.',
      schema: z.strictObject({
        data: z.array(z.strictObject({ index: z.int().min(0), id: contactIdSchema })),
      }),
      headers: ['Roster-Ignored'],
    },
    errors: ['too_many_contacts'],
  },
  searchContacts: {
    id: 'contacts.search',
    method: 'POST',
    path: collection,
    credential: 'organization',
    summary: 'Search contacts',
    description: 'Newest first. Without a query, all contacts of the bot. A body is ignored.',
    query: searchQuerySchema,
    answer: { status: 200, description: 'One page of contacts.', schema: contactPage },
  },
  listContacts: {
    id: 'contacts.list',
    method: 'GET',
    path: collection,
    credential: 'organization',
    summary: 'List or search contacts',
    description: 'The same as the search by POST.',
    query: searchQuerySchema,
    answer: { status: 200, description: 'One page of contacts.', schema: contactPage },
  },
  retrieveContact: {
    id: 'contacts.retrieve',
    method: 'GET',
    path: member,
    credential: 'organization',
    summary: 'Retrieve a contact',
    answer: { status: 200, description: 'The contact.', schema: oneContact },
  },
  updateContact: {
    id: 'contacts.update',
    method: 'PATCH',
    path: member,
    credential: 'organization',
    summary: 'Update a contact',
    description: 'A field left out keeps its value. `null` and the empty string clear phone, wid and mid.',
    body: { schema: contactUpdateSchema, media: ['json'], isOptional: true },
    answer: { status: 200, description: 'The contact as it is now.', schema: oneContact, headers: ['Roster-Ignored'] },
    errors: ['email_taken'],
  },
  deleteContact: {
    id: 'contacts.delete',
    method: 'DELETE',
    path: member,
    credential: 'organization',
    summary: 'Delete a contact',
    description: 'Its contact tokens die with it.',
    answer: { status: 204, description: 'Deleted.' },
  },
  exportContacts: {
    id: 'contacts.export',
    method: 'GET',
    path: '/v1/bots/{botId}/export',
    credential: 'organization',
    summary: 'Walk all contacts',
    description: 'Oldest first. Pass `next` as `after` until it is null. A page costs the same at any depth.',
    query: exportQuerySchema,
    answer: {
      status: 200,
      description: 'One page, and the position after it.',
      schema: z.strictObject({
        data: z.array(contactSchema),
        next: z.string().nullable().meta({ description: '`after` of the next page; null on the last.' }),
      }),
    },
  },
  authenticateContact: {
    id: 'auth.contact',
    method: 'POST',
    path: '/v1/bots/{botId}/auth/contact',
    credential: 'organization',
    summary: 'Exchange a contact for a contact token',
    description: 'The token is valid for one year. A contact may hold several.',
    body: identityBody,
    answer: {
      status: 200,
      description: 'The contact token, not wrapped.',
      schema: contactTokenSchema,
      headers: ['Roster-Ignored'],
    },
  },
  tokenizeContact: {
    id: 'auth.contacts.tokenize',
    method: 'PUT',
    path: '/v1/bots/{botId}/auth/contacts',
    credential: 'organization',
    summary: 'Exchange a contact for a contact token (wrapped)',
    body: identityBody,
    answer: wrappedToken,
  },
  tokenizeContactByPost: {
    id: 'auth.contacts.tokenizeByPost',
    method: 'POST',
    path: '/v1/bots/{botId}/auth/contacts',
    credential: 'organization',
    summary: 'Exchange a contact for a contact token (wrapped, by POST)',
    body: identityBody,
    answer: wrappedToken,
  },
  revokeContactToken: {
    id: 'auth.contacts.revoke',
    method: 'DELETE',
    path: '/v1/bots/{botId}/auth/contacts/{token}',
    credential: 'organization',
    summary: 'Revoke a contact token',
    answer: { status: 204, description: 'Revoked: the visitor is anonymous from now on.' },
  },
  identifyVisitor: {
    id: 'auth.visitor',
    method: 'GET',
    path: '/v1/bots/{botId}/auth/contact',
    credential: 'contact',
    summary: 'Tell who the visitor is',
    description: 'Called by the widget, with the contact token as bearer.',
    isCrossOrigin: true,
    answer: { status: 200, description: 'The visitor.', schema: z.strictObject({ data: visitorSchema }) },
  },
  retrieveWidget: {
    id: 'widget.retrieve',
    method: 'GET',
    path: '/v1/bots/{botId}/widget',
    credential: 'public',
    summary: 'Public settings of a bot’s widget',
    isCrossOrigin: true,
    answer: { status: 200, description: 'The settings.', schema: z.strictObject({ data: widgetSettingsSchema }) },
  },
  readWidgetScript: {
    id: 'widget.script',
    method: 'GET',
    path: '/widget.js',
    credential: 'public',
    summary: 'The widget’s script, for a script tag of any page',
    description:
      'The script reads `bot` and, if the visitor is known, `token` from the query of its own address; the server looks at neither.',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetVersion: {
    id: 'widget.versionedScript',
    method: 'GET',
    path: '/widget/{version}/widget.js',
    credential: 'public',
    summary: 'One version of the widget’s script, which never changes',
    description: 'For script tags with `integrity`. Only the version that this server has is there.',
    answer: { status: 200, description: 'The script.', mediaType: 'text/javascript', isRevalidated: true },
  },
  readWidgetIntegrity: {
    id: 'widget.integrity',
    method: 'GET',
    path: '/widget/integrity.json',
    credential: 'public',
    summary: 'Address and hash of the current version of the widget’s script',
    answer: {
      status: 200,
      description: 'What a script tag with `integrity` needs.',
      schema: z.strictObject({ data: widgetIntegritySchema }),
    },
  },
  checkHealth: {
    id: 'service.health',
    method: 'GET',
    path: '/healthz',
    credential: 'public',
    summary: 'Is the process alive?',
    answer: { status: 200, description: 'It is.', schema: z.strictObject({ status: z.literal('ok') }) },
  },
  checkReadiness: {
    id: 'service.ready',
    method: 'GET',
    path: '/readyz',
    credential: 'public',
    summary: 'Can it serve? 503 when storage does not answer or the server is stopping.',
    answer: { status: 200, description: 'It can.', schema: z.strictObject({ status: z.literal('ready') }) },
  },
  readMetrics: {
    id: 'service.metrics',
    method: 'GET',
    path: '/metrics',
    credential: 'operator',
    summary: 'Metrics in Prometheus form',
    description: 'From the same machine, or with `ROSTER_METRICS_TOKEN` as bearer.',
    answer: { status: 200, description: 'The metrics.', mediaType: 'text/plain' },
  },
  readOpenApi: {
    id: 'service.openapi',
    method: 'GET',
    path: '/openapi.json',
    credential: 'public',
    summary: 'This document',
    answer: { status: 200, description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) },
  },
  readReference: {
    id: 'service.docs',
    method: 'GET',
    path: '/docs',
    credential: 'public',
    summary: 'This document, to browse',
    answer: { status: 200, description: 'A page.', mediaType: 'text/html' },
  },
  readReferenceScript: {
    id: 'service.docsScript',
    method: 'GET',
    path: '/docs/reference.js',
    credential: 'public',
    summary: 'The script of the reference page',
    answer: { status: 200, description: 'A script.', mediaType: 'text/javascript' },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Names of the `{…}` parameters of a path, in order. */
export function parametersOf(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string);
}

/** Every error that an operation may answer, in the order of the error table. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['request_timeout', 'headers_too_large', 'internal', 'unavailable']);
  const add = (...more: ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (operation.credential !== 'public') add('unauthorized', 'rate_limited');
  if (operation.isCrossOrigin) add('rate_limited');
  if (operation.path.includes('{')) add('not_found');
  if (operation.query !== undefined) add('invalid_request');
  if (operation.body !== undefined) add('invalid_json', 'invalid_request', 'body_too_large', 'unsupported_media_type');
  add(...(operation.errors ?? []));
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code));
}
