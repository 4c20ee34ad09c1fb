// Answers in the OpenAPI document: what docs/versioning.md says may come fits them, and the tests' own schemas stay strict.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as z from 'zod';
import { problemSchema } from '../src/errors.ts';
import { DocumentSchemas, type Json } from '../src/openapi-schemas.ts';
import { all, answerPath, at, type Path, validatorAt } from './openapi-document.ts';

/** Each schema below the one at the path, with its own path. References are followed once. */
function* schemasBelow(keys: Path, seen = new Set<string>()): Generator<[string, Json]> {
  const schema = at(keys) as Json;
  yield [keys.join(' '), schema];
  const inner: Path[] = [];
  for (const name of ['items', 'additionalProperties', 'propertyNames']) {
    if (typeof schema[name] === 'object') inner.push([...keys, name]);
  }
  for (const name of ['properties', 'anyOf', 'oneOf', 'allOf']) {
    for (const key of Object.keys((schema[name] ?? {}) as Json)) inner.push([...keys, name, key]);
  }
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined && !seen.has($ref)) inner.push($ref.slice(2).split('/'));
  if ($ref !== undefined) seen.add($ref);
  for (const below of inner) yield* schemasBelow(below, seen);
}

/** An answer of a later version: each object has one more member, each text another form. Keys of users have a value. */
function laterAnswer(keys: Path): unknown {
  const { $ref, ...schema } = at(keys) as Json & { $ref?: string; properties?: Json; anyOf?: unknown[] };
  if ($ref !== undefined) return laterAnswer($ref.slice(2).split('/'));
  if (schema.anyOf !== undefined) return laterAnswer([...keys, 'anyOf', 0]);
  switch ([schema['type']].flat()[0]) {
    case 'object': {
      if (typeof schema['additionalProperties'] === 'object' && schema.properties === undefined) {
        return { keyOfUser: laterAnswer([...keys, 'additionalProperties']) };
      }
      const names = Object.keys(schema.properties ?? {});
      const members = names.map((name) => [name, laterAnswer([...keys, 'properties', name])]);
      return { ...Object.fromEntries(members), memberOfLaterVersion: { any: ['value'] } };
    }
    case 'array':
      return [laterAnswer([...keys, 'items'])];
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      if (schema['format'] === 'date-time') return '2026-11-14T09:30:00.123Z';
      if (schema['format'] === 'date') return '2026-11-14';
      return schema['format'] === 'uri' ? 'https://roster.test/later' : 'Of-A-Later:Version/1';
  }
}

suite('answers', () => {
  const answering = all.filter(({ answer }) => answer.schema !== undefined && answer.mediaType === undefined);
  const problemPath = ['components', 'schemas', 'Problem'];
  const answers = [
    { title: 'problems', path: problemPath, strict: problemSchema as z.ZodType },
    ...answering.map((each) => ({ title: each.id, path: answerPath(each), strict: each.answer.schema as z.ZodType })),
  ];

  test('close nothing that docs/versioning.md leaves open: members, values, forms of ids', () => {
    const closing = ['enum', 'const', 'pattern', 'oneOf', 'not', 'unevaluatedProperties', 'maxProperties', 'maxLength'];
    for (const { path } of answers) {
      for (const [where, schema] of schemasBelow(path)) {
        assert.notEqual(schema['additionalProperties'], false, where);
        for (const keyword of closing) assert.ok(!(keyword in schema), `${where} ${keyword}`);
      }
    }
  });

  for (const { title, path, strict } of answers) {
    test(`${title}: an answer of a later version fits the document, and not the strict schema of the tests`, () => {
      const later = laterAnswer(path);
      const validate = validatorAt(path);
      assert.ok(validate(later), JSON.stringify([validate.errors, later]));
      assert.equal(strict.safeParse(later).success, false);
    });

    test(`${title}: an answer without its members, or with one of another type, does not fit the document`, () => {
      const validate = validatorAt(path);
      assert.equal(validate({}), false);
      for (const [name, value] of Object.entries(laterAnswer(path) as Json)) {
        if (name === 'memberOfLaterVersion') continue;
        const odd = typeof value === 'boolean' ? 'true' : true;
        assert.equal(validate({ ...(laterAnswer(path) as Json), [name]: odd }), false, name);
      }
    });
  }

  test('known values are named, for people and for programs', () => {
    const { properties } = at(['components', 'schemas', 'Member']) as { properties: Record<string, Json> };
    assert.deepEqual(properties['role'], {
      type: 'string',
      'x-extensible-enum': ['owner', 'member', 'viewer'],
      description: 'Known values: `owner`, `member`, `viewer`. Later versions may add others.',
    });
  });

  test('a component is an input or an answer: one that would have to be open and strict is refused', () => {
    const schema = z.strictObject({ a: z.enum(['x', 'y']) }).meta({ id: 'InputAndAnswer' });
    const schemas = new DocumentSchemas();
    schemas.answer(z.object({ data: schema }));
    schemas.answer(z.object({ data: schema, more: schema }));
    assert.throws(() => schemas.input(z.object({ data: schema })), /InputAndAnswer is both an input and an answer/);
  });
});
