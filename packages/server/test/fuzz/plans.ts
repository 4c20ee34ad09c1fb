// Requests as plans, made from the contract's operations: what is asked for, by whom, and how its bytes are mistreated.
// A plan is a plain value, the same for the same seed; world.ts turns it into bytes.
import {
  attributeOperators,
  type Credential,
  mediaTypes,
  type Operation,
  operations as operationsByName,
  operationsFor,
  parametersOf,
  portCredentials,
  takesFilters,
} from '@roster/contract';
import * as fc from 'fast-check';
import { oddJson, oddText } from './odd-values.ts';
import { type Damage, damages } from './raw-bytes.ts';
import { inputOf, reference } from './schema-values.ts';

export interface RequestPlan {
  operation: Operation;
  method: string;
  /** Path and query, escaped. */
  target: string;
  /** `own` lets the request in; the others do not, unless the operation needs none. */
  credential: 'own' | 'none' | 'malformed' | 'unknown' | 'otherKind';
  /** The one of the operation's credentials that is meant. */
  kind: Credential;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  isChunked: boolean;
}

export type Plan =
  | { kind: 'request'; request: RequestPlan }
  | { kind: 'pipeline'; requests: RequestPlan[] }
  | { kind: 'damaged'; request: RequestPlan; damage: Damage }
  | { kind: 'csv'; text: string };

const operations = operationsFor(portCredentials).map(([, operation]) => operation);

/** Whoever does this to the first of a kind, which is the run's own, ends what the requests after it need. */
function endsItsTarget({ method, path }: Operation): boolean {
  return method !== 'GET' && /\{\w+\}$/.test(path) && !/\{(?:contactId|invitationId|token)\}$/.test(path);
}

function pathValue(operation: Operation, name: string): fc.Arbitrary<string> {
  const isLast = operation.path.endsWith(`{${name}}`);
  const existing =
    isLast && endsItsTarget(operation)
      ? fc.nat(8).map((n) => `~${name}!${n}~`)
      : name === 'botId'
        ? fc.constant('~botId.0~')
        : reference(name);
  return fc.oneof(
    { weight: 30, arbitrary: existing },
    { weight: 1, arbitrary: reference(name) },
    { weight: 2, arbitrary: oddText.map(escaped) },
    { weight: 1, arbitrary: oddText.map(hardlyEscaped) },
  );
}

/** Also of objects that have no text of their own. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** As clients write it. */
const escaped = (text: string) => encodeURIComponent(text.toWellFormed());

/** Only what no parser takes: white space, control characters, and what is not ASCII. A bare % stays. */
const hardlyEscaped = (text: string) => text.toWellFormed().replaceAll(/[^!-~]|#/gu, encodeURIComponent);

const oddQuery = fc.oneof(
  fc.constantFrom('', '?', '&', '&&==', '%', '%zz=%', 'a&a&a', 'query', 'query=a&query=b', 'page=1&page=1', 'page[]=1'),
  fc.constantFrom('__proto__=1', 'limit=1e1', 'limit=%31', 'page=+1', 'query=%00', 'query=%ed%a0%80', 'query=%ff'),
  fc.nat(2000).map((times) => 'a&'.repeat(times)),
  fc
    .array(fc.tuple(oddText, oddText), { maxLength: 5 })
    .map((pairs) => pairs.map((pair) => pair.map(hardlyEscaped).join('=')).join('&')),
);

/** For events. A longer wait would only take time. */
const waitSeconds = 1;

function isLongWait(name: string, value: unknown): boolean {
  return name === 'wait' && typeof value === 'number' && value > waitSeconds;
}

/** Conditions on attributes have no names of their own in the contract. */
const attributeQuery = fc
  .tuple(
    fc.constantFrom('plan', 'size', 'none'),
    fc.constantFrom('', ...attributeOperators.map((operator) => `[${operator}]`), '[like]'),
    fc.oneof(fc.constantFrom('pro', 'LARGE', 'true', '7', '-7d', '7d'), oddText),
  )
  .map(([key, operator, value]) => `&attributes[${key}]${operator}=${escaped(value)}`);

function queryOf(operation: Operation): fc.Arbitrary<string> {
  const { query } = operation;
  if (query === undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oddQuery });
  const fitting = inputOf(query).map((input) => {
    const pairs = typeof input === 'object' && input !== null ? Object.entries(input) : [];
    const wanted = pairs.map(([name, value]) => [name, isLongWait(name, value) ? waitSeconds : value] as const);
    return wanted.map(([name, value]) => `${escaped(name)}=${escaped(textOf(value))}`).join('&');
  });
  const conditions = takesFilters(operation)
    ? fc.array(attributeQuery, { maxLength: 2 }).map((each) => each.join(''))
    : fc.constant('');
  const whole = fc.tuple(fitting, conditions).map((parts) => parts.join(''));
  return fc.oneof({ weight: 8, arbitrary: whole }, { weight: 2, arbitrary: oddQuery });
}

