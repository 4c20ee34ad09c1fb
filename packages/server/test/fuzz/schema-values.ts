// Values that fit a schema of the contract, mostly, as arbitraries of fast-check. References stand for what
// exists when the request is sent (world.ts): `~botId.2~` for any of its kind, `~botId!2~` for any but the run's own.

import { limits } from '@roster/contract';
import * as fc from 'fast-check';
import * as z from 'zod';
import { oddText, oddValue } from './odd-values.ts';

interface JsonSchema {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
}

/** Of everybody who joins, so that sign-ins and confirmations succeed too. */
export const password = 'seven lanterns under the harbour bridge';

/** Where nobody listens: no message of the fuzz leaves the machine. */
export const closedReceiver = 'http://127.0.0.1:1/hooks';

/** Few, so that contacts are found, taken and changed. */
const email = fc.oneof(
  fc.nat(12).map((n) => `fuzz${n}@example.com`),
  fc.nat(3).map((n) => `FÜZZ${n}@exämple.com`),
  fc.nat(1_000_000).map((n) => `fuzz${n}@example.com`),
  fc.constant('~memberEmail.0~'),
);
const instant = fc.oneof(
  fc.date({ min: new Date(), max: new Date('2040-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('1999-12-31T23:59:59.999Z', null),
);

export function reference(kind: string, others = 8): fc.Arbitrary<string> {
  return fc.nat(others).map((n) => `~${kind}.${n}~`);
}

const byField: Record<string, fc.Arbitrary<unknown>> = {
  email,
  id: reference('contactId'),
  token: reference('linkToken', 3),
  password: fc.constant(password),
  currentPassword: fc.constant(password),
  newPassword: fc.constantFrom(password, 'another harbour under seven bridges'),
  expiresAt: instant,
  query: fc.oneof(
    fc.constantFrom('fuzz', 'a b', '5550100', 'con_', 'é', 'x y z', '%', '1'),
    fc
      .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }), { maxLength: 140 })
      .map((words) => words.join(' ')),
  ),
  attributes: fc.oneof(
    fc.constantFrom({}, { plan: 'pro' }, { plan: null }, { plan: 5 }, { seats: 5 }),
    fc.dictionary(fc.constantFrom('plan', 'seats', '__proto__', 'constructor'), fc.oneof(oddText, oddValue)),
  ),
  after: fc.oneof({ weight: 3, arbitrary: reference('contactId') }, { weight: 1, arbitrary: fc.constant('') }),
  before: fc.constantFrom(`9000000000000-aud_${'a0'.repeat(17)}`, '1', '7'),
  url: fc.constantFrom(closedReceiver, 'https://127.0.0.1:1/?key=x#y', 'http://[::1]:1', 'https://user@localhost:1'),
  page: fc.constantFrom('1', '2', '3', '1000000', '9007199254740991'),
  limit: fc.constantFrom('1', '10', '100', '1000'),
};

/** What the items of a list are, by its name. */
const fieldOfItems: Record<string, string> = { ids: 'contactId', bots: 'botId' };

export function inputOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
  };
  const text = JSON.stringify(root, (_, value) => {
    const name = typeof value?.$ref === 'string' ? value.$ref.replace('#/$defs/', '') : undefined;
    return name === undefined ? value : root.$defs?.[name];
  });
  return anyValue(JSON.parse(text), '');
}

function anyValue(schema: JsonSchema, field: string): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 24, arbitrary: fittingValue(schema, field) },
    { weight: 2, arbitrary: oddText },
    { weight: 1, arbitrary: oddValue },
  );
}

/** A list that is no longer than a body may be: the item may be a long list itself. */
function repeated(item: unknown, length: number): unknown[] {
  const bytes = (JSON.stringify(item) ?? '').length + 1;
  return Array(Math.ceil(Math.min(length, limits.bodyBytes / bytes))).fill(item);
}

function fittingValue(schema: JsonSchema, field: string): fc.Arbitrary<unknown> {
  const { properties, required = [] } = schema;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, inner]) => [name, anyValue(inner, name)]);
    return fc
      .tuple(
        fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: required }),
        fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.dictionary(oddText, oddValue) }),
      )
      .map(([known, unknown]) => ({ ...unknown, ...known }));
  }
  const known = byField[field];
  if (known !== undefined) return known;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => fittingValue(each, field)));
  if (schema.items !== undefined) {
    const item = anyValue(schema.items, fieldOfItems[field] ?? '');
    const long = fc.tuple(item, fc.constantFrom(51, 1001, 12_000)).map(([one, length]) => repeated(one, length));
    return fc.oneof({ weight: 40, arbitrary: fc.array(item, { maxLength: 4 }) }, { weight: 1, arbitrary: long });
  }
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 100, 1e6) });
    case 'null':
      return fc.constant(null);
    default:
      if (/Id$/.test(field)) return reference(field);
      return schema.examples === undefined ? fc.constantFrom('Fuzz', 'Jane Doe') : fc.constantFrom(...schema.examples);
  }
}
