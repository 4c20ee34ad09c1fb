// Every list and object of an input: how long it may be is checked before anything in it is looked at.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as z from 'zod';
import { list } from './bounded.ts';
import { contactUpsertSchema } from './contact.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

/** Their items are counted and validated by the handler, one after the other: an upsert's are tested by their own schema. */
const readByHandler = /^(account\.)?contacts\.(upsert|deleteMany)$/;

interface Found {
  kind: 'array' | 'record';
  /** What is asked before the list is. */
  guard: z.ZodType | undefined;
}

interface Definition {
  type: string;
  in: z.ZodType;
  out: z.ZodType;
  innerType?: z.ZodType;
  options?: z.ZodType[];
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
}

/** The lists of a schema, and its objects of any members. */
function longOnes(schema: z.ZodType, guard?: z.ZodType): Found[] {
  const definition = schema._zod.def as unknown as Definition;
  const { type, innerType, options = [], shape = {}, element, valueType } = definition;
  if (type === 'pipe') {
    const own = definition.in._zod.def.type === 'transform' ? schema : guard;
    return [...longOnes(definition.in, own), ...longOnes(definition.out, own)];
  }
  const same = [...(innerType ? [innerType] : []), ...options].flatMap((inner) => longOnes(inner, guard));
  const below = [...Object.values(shape), ...(element ? [element] : []), ...(valueType ? [valueType] : [])];
  return [
    ...(type === 'array' || type === 'record' ? [{ kind: type, guard } as const] : []),
    ...same,
    ...below.flatMap((inner) => longOnes(inner)),
  ];
}

const long = 1_000_000;
const untouchable = (target: object) =>
  new Proxy(target, {
    get(_, name) {
      if (name === 'length') return long;
      throw new Error(`${String(name)} was looked at`);
    },
  });
const manyMembers = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, null]));

function refusesUnseen({ kind, guard }: Found): boolean {
  const result = guard?.safeParse(kind === 'array' ? untouchable([]) : untouchable(manyMembers));
  return result?.success === false && result.error.issues.length === 1;
}

suite('lists and objects of bodies', () => {
  const all: readonly Operation[] = Object.values(operations);
  const bodies = all.filter(({ body }) => body !== undefined && body.isValidatedByHandler !== true);
  for (const { id, path, body } of bodies) {
    test(`${id}, ${path}: one that is too long is refused before it is looked at`, () => {
      for (const found of longOnes(body?.schema as z.ZodType)) assert.ok(refusesUnseen(found), found.kind);
    });
  }

  test('those of a contact too', () => {
    const found = all
      .filter(({ id, body }) => body?.isValidatedByHandler && !readByHandler.test(id))
      .flatMap(({ body }) => longOnes(body?.schema as z.ZodType));
    assert.ok(found.length >= 3);
    for (const each of found) assert.ok(refusesUnseen(each), each.kind);
  });

  test('those of an item of an upsert too', () => {
    const found = longOnes(contactUpsertSchema);
    assert.ok(found.length >= 3);
    for (const each of found) assert.ok(refusesUnseen(each), each.kind);
  });
});

test('a list without a bound would be found', () => {
  const [naked] = longOnes(z.object({ a: z.array(z.string()).max(3).optional() }));
  const [guarded] = longOnes(z.object({ a: list(z.string(), { max: 3, error: 'a', tooLong: 'b' }).optional() }));
  assert.deepEqual(
    [naked, guarded].map((each) => refusesUnseen(each as Found)),
    [false, true],
  );
});
