// Turns the operations of the public listener into an OpenAPI 3.1 document. Holds no facts of its own about any operation.
import { csrfHeader, sessionCookie } from './account.ts';
import { type ErrorCode, errorCodes, problemSchema } from './errors.ts';
import { DocumentSchemas, type Json } from './openapi-schemas.ts';
import {
  type AnswerHeader,
  answerHeaders,
  type Credential,
  errorHeadersOf,
  errorsOf,
  headersOf,
  mediaTypes,
  namesUnknown,
  type Operation,
  parametersOf,
  pathParameters,
  portCredentials,
  takesFilters,
} from './operation.ts';
import { operationsFor } from './operations.ts';
import { webhookMessageSchema } from './webhooks.ts';

const securitySchemes: Partial<Record<Credential, Json>> = {
  secret: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A secret of your organization, `rst_…`, with the permission the operation needs. For servers only: never use it in a browser or commit it to a repository.',
  },
  contactToken: { type: 'http', scheme: 'bearer', description: 'A contact token, `c:…`. For the visitor’s browser.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie.plain,
    description: `The session of the console, \`${sessionCookie.secure}\` with TLS. Every operation except GET also needs the \`${csrfHeader}\` header, and the \`Origin\` of the console.`,
  },
  metrics: {
    type: 'http',
    scheme: 'bearer',
    description: '`ROSTER_METRICS_TOKEN`. Not needed on a server that only listens on the loopback interface.',
  },
};

const tags: Record<string, string> = {
  contacts: 'The contacts of a bot.',
  attributes: 'Your own fields for the contacts of a bot.',
  tags: 'The tags of a bot’s contacts.',
  segments: 'Saved filters of a bot.',
  events: 'What happened to the contacts of a bot.',
  webhooks: 'Where the events of a bot are sent to, and how that went.',
  auth: 'Contact tokens, and who the visitor is.',
  account:
    'The organization’s account. The console uses it with a session, and programs with a secret that has `account:` permissions.',
  widget: 'The widget’s script and settings.',
  console: 'The pages and files of the console.',
  service: 'The state and description of the service.',
  guide: 'The docs as a site.',
};

/** A parameter for each attribute, whose keys the document cannot know. */
const attributeFilter: Json = {
  name: 'attributes',
  in: 'query',
  required: false,
  style: 'deepObject',
  explode: true,
  description:
    'Filters by attribute: `attributes[plan]=pro` (repeat it to match any of several values), `attributes[seats][gte]=10` with `gte`, `gt`, `lte` and `lt` for numbers and dates, `attributes[trial][exists]=false`, `attributes[plan][not]=pro` (repeat it to rule out several values), `attributes[city][contains]=york` for text. Text is compared ignoring case and accents; numbers are written as in JSON.',
  schema: { type: 'object', additionalProperties: true },
};

const prefer: Json = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`handling=strict`: unknown fields and parameters are an error, instead of being ignored and named in `Roster-Ignored`.',
  schema: { type: 'string' },
  example: 'handling=strict',
};

const ifMatch: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of an earlier answer, or several, separated by commas: the request is refused with 412 if the contact has changed since. Weak tags never match; `*` matches every version.',
  schema: { type: 'string' },
  example: '"1794648600123"',
};

const messageHeaders = {
  'webhook-id': 'Id of the event. The same whenever the message is sent again.',
  'webhook-timestamp': 'When the message was sent, in seconds since 1970.',
  'webhook-signature': 'Signatures, separated by spaces. Several after the secret was rotated.',
} as const;

const tagOf = (operation: Operation): string => operation.id.slice(0, operation.id.indexOf('.'));

