// The one table of error codes. Every error answer of every operation is a row of it.
import * as z from 'zod';
import { limits } from './limits.ts';

export const errorCodes = {
  invalid_json: { status: 400, title: 'Bad Request', when: 'The body is not valid JSON in UTF-8.' },
  invalid_request: {
    status: 400,
    title: 'Bad Request',
    when: 'A field or parameter is missing, of the wrong type, too long or malformed. `errors` lists them, up to 100.',
  },
  email_taken: {
    status: 400,
    title: 'Bad Request',
    when: 'Another contact of the bot has this email. `contactId` is its id.',
  },
  too_many_contacts: {
    status: 400,
    title: 'Bad Request',
    when: 'An upsert or a deletion has more contacts than a request allows. Nothing was changed; send smaller requests.',
  },
  attribute_type_fixed: {
    status: 400,
    title: 'Bad Request',
    when: 'The attribute already exists with another type, and its type cannot change. Delete it first, or choose another key.',
  },
  tag_taken: {
    status: 400,
    title: 'Bad Request',
    when: 'Another tag of the bot has this name.',
  },
  limit_reached: {
    status: 400,
    title: 'Bad Request',
    when: 'A limit is reached, such as the number of bots, attributes or webhooks. `detail` says which one and what to do.',
  },
  member_exists: {
    status: 400,
    title: 'Bad Request',
    when: 'The organization already has a member with this email.',
  },
  organization_required: {
    status: 400,
    title: 'Bad Request',
    when: 'The email and password belong to several organizations. Sign in with the `organizationId` of one in `organizations`.',
  },
  last_owner: {
    status: 400,
    title: 'Bad Request',
    when: 'The organization would be left without an owner. Make another member an owner first.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    when: 'The credential is missing, malformed, unknown, revoked, expired or of the wrong kind.',
  },
  sign_in_failed: {
    status: 401,
    title: 'Unauthorized',
    when: 'The email or password is incorrect, or the set-up code is not the latest one.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    when: 'The secret or member is not allowed to do this; `permission` names what is missing. Or the request does not come from the console.',
  },
  password_required: {
    status: 403,
    title: 'Forbidden',
    when: 'The password was last confirmed more than 15 minutes ago. Confirm it with `POST /v1/account/session/confirm`, then repeat the request.',
  },
  not_found: {
    status: 404,
    title: 'Not Found',
    when: 'The path, bot, contact or other object does not exist or belongs to another organization, or the one-time link was already used.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method Not Allowed',
    when: 'The path does not support this method. `Allow` lists the methods it supports.',
  },
  request_timeout: {
    status: 408,
    title: 'Request Timeout',
    when: 'The request did not arrive in time. The connection is closed.',
  },
  events_expired: {
    status: 410,
    title: 'Gone',
    when: 'The position in the feed is older than the events that are kept, or the data was restored or moved since. Keep `next`, read all contacts with an export, then go on from `next`.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition Failed',
    when: 'The contact is another version than `If-Match` names. Nothing was changed. Retrieve the contact, then repeat the request with its new `ETag`.',
  },
  body_too_large: {
    status: 413,
    title: 'Content Too Large',
    when: 'The body is larger than `ROSTER_BODY_LIMIT` for contacts, 256 KiB for other operations, or 16 KiB before sign-in.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported Media Type',
    when: 'The operation does not support this `Content-Type` or `Content-Encoding`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too Many Requests',
    when: 'A rate limit is exceeded. Wait for `Retry-After` seconds.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request Header Fields Too Large',
    when: 'The request line and headers together exceed 16 KiB.',
  },
  internal: {
    status: 500,
    title: 'Internal Server Error',
    when: 'An unexpected error. The server’s log has the cause under the same `requestId`.',
  },
  unavailable: {
    status: 503,
    title: 'Service Unavailable',
    when: 'The server is overloaded or shutting down, or its database is unreachable, full or damaged. Retry after `Retry-After` seconds.',
  },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export const fieldErrorSchema = z
  .strictObject({
    index: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Position of the item, counted from 0. Only in requests with several items.' }),
    field: z.string().meta({ description: 'The invalid field or parameter.' }),
    message: z.string().meta({ description: 'What is wrong with it.' }),
  })
  .meta({ id: 'FieldError' });

export type FieldError = z.infer<typeof fieldErrorSchema>;

export const errorsTruncatedSchema = z.literal(true).meta({ description: 'Only if there are more errors than these.' });

export const problemSchema = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().meta({ description: 'The name of the status.' }),
    status: z.int(),
    code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]).meta({
      description: 'Stable. Use it in your code.',
    }),
    detail: z.string().meta({ description: 'What happened and what to do, for people.' }),
    requestId: z.string().meta({ description: 'The same as in the `X-Request-Id` header and in the log.' }),
    contactId: z.string().optional().meta({ description: 'With `email_taken`: the contact that has the email.' }),
    organizations: z
      .array(z.strictObject({ id: z.string(), name: z.string() }))
      .optional()
      .meta({ description: 'With `organization_required`: the organizations to choose from, latest sign-in first.' }),
    permission: z.string().optional().meta({
      description:
        'With `forbidden`: the permission the secret needs, `all_bots` if it is limited to some bots, or the role the member needs.',
    }),
    next: z.string().optional().meta({ description: 'With `events_expired`: the current end of the feed.' }),
    errors: z
      .array(fieldErrorSchema)
      .optional()
      .meta({ description: `All validation errors, up to ${limits.faultsReported}.` }),
    errorsTruncated: errorsTruncatedSchema.optional(),
  })
  .meta({ id: 'Problem', description: 'Every error has this shape (RFC 9457).' });

export type Problem = z.infer<typeof problemSchema>;
