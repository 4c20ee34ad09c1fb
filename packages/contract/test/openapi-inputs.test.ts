// Inputs in the OpenAPI document: what the server takes fits them, and what it refuses does not, as far as JSON Schema can
// state its rules.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { limits } from '../src/limits.ts';
import type { Json } from '../src/openapi-schemas.ts';
import type { Operation } from '../src/operation.ts';
import { operations } from '../src/operations.ts';
import { all, at, bodyPath, document, type Path, pathTo, validatorAt } from './openapi-document.ts';

suite('inputs', () => {
  const taking = all.filter(({ body }) => body !== undefined);
  const pad = (value: string) => ` \n\t${value}\u00a0 `.padStart(600);
  const texts = [
    ...['', ' ', 'Jane Doe', pad('Jane Doe'), 'x'.repeat(300), pad('x'.repeat(256)), pad('😀'.repeat(256)), 'a\u0000b'],
    ...['jane@example.com', pad('jane@example.com'), `${'x'.repeat(245)}@x.example`, 'jane@', 'é@ü.example', 'a\nb'],
    ...['+15550100123', ' +1 (555) 010–0123 ', '+1\u2003[555].010-01', '+015550100123', '15550100123', '+123456'],
    ...[
      '#2f6fed',
      ' #2F6FED\n',
      '#2f6fe',
      'red',
      'https://shop.example.com',
      'HTTPS:\\\\shop.example.com\n',
      'https://a/b',
    ],
    ...[
      '2099-01-01T00:00:00.000Z',
      '2099-01-01T00:00:00Z',
      '2099-01-01T00:00:00.123456+02:00',
      '2099-01-01',
      'tomorrow',
    ],
    ...[
      'contacts:read',
      'contacts:delete',
      'owner',
      'viewer',
      'right',
      'top',
      'correct horse battery',
      'x'.repeat(600),
    ],
    ...['con_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5', 'bot_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5', 'con_1', '\ud800'],
  ];

  /** Mostly of the schema's types, with texts that are near the bounds of some rule. */
  function near(keys: Path): fc.Arbitrary<unknown> {
    const odd = fc.constantFrom<unknown>(null, 0, 1.5, true, [], {}, 'x');
    return fc.oneof({ weight: 30, arbitrary: fitting(keys) }, { weight: 1, arbitrary: odd });
  }

  function fitting(keys: Path): fc.Arbitrary<unknown> {
    const schema = at(keys) as Json & { $ref?: string; properties?: Json; required?: string[]; examples?: unknown[] };
    if (schema.$ref !== undefined) return fitting(schema.$ref.slice(2).split('/'));
    if (schema.properties !== undefined) {
      const names = Object.keys(schema.properties);
      const members = names.map((name) => [name, near([...keys, 'properties', name])] as const);
      const record = fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [] });
      const extra = fc.oneof(
        { weight: 9, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.constant({ x: 1 }) },
      );
      return fc.tuple(record, extra).map(([known, unknown]) => ({ ...known, ...unknown }));
    }
    if (Array.isArray(schema['anyOf'])) return fc.oneof(...schema['anyOf'].map((_, i) => near([...keys, 'anyOf', i])));
    if (schema['items'] !== undefined) return fc.array(near([...keys, 'items']), { maxLength: 3 });
    const known = [...((schema['enum'] as unknown[]) ?? []), ...(schema.examples ?? [])];
    const text = fc.constantFrom<unknown>(...texts);
    if (known.length === 0) return text;
    return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: text });
  }

  for (const operation of taking) {
    test(`${operation.id}: what the server takes fits the document`, () => {
      const validate = validatorAt(bodyPath(operation));
      let taken = 0;
      fc.assert(
        fc.property(near(bodyPath(operation)), (input) => {
          if (operation.body?.schema.safeParse(input).success !== true) return;
          taken += 1;
          assert.ok(validate(input), JSON.stringify(validate.errors));
        }),
        { numRuns: 2000 },
      );
      assert.ok(taken > 0, 'some of the inputs are valid');
    });
  }

  const contact = { name: 'Jane Doe', email: 'jane@example.com' };
  const longest = 'x'.repeat(limits.nameLength);
  const bot = { name: 'Support' };
  const secret = { name: 'Web shop' };
  const refused: [Operation, unknown[]][] = [
    [
      operations.createContact,
      [
        ...[null, [], 'x', {}, { name: 'Jane Doe' }, { ...contact, name: null }, { ...contact, name: 1 }],
        ...['', '  ', `${longest}x`, 'a\u0000b', 'a\nb', 'a\u0085b'].map((name) => ({ ...contact, name })),
        ...['', 'jane', 'jane@', '@x', 'a b@c', 'a@b..c', 'a@b,c', '<a@b>'].map((email) => ({ ...contact, email })),
        ...[0, 'x'.repeat(65), 'a\tb'].map((phone) => ({ ...contact, phone })),
        ...['15550100123', '+0155501001', '+123456', '+1234567890123456', '+1555a0100123'].map((wid) => ({
          ...contact,
          wid,
        })),
        ...[4815162342, 'x'.repeat(129)].map((mid) => ({ ...contact, mid })),
      ],
    ],
    [operations.updateContact, [{ name: '' }, { name: null }, { email: 'jane' }, { phone: 1 }]],
    [
      operations.upsertContacts,
      [{}, { data: {} }, { data: [{ name: 'x' }] }, { data: Array(1001).fill({ email: 'jane@example.com' }) }],
    ],
    [
      operations.authenticateContact,
      [
        ...[{}, { id: 1 }, { email: ['jane@example.com'] }],
        ...[59, 60.5, '60'].map((expiresIn) => ({ id: 'con_1', expiresIn })),
      ],
    ],
    [
      operations.createBot,
      [
        ...[
          {},
          { ...bot, id: 'x' },
          { ...bot, position: 'top' },
          { ...bot, color: 'red' },
          { ...bot, color: '#12345' },
        ],
        ...[
          { ...bot, greeting: 'x'.repeat(501) },
          { ...bot, allowedOrigins: [''] },
          { ...bot, allowedOrigins: 'x' },
          { ...bot, tokenMaxSeconds: 31_536_001 },
          { ...bot, channels: [{ type: 'fax', value: '1' }] },
          { ...bot, channels: [{ type: 'email', value: '' }] },
          { ...bot, channels: Array(9).fill({ type: 'email', value: 'jane@example.com' }) },
          { ...bot, greetings: { 'not a tag': 'Hello' } },
          { ...bot, greetings: { de: '' } },
          { ...bot, greetings: [] },
        ],
      ],
    ],
    [
      operations.createSecret,
      [
        ...[
          {},
          { ...secret, permissions: [] },
          { ...secret, permissions: ['contacts:delete'] },
          { ...secret, bots: [] },
        ],
        ...['tomorrow', '2099-01-01', '2099-01-01T00:00:00'].map((expiresAt) => ({ ...secret, expiresAt })),
      ],
    ],
    [operations.updateMember, [{}, { role: 'admin' }]],
    [operations.changePassword, [{}, { currentPassword: 'x', newPassword: 'too short' }]],
  ];
  for (const [operation, inputs] of refused) {
    test(`${operation.id}: what the server refuses by its form does not fit the document`, () => {
      const validate = validatorAt(bodyPath(operation));
      for (const input of inputs) {
        const text = JSON.stringify(input).slice(0, 200);
        assert.equal(operation.body?.schema.safeParse(input).success, false, `the server refuses ${text}`);
        assert.equal(validate(input), false, text);
      }
    });
  }

  test('patterns work in other languages: no quotes, no look-around, no Unicode classes and escapes', () => {
    const patterns = Array.from(JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g), ([, text = '']) =>
      JSON.parse(text),
    );
    assert.ok(patterns.length > 10);
    for (const pattern of patterns) assert.doesNotMatch(pattern, /["'`/]|\(\?[^:]|\\[pPuk]/);
  });

  test('parameters of the query have the bounds of the server', () => {
    const parameters = at([...pathTo(operations.searchContacts), 'parameters']) as { name: string; schema: Json }[];
    const bounds: Record<string, [taken: string[], refused: string[]]> = {
      page: [
        ['1', '007', '900719925474099'],
        ['0', '-1', '1.5', 'x'],
      ],
      limit: [
        ['1', '100'],
        ['0', '101', 'x'],
      ],
    };
    const coercing = new Ajv2020({ strict: false, coerceTypes: true });
    for (const [name, [taken, notTaken]] of Object.entries(bounds)) {
      const { schema } = parameters.find((parameter) => parameter.name === name) ?? {};
      const validate = coercing.compile({ type: 'object', properties: { [name]: schema } });
      const isTaken = (value: string) => operations.searchContacts.query.safeParse({ [name]: value }).success;
      for (const value of taken) assert.deepEqual([validate({ [name]: value }), isTaken(value)], [true, true], value);
      for (const value of notTaken)
        assert.deepEqual([validate({ [name]: value }), isTaken(value)], [false, false], value);
    }
  });

  test('ids are opaque: one of a later form can be sent', () => {
    const later = 'con-0190b2f4/later';
    for (const operation of all) {
      const { parameters } = at(pathTo(operation)) as { parameters: { in: string; schema: Json }[] };
      for (const { schema } of parameters.filter((each) => each.in === 'path'))
        assert.deepEqual(schema, { type: 'string' });
    }
    assert.ok(validatorAt(bodyPath(operations.authenticateContact))({ id: later }));
    assert.ok(validatorAt(bodyPath(operations.createSecret))({ ...secret, bots: [later] }));
    const signIn = { email: 'jane@example.com', password: 'x', organizationId: later };
    assert.ok(validatorAt(bodyPath(operations.signIn))(signIn));
  });
});