export function buildOpenApi(settings: { version: string; serverUrl: string }): Json {
  const schemas = new DocumentSchemas();

  const parameters = (operation: Operation): Json[] => {
    const inPath = parametersOf(operation.path).map((name) => {
      const description = pathParameters[name as keyof typeof pathParameters];
      return { name, in: 'path', required: true, description, schema: { type: 'string' } };
    });
    const inHeader = [...(namesUnknown(operation) ? ['Prefer'] : []), ...(operation.takesIfMatch ? ['IfMatch'] : [])];
    const common = [...inPath, ...inHeader.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
    if (operation.query === undefined) return common;
    const { properties = {} } = schemas.input(operation.query) as { properties?: Record<string, Json> };
    const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => {
      return { name, in: 'query', required: false, description, schema };
    });
    return [...common, ...inQuery, ...(takesFilters(operation) ? [attributeFilter] : [])];
  };

  const requestBody = ({ body }: Operation): Json | undefined => {
    if (body === undefined) return undefined;
    const schema = schemas.input(body.schema);
    const content = Object.fromEntries(body.media.map((media) => [mediaTypes[media], { schema }]));
    return { required: !body.isOptional, content };
  };

  const contentOf = ({ schema, mediaType = 'application/json' }: Operation['answer']): Json => ({
    [mediaType]: { schema: schema === undefined ? { type: 'string' } : schemas.answer(schema) },
  });

  const success = (operation: Operation, { description } = operation.answer): Json => {
    const { answer } = operation;
    return {
      description,
      headers: referTo(headersOf(operation)),
      ...((answer.schema ?? answer.mediaType) && { content: contentOf(answer) }),
    };
  };

  const failures = (operation: Operation): Json => {
    const byStatus = Map.groupBy(errorsOf(operation), (code) => errorCodes[code].status);
    return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(operation, codes)]));
  };

  const describe = (operation: Operation): Json => {
    const body = requestBody(operation);
    return {
      operationId: operation.id,
      tags: [tagOf(operation)],
      summary: operation.summary,
      ...describedAs(operation),
      security: operation.credentials
        .filter((name) => name in securitySchemes)
        .map((name) => ({ [name]: name === 'secret' ? [...(operation.permissions ?? [])] : [] })),
      parameters: parameters(operation),
      ...(body && { requestBody: body }),
      responses: {
        [operation.answer.status]: success(operation),
        ...(operation.answer.changed && {
          [operation.answer.changed.status]: success(operation, operation.answer.changed),
        }),
        ...(operation.answer.isRevalidated && {
          304: {
            description: 'The version in `If-None-Match` is still current.',
            headers: referTo(headersOf(operation)),
          },
        }),
        ...failures(operation),
      },
    };
  };

  /** What a receiver gets: the one request that Roster makes instead of answering it. */
  const message = (): Json => ({
    operationId: 'webhooks.message',
    tags: ['webhooks'],
    summary: 'Receive an event',
    description:
      'Sent to the URL of each webhook, at least once, and in order for each contact. Verify the signature, which follows the Standard Webhooks specification, with the secret of the webhook.',
    security: [],
    parameters: Object.entries(messageHeaders).map(([name, description]) => {
      return { name, in: 'header', required: true, description, schema: { type: 'string' } };
    }),
    requestBody: { required: true, content: { 'application/json': { schema: schemas.answer(webhookMessageSchema) } } },
    responses: {
      '2XX': { description: 'Received. Respond within 10 seconds.' },
      410: { description: 'Switches the webhook off.' },
      default: { description: 'The message is sent again later.' },
    },
  });

  const paths: Record<string, Json> = {};
  for (const [, operation] of operationsFor(portCredentials)) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  schemas.answer(problemSchema);

  return {
    openapi: '3.1.0',
    info: {
      title: 'Roster',
      version: settings.version,
      summary: 'Manage the contacts of your chat bots and recognize visitors.',
      description:
        'Every error is an `application/problem+json` document with a stable `code`. Later versions may add members, values (`x-extensible-enum` lists the known ones) and id formats to responses; the shapes of contacts, tokens and pages never change under `/v1`. Text in requests is trimmed before validation.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Guide', url: `${settings.serverUrl}/docs/guide` },
    servers: [{ url: settings.serverUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: { event: { post: message() } },
    components: {
      securitySchemes,
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, { description, type }]) => [name, { description, schema: { type } }]),
      ),
      parameters: { Prefer: prefer, IfMatch: ifMatch },
      schemas: schemas.components,
    },
  };
}

function describedAs({ description, permissions, isForAllBots, permissionToInclude }: Operation): Json {
  const needed = permissions?.map((name) => `\`${name}\``).join(', ');
  const ofSecret = needed && `A secret needs ${needed}${isForAllBots ? ', for all bots' : ''}.`;
  const toInclude = permissionToInclude && `With \`include\` it also needs \`${permissionToInclude}\`.`;
  const sentences = [description, ofSecret, toInclude].filter((each) => each !== undefined);
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

function referTo(headers: readonly AnswerHeader[]): Json {
  return Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function failure(operation: Operation, codes: ErrorCode[]): Json {
  const examples = codes.map((code) => {
    const { status, title, when } = errorCodes[code];
    const value = { type: 'about:blank', title, status, code, detail: when, requestId: 'req-0000000000000001' };
    return [code, { summary: when, value }] as const;
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].when}`).join(' '),
    headers: referTo([...new Set(codes.flatMap((code) => errorHeadersOf(operation, code)))]),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
