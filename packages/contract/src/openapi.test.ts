// The OpenAPI document: valid by an independent linter, and complete.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type ErrorCode, errorCodes } from './errors.ts';
import { filterParameters } from './filters.ts';
import { sortFields } from './names.ts';
import { buildOpenApi } from './openapi.ts';
import { errorsOf, type Operation, portCredentials } from './operation.ts';
import { operations, operationsFor } from './operations.ts';

interface Described {
  operationId: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required: boolean; content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }>; headers?: object }>;
}

interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  webhooks: { event: { post: Described } };
  components: { schemas: Record<string, Record<string, unknown>>; securitySchemes: Record<string, unknown> };
}

const document = buildOpenApi({ version: '1.2.3', serverUrl: 'https://roster.test' }) as unknown as Document;
const all: readonly Operation[] = operationsFor(portCredentials).map(([, operation]) => operation);

function describedBy({ method, path }: Operation): Described {
  const described = document.paths[path]?.[method.toLowerCase()];
  assert.ok(described, `${method} ${path} is described`);
  return described;
}

test('redocly finds no error and no warning in it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-openapi-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const cli = join(dirname(manifest), 'bin', 'cli.js');
  // A redirect is a success too.
  const options = ['--format=json', '--skip-rule=operation-2xx-response'];
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'lint', file, ...options], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
  }).catch((error: { stdout: string }) => ({ stdout: error.stdout }));
  const { problems, totals } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  assert.deepEqual(problems, []);
  assert.deepEqual([totals.errors, totals.warnings], [0, 0]);
});

test('it is OpenAPI 3.1 of this version and address', () => {
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.equal(document.info.version, '1.2.3');
  assert.deepEqual(document.servers, [{ url: 'https://roster.test' }]);
});

test('it describes every operation and no other', () => {
  const described = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((each) => each.operationId),
  );
  assert.deepEqual(described.toSorted(), all.map(({ id }) => id).toSorted());
});

test('each operation has its success status, its credential and its media types', () => {
  for (const operation of all) {
    const { responses, security, requestBody } = describedBy(operation);
    assert.ok(responses[operation.answer.status], operation.id);
    const needed = operation.credentials.filter((name) => !['public', 'signIn', 'operator'].includes(name));
    assert.deepEqual(
      security,
      needed.map((name) => ({ [name]: name === 'secret' ? operation.permissions : [] })),
      operation.id,
    );
    assert.equal(requestBody !== undefined, operation.body !== undefined, operation.id);
    assert.equal(Object.keys(requestBody?.content ?? {}).length, operation.body?.media.length ?? 0, operation.id);
  }
});

test('an operation that takes a secret says which permissions it needs', () => {
  for (const operation of all.filter(({ permissions }) => permissions !== undefined)) {
    const { description = '' } = describedBy(operation);
    for (const name of operation.permissions ?? []) assert.ok(description.includes(`\`${name}\``), operation.id);
    assert.equal(description.includes('for all bots'), operation.isForAllBots === true, operation.id);
  }
});

test('each operation lists exactly its errors, under their statuses, and every code is somewhere', () => {
  const seen = new Set<string>();
  for (const operation of all) {
    const { responses } = describedBy(operation);
    const listed = Object.entries(responses).flatMap(([status, response]) => {
      const codes = Object.keys(response.content?.['application/problem+json']?.examples ?? {});
      for (const code of codes) assert.equal(errorCodes[code as ErrorCode].status, Number(status));
      return codes;
    });
    assert.deepEqual(listed.toSorted(), errorsOf(operation).toSorted(), operation.id);
    for (const code of listed) seen.add(code);
  }
  // A path that exists is described with its methods, so a wrong one has no place of its own.
  const described = [...seen, 'method_not_allowed'];
  assert.deepEqual([...new Set(described)].toSorted(), Object.keys(errorCodes).toSorted());
  const { properties } = document.components.schemas['Problem'] as { properties: { code: Record<string, unknown> } };
  assert.deepEqual(properties.code['x-extensible-enum'], Object.keys(errorCodes));
});

test('path and query parameters are described with their bounds', () => {
  const { parameters: all } = describedBy(operations.searchContacts);
  const parameters = all.filter((parameter) => parameter.name !== undefined);
  assert.deepEqual(
    all.filter((parameter) => !parameters.includes(parameter)),
    [{ $ref: '#/components/parameters/Prefer' }],
  );
  const byName = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
  const names = ['botId', 'query', ...Object.keys(filterParameters), 'attributes', 'sort', 'page', 'limit', 'include'];
  assert.deepEqual(Object.keys(byName).toSorted(), names.toSorted());
  assert.deepEqual([byName['botId']?.in, byName['botId']?.required], ['path', true]);
  const { type, minimum, maximum, default: fallback } = byName['limit']?.schema ?? {};
  assert.deepEqual({ type, minimum, maximum, fallback }, { type: 'integer', minimum: 1, maximum: 100, fallback: 10 });
  assert.deepEqual([byName['page']?.schema['minimum'], byName['page']?.schema['default']], [1, 1]);
  const orders = sortFields.flatMap((field) => [field, `-${field}`]);
  assert.deepEqual([byName['sort']?.schema['enum'], byName['sort']?.required], [orders, false]);
  assert.deepEqual([byName['createdAt[gte]']?.in, byName['createdAt[gte]']?.required], ['query', false]);
});

test('the shapes of answers are whole: all members are described and required, but those to be asked for', () => {
  const members: Record<string, string[]> = {
    Contact: ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt'],
    ContactToken: ['token', 'createdAt', 'expiresAt'],
    Pagination: ['total', 'page', 'limit', 'totalPages', 'startPage', 'endPage', 'startIndex', 'endIndex', 'pages'],
    Visitor: ['id', 'name', 'expiresAt'],
    WidgetSettings: ['name', 'greeting', 'color', 'position', 'widgetUrl', 'channels', 'greetings'],
  };
  const toBeAskedFor: Record<string, string[]> = { Contact: ['attributes', 'tags'] };
  for (const [name, expected] of Object.entries(members)) {
    const schema = document.components.schemas[name] as { properties: object; required: string[] };
    const all = [...expected, ...(toBeAskedFor[name] ?? [])];
    assert.deepEqual(Object.keys(schema.properties).toSorted(), all.toSorted(), name);
    assert.deepEqual(schema.required.toSorted(), expected.toSorted(), name);
  }
});

test('it describes the message that a receiver gets, with its headers', () => {
  const { parameters, requestBody, security, responses } = document.webhooks.event.post;
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  assert.deepEqual(
    parameters.map(({ name, in: where, required }) => [name, where, required]),
    names.map((name) => [name, 'header', true]),
  );
  assert.deepEqual(requestBody?.content, {
    'application/json': { schema: { $ref: '#/components/schemas/WebhookMessage' } },
  });
  assert.deepEqual([security, Object.keys(responses)], [[], ['410', '2XX', 'default']]);
});

test('every reference leads somewhere', () => {
  for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
    assert.ok(target, path);
  }
});
