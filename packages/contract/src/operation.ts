// What an operation declares: method, path, credentials, input, answer and audit, and the errors that follow from these.
import type { z } from 'zod';
import type { AuditAction, OrganizationSettings } from './account.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import type { Permission, Role } from './names.ts';

/**
 * What lets a caller in:
 * - `secret`: an organization's server, with its secret as bearer.
 * - `contactToken`: a visitor's browser, with a contact token as bearer.
 * - `session`: a member, with the cookie of the console's session.
 * - `signIn`: a page of the console before sign-in.
 * - `metrics`: a reader of the metrics page, from the same machine or with the metrics token.
 * - `operator`: whoever may open the operator's Unix socket. Operations that take nothing else exist only there.
 * - `public`: anyone.
 */
export type Credential = 'secret' | 'contactToken' | 'session' | 'signIn' | 'metrics' | 'operator' | 'public';

/** The credentials of the public listener, and so of the OpenAPI document. */
export const portCredentials: readonly Credential[] = [
  'secret',
  'contactToken',
  'session',
  'signIn',
  'metrics',
  'public',
];

/** These name no caller. */
export const anonymousCredentials: readonly Credential[] = ['signIn', 'public'];

/** The credentials of the listener on the operator's Unix socket. */
export const operatorCredentials: readonly Credential[] = ['operator'];

/** The action of an audit entry; or the field of the body that decides it, with an action for each of its values. */
export type DeclaredAudit =
  | AuditAction
  | { readonly field: string; readonly actions: Readonly<Record<string, AuditAction>> };

export const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const;

export type Media = keyof typeof mediaTypes;

/** An operation that takes a secret says what the secret must be allowed. Otherwise it does not compile. */
export type Operation = OperationBase &
  (
    | { readonly credentials: readonly Exclude<Credential, 'secret'>[]; readonly permissions?: undefined }
    | { readonly credentials: readonly Credential[]; readonly permissions: NeededPermissions }
  );

/** `unlessContinued`: not for the later pages of what began in time, which its handler finds out. */
export type RecentPassword = boolean | 'unlessContinued';

/** All of them are needed. */
export type NeededPermissions = readonly [Permission, ...Permission[]];

