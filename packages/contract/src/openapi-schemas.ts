// The schemas of the OpenAPI document. Answers are open, because a client that was generated from the document must take
// what docs/versioning.md says may come; inputs are as strict as the server. The contract's own schemas stay strict.
import * as z from 'zod';
import { idKinds } from './ids.ts';

export type Json = Record<string, unknown>;

/** Schemas with an id become components, whichever operation uses them first. */
export class DocumentSchemas {
  readonly components: Json = {};

  input(schema: z.ZodType): Json {
    return this.#convert(schema, 'input', tidy);
  }

  answer(schema: z.ZodType): Json {
    return this.#convert(schema, 'output', (context) => {
      tidy(context);
      open(context.jsonSchema);
    });
  }

  #convert(schema: z.ZodType, io: 'input' | 'output', override: (context: Context) => void): Json {
    const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
    const { $schema, $defs, ...root } = JSON.parse(
      JSON.stringify(converted).replaceAll('#/$defs/', '#/components/schemas/'),
    ) as Json & { $defs?: Json };
    for (const [name, component] of Object.entries($defs ?? {})) {
      this.components[name] ??= component;
      if (JSON.stringify(this.components[name]) === JSON.stringify(component)) continue;
      throw new Error(`${name} is both an input and an answer: give each a schema with an id of its own`);
    }
    return root;
  }
}

interface Context {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: Json;
}

const idPatterns: readonly unknown[] = Object.values(idKinds).map(({ pattern }) => pattern.source);

/**
 * Drops the bounds that every number has, the pattern of timestamps and component ids; keeps the defaults of input. Ids
 * are opaque in inputs too: a client must be able to send back an id of a form that came later.
 */
function tidy({ zodSchema, jsonSchema }: Context): void {
  delete jsonSchema['id'];
  const fallback = z.globalRegistry.get(zodSchema)?.['default'];
  if (fallback !== undefined) jsonSchema['default'] = fallback;
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  joinNull(jsonSchema);
  if (jsonSchema['format'] === 'date-time' || idPatterns.includes(jsonSchema['pattern'])) delete jsonSchema['pattern'];
}

/** `type: [string, null]` says the same as an `anyOf` of the two, and generators and readers find the description. */
function joinNull(jsonSchema: Json): void {
  const [schema, ...others] = (jsonSchema['anyOf'] ?? []) as Json[];
  const isNullable = others.length === 1 && others[0]?.['type'] === 'null';
  if (!isNullable || typeof schema?.['type'] !== 'string' || 'enum' in schema || 'const' in schema) return;
  delete jsonSchema['anyOf'];
  Object.assign(jsonSchema, { ...schema, ...jsonSchema, type: [schema['type'], 'null'] });
}

/** For known values where others may come: the keyword of the Zalando RESTful API guidelines. */
const extensibleEnum = 'x-extensible-enum';

/** Further members, further values and other forms of text may come. The known values are named. */
function open(jsonSchema: Json): void {
  const { enum: values, const: only, [extensibleEnum]: inherited, description } = jsonSchema;
  for (const name of ['enum', 'const', 'pattern']) delete jsonSchema[name];
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  // One that is made from another schema, with a description of its own, inherits what that became by this function.
  const known = (values ?? inherited ?? (only === undefined ? undefined : [only])) as unknown[] | undefined;
  if (known === undefined) return;
  const note = `Known values: ${known.map((value) => `\`${value}\``).join(', ')}. Later versions may add others.`;
  jsonSchema[extensibleEnum] = known;
  if (description === undefined) jsonSchema['description'] = note;
  else if (!String(description).endsWith(note)) jsonSchema['description'] = `${description} ${note}`;
}