const boundary = 'fuzz-boundary';

const writers = {
  json: (input: unknown) => JSON.stringify(input) ?? '',
  form: (input: unknown) => new URLSearchParams(pairsOf(input)).toString(),
  multipart: (input: unknown) =>
    `${pairsOf(input)
      .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('')}--${boundary}--\r\n`,
};

function pairsOf(input: unknown): [string, string][] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).map(([name, value]) => [name, textOf(value)]);
}

type BodyPlan = Pick<RequestPlan, 'body' | 'headers'>;

const oddTypes = fc.constantFrom(
  ...[
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'application/json;',
    'text/plain',
    'multipart/form-data',
    '/',
    '',
  ],
  ...[
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary="${boundary}"`,
    'application/problem+json',
    ';;',
    'a/b/c',
  ],
);

const oddBody: fc.Arbitrary<BodyPlan> = fc
  .tuple(
    fc.oneof(
      oddJson.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      // One byte more than may come without a credential, and than an account operation takes.
      fc.constantFrom(16, 256).map((kibibytes) => Buffer.from(`"${'x'.repeat(kibibytes * 1024 - 1)}"`)),
    ),
    fc.oneof({ weight: 3, arbitrary: fc.constant('application/json') }, { weight: 2, arbitrary: oddTypes }),
    fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('gzip', 'identity', 'x') },
    ),
  )
  .map(([body, type, encoding]) => ({
    body,
    headers: [['content-type', type], ...(encoding === undefined ? [] : [['content-encoding', encoding]])] as [
      string,
      string,
    ][],
  }));

const noBody: fc.Arbitrary<BodyPlan> = fc.constant({ body: undefined, headers: [] });

function bodyOf({ body }: Operation): fc.Arbitrary<BodyPlan> {
  if (body === undefined) return fc.oneof({ weight: 12, arbitrary: noBody }, { weight: 1, arbitrary: oddBody });
  const fitting = fc.tuple(inputOf(body.schema), fc.constantFrom(...body.media)).map(([input, media]) => {
    const type = media === 'multipart' ? `${mediaTypes.multipart}; boundary=${boundary}` : mediaTypes[media];
    return { body: Buffer.from(writers[media](input)), headers: [['content-type', type]] as [string, string][] };
  });
  return fc.oneof(
    { weight: 20, arbitrary: fitting },
    { weight: 4, arbitrary: oddBody },
    { weight: 1, arbitrary: noBody },
  );
}

const headerValue = oddText.map((text) =>
  text
    .replaceAll(/[^\t -~\x80-\xff]/g, '?')
    .trim()
    .slice(0, 300),
);

const usualHeaders: Record<string, string[]> = {
  expect: ['100-continue', 'x'],
  accept: ['image/png'],
  'if-none-match': ['*'],
  range: ['bytes=0-1'],
  'x-http-method-override': ['DELETE'],
  te: ['trailers'],
  upgrade: ['h2c'],
  connection: ['close, x', 'upgrade'],
  host: [''],
  'accept-encoding': ['gzip'],
  origin: ['null', 'http://roster.test', 'https://shop.example.com'],
  'sec-fetch-site': ['cross-site'],
  cookie: [';=;;roster'],
  via: ['1.1 x'],
  authorization: ['Basic eDp4', 'Bearer', 'bearer  x y'],
  'accept-language': [],
  referer: [],
  prefer: ['handling=strict'],
  'x-odd': [],
};

const oddHeader: fc.Arbitrary<[string, string]> = fc
  .constantFrom(...Object.entries(usualHeaders))
  .chain(([name, usual]) =>
    fc.tuple(fc.constant(name), usual.length === 0 ? headerValue : fc.oneof(fc.constantFrom(...usual), headerValue)),
  );

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK'];

/** These hash a password, or make the run sign in again: as long as a hundred other requests. */
const slowOperations: readonly Operation[] = (
  [
    ...(['setUpAccount', 'signIn', 'signOut', 'signOutEverywhere', 'confirmPassword', 'updateOwnMember'] as const),
    ...(['leaveOrganization', 'changePassword', 'acceptInvitation', 'resetPassword'] as const),
  ] as const
).map((name) => operationsByName[name]);

const weightOf = (operation: Operation) => (slowOperations.includes(operation) ? 1 : 8);

function requestsOf(operation: Operation): fc.Arbitrary<RequestPlan> {
  const parameters = parametersOf(operation.path);
  return fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      values: fc.tuple(...parameters.map((name) => pathValue(operation, name))),
      query: queryOf(operation),
      body: bodyOf(operation),
      credential: fc.oneof(
        { weight: 20, arbitrary: fc.constant('own' as const) },
        { weight: 1, arbitrary: fc.constantFrom('none', 'malformed', 'unknown', 'otherKind') },
      ),
      kind: fc.constantFrom(...operation.credentials),
      oddHeaders: fc.oneof(
        { weight: 8, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: fc.array(oddHeader, { minLength: 1, maxLength: 3 }) },
      ),
      isChunked: fc.nat(7).map((n) => n === 0),
    })
    .map(({ method, values, query, body, credential, kind, oddHeaders, isChunked }) => {
      let parameter = 0;
      const path = operation.path.replaceAll(/\{\w+\}/g, () => values[parameter++] as string);
      return {
        operation,
        method,
        target: query === '' ? path : `${path}?${query}`,
        credential,
        kind,
        headers: [...body.headers, ...oddHeaders],
        body: body.body,
        isChunked,
      };
    });
}

const request: fc.Arbitrary<RequestPlan> = fc.oneof(
  ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: requestsOf(operation) })),
);

/** In one write, and all answered: none of them ends the connection. */
const pipelined: fc.Arbitrary<RequestPlan[]> = fc.array(
  request.map((plan) => ({ ...plan, headers: plan.headers.filter(([name]) => name === 'content-type') })),
  { minLength: 2, maxLength: 5 },
);

const cell = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Jane Doe', 'fuzz1@example.com', '+1 555 0100', "'=1+1", '"a ""b"""', '') },
  { weight: 2, arbitrary: oddText },
  { weight: 1, arbitrary: oddText.map((text) => `"${text.replaceAll('"', '""')}"`) },
);
const csv: fc.Arbitrary<string> = fc
  .record({
    start: fc.constantFrom('', '\ufeff', 'sep=;\r\n', '"'),
    header: fc.constantFrom(
      ['name', 'email'],
      ['E-Mail', 'Vorname', 'Name', 'wid'],
      ['email'],
      ['email', 'email', 'phone', 'mid'],
    ),
    rows: fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 12 }),
    separator: fc.constantFrom(',', ';', '\t', '|'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  })
  .map(({ start, header, rows, separator, lineEnd }) => {
    return start + [header, ...rows].map((cells) => cells.join(separator)).join(lineEnd);
  });

export const plans: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 80, arbitrary: request.map((request) => ({ kind: 'request' as const, request })) },
  { weight: 3, arbitrary: pipelined.map((requests) => ({ kind: 'pipeline' as const, requests })) },
  {
    weight: 14,
    arbitrary: fc.tuple(request, damages).map(([request, damage]) => {
      // An error is answered with a body, and so is whatever becomes of the method.
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      return { kind: 'damaged' as const, request: { ...request, method }, damage };
    }),
  },
  { weight: 3, arbitrary: csv.map((text) => ({ kind: 'csv' as const, text })) },
);