interface OperationBase {
  readonly id: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{name}` for a path parameter. */
  readonly path: string;
  /** Any one of them suffices. A request with an `Authorization` header is judged by that header alone. */
  readonly credentials: readonly Credential[];
  /** With a session: the least role that may. Left out: `viewer` for a GET, `member` for what may write. */
  readonly role?: Role;
  /** With a secret: only one for all bots may, because the operation is about the organization. */
  readonly isForAllBots?: boolean;
  /** Of the organization: members may what is for owners. */
  readonly settingForMembers?: keyof OrganizationSettings;
  /** What `include` needs besides: with a secret, and with a session. */
  readonly permissionToInclude?: Permission;
  readonly roleToInclude?: Role;
  /** With a session: only soon after a sign-in or a confirmed password. `limits` says how soon, also for later pages. */
  readonly needsRecentPassword?: RecentPassword;
  readonly summary: string;
  readonly description?: string;
  /** Pages of other origins may call it, if the bot's settings allow them. */
  readonly isCrossOrigin?: boolean;
  readonly query?: z.ZodObject;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly media: readonly Media[];
    readonly isOptional?: boolean;
    /** It may be as large as the operator allows. Left out: as large as `limits` says for its credentials. */
    readonly holdsContacts?: boolean;
    /** The handler validates it with the schema, to report more than a schema can. */
    readonly isValidatedByHandler?: boolean;
    /** Members, also of its items, that are taken without effect beside those of the schema, so that what was read can be sent back. */
    readonly readOnly?: readonly string[];
    /** Members that are numbers in JSON, and digits in a form. */
    readonly numbers?: readonly string[];
  };
  /** It changes one contact, and only the version that `If-Match` names, if it is sent. */
  readonly takesIfMatch?: boolean;
  /** Whether each call with a secret leaves a line in the log. Left out: if its method is not GET. */
  readonly isLogged?: boolean;
  /** Whether it changes what is stored. Left out: if it is recorded, or needs a permission to write. */
  readonly isWrite?: boolean;
  /** What it writes into the audit log. Left out: nothing. */
  readonly audit?: DeclaredAudit;
  /** What it writes there when it is refused for a wrong password. */
  readonly refusalAudit?: AuditAction;
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly description: string;
    /** Absent: no body, or one that is not JSON. */
    readonly schema?: z.ZodType;
    /** Of a file, whose bytes the handler has. */
    readonly mediaType?: string;
    readonly headers?: readonly AnswerHeader[];
    /** Answered instead when what the path names was there before, with the same schema and headers. */
    readonly changed?: { readonly status: 200; readonly description: string };
    /** Carries an `ETag`, and is answered 304 without a body to a client that has it already. */
    readonly isRevalidated?: boolean;
  };
  /** Beyond those that follow from the credential, the path and the body: see `errorsOf`. */
  readonly errors?: readonly ErrorCode[];
}

/** What programs read of the headers of an answer. The rest is for caches, proxies and browsers. */
export const answerHeaders = {
  'X-Request-Id': { type: 'string', description: 'Id of the request, also in the log.' },
  Location: { type: 'string', description: 'Path of the created object, or the URL to go to.' },
  ETag: {
    type: 'string',
    description: 'The version of what is answered. That of a contact is its `updatedAt` in milliseconds, in quotes.',
  },
  'Set-Cookie': { type: 'string', description: 'Sets or clears the session cookie.' },
  'Clear-Site-Data': { type: 'string', description: 'Has the browser forget what pages of this origin have stored.' },
  'Roster-Ignored': {
    type: 'string',
    description: 'Unknown fields and parameters that were ignored, so that you notice typos.',
  },
  'Preference-Applied': {
    type: 'string',
    description: '`handling=strict`: unknown fields and parameters would have been an error.',
  },
  RateLimit: {
    type: 'string',
    description: 'How many requests are left (`r`), and the seconds until the limit resets (`t`).',
  },
  'RateLimit-Policy': { type: 'string', description: 'The limit: requests (`q`) in a window of seconds (`w`).' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before you retry.' },
  'Roster-Outcome': {
    type: 'string',
    description: '`unknown`: the write may or may not have been made. Without this header, it was not made.',
  },
  'WWW-Authenticate': { type: 'string', description: 'The authentication scheme that is required.' },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

const rateLimitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/** These are answered before the operation is known. */
const errorsOfParser: readonly ErrorCode[] = ['request_timeout', 'headers_too_large'];

const headersOfErrors: Partial<Record<ErrorCode, readonly AnswerHeader[]>> = {
  // Wrong credentials are counted wherever one is taken.
  unauthorized: ['WWW-Authenticate', ...rateLimitHeaders],
  sign_in_failed: ['WWW-Authenticate'],
  rate_limited: ['Retry-After', ...rateLimitHeaders],
  unavailable: ['Retry-After'],
};

function takes({ credentials }: OperationBase, ...some: Credential[]): boolean {
  return some.some((credential) => credentials.includes(credential));
}

/** Each call counts, and its answer says what is left: of an organization's, a visitor's or a sign-in page's. */
function isCounted(operation: OperationBase): boolean {
  const isSignIn = takes(operation, 'signIn') && operation.method !== 'GET';
  return takes(operation, 'secret', 'session') || isSignIn || operation.isCrossOrigin === true;
}

function mayWrite({ isWrite, audit, permissions }: Operation): boolean {
  return isWrite ?? (audit !== undefined || permissions?.some((name) => name.endsWith(':write')) === true);
}

/** Whether it names what it does not know: it ignores that, or refuses it for a caller who prefers so. */
export function namesUnknown(operation: OperationBase): boolean {
  return operation.path.startsWith('/v1/') && takes(operation, 'secret', 'session');
}

/** The headers that a success may carry. */
export function headersOf(operation: OperationBase): AnswerHeader[] {
  return [
    'X-Request-Id',
    ...(operation.answer.headers ?? []),
    ...(operation.answer.isRevalidated ? (['ETag'] as const) : []),
    ...(namesUnknown(operation) ? (['Roster-Ignored', 'Preference-Applied'] as const) : []),
    ...(isCounted(operation) ? rateLimitHeaders : []),
  ];
}

/** The headers that an error of the operation may carry. */
export function errorHeadersOf(operation: Operation, code: ErrorCode): AnswerHeader[] {
  const headers = new Set<AnswerHeader>(['X-Request-Id', ...(headersOfErrors[code] ?? [])]);
  if (isCounted(operation) && !errorsOfParser.includes(code)) for (const name of rateLimitHeaders) headers.add(name);
  if (code === 'unavailable' && mayWrite(operation)) headers.add('Roster-Outcome');
  return [...headers];
}

/** What each parameter of a path names. Ids are opaque: one of another form is one that does not exist. */
export const pathParameters = {
  organizationId: 'Id of the organization.',
  botId: 'Id of the bot.',
  contactId: 'Id of the contact.',
  tokenId: 'Id of the token, from the list of the contact’s tokens.',
  token: 'The contact token.',
  key: 'Key of the attribute or the segment.',
  webhookId: 'Id of the webhook.',
  eventId: 'Id of the event.',
  tag: 'The tag, ignoring case and accents.',
  secretId: 'Id of the secret.',
  memberId: 'Id of the member.',
  sessionId: 'Id of the session.',
  invitationId: 'Id of the invitation.',
  version: 'The version of the widget’s script.',
  file: 'The name of the file.',
  page: 'The name of the page.',
  section: 'The section of the guide.',
  subpage: 'The name of the page in its section.',
  guideFile: 'The name of the file.',
} as const;

/** The least role of a member who may call it. What does not say otherwise is closed to viewers unless it is a GET. */
export function roleOf({ role, method }: Pick<Operation, 'role' | 'method'>): Role {
  return role ?? (method === 'GET' ? 'viewer' : 'member');
}

/** Whether it lists, searches or exports contacts: then it takes conditions on attributes too, under names of their own. */
export function takesFilters({ query }: Pick<Operation, 'query'>): boolean {
  return query !== undefined && Object.hasOwn(query.shape, 'segment');
}

/** Names of the `{…}` parameters of a path, in order. */
export function parametersOf(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string);
}

/** Every error that an operation may answer, in the order of the error table. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...errorsOfParser, 'internal', 'unavailable']);
  const add = (...more: ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (!takes(operation, 'public', 'operator') || operation.isCrossOrigin) add('rate_limited');
  if (takes(operation, 'secret', 'contactToken', 'session', 'metrics')) add('unauthorized');
  if (takes(operation, 'session', 'signIn', 'secret')) add('forbidden');
  if (takes(operation, 'session') && operation.needsRecentPassword) add('password_required');
  if (operation.path.includes('{')) add('not_found');
  if (operation.query !== undefined || namesUnknown(operation)) add('invalid_request');
  if (operation.body !== undefined) add('invalid_json', 'invalid_request', 'body_too_large', 'unsupported_media_type');
  if (operation.takesIfMatch) add('precondition_failed', 'invalid_request');
  add(...(operation.errors ?? []));
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code));
}
