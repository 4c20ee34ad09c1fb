// Segments: filters of a bot that are kept under a key. A filter here is an object with typed values; in a query string it is
// parameters. The client takes the same object.
import * as z from 'zod';
import { bounded, list } from './bounded.ts';
import { dateBoundRule, digitRule } from './filter-values.ts';
import { limits } from './limits.ts';
import { type RangeOperator, sorts } from './names.ts';
import { required, text } from './text.ts';

const value = z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' });
const filled = required({ description: 'Must match exactly.', example: 'jane@example.com' });

type Members = Record<string, z.ZodType>;

/** An object with at least one of these members. */
function someOf<Shape extends Members>(members: Shape) {
  const optional = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.optional()]));
  return z
    .strictObject(optional as { [Name in keyof Shape]: z.ZodOptional<Shape[Name]> })
    .refine((given) => Object.keys(given).length > 0, {
      error: `must have one of: ${Object.keys(members).join(', ')}`,
    });
}

function rangeOf<Bound extends z.ZodType>(bound: Bound) {
  return { gte: bound, gt: bound, lte: bound, lt: bound } satisfies Record<RangeOperator, Bound>;
}

const time = filled.refine(dateBoundRule.isMet, { error: dateBoundRule.error });
const times = someOf(rangeOf(time));
const exists = z.boolean({ error: 'must be true or false' });

const tooMany = `must have at most ${limits.filterValues} values`;
/** Of the whole filter, so also of each list and object in it. */
const ofValues = { max: limits.filterValues, tooLong: tooMany };

const attributeCondition = bounded(
  z.union(
    [
      z.array(value).min(1),
      someOf({
        ...rangeOf(z.union([z.string(), z.number()])),
        not: list(value, { ...ofValues, error: 'must be a list of values', empty: 'must have at least one value' }),
        contains: filled,
        exists,
      }),
    ],
    {
      error:
        'must be a list of values, or conditions like { "gte": 10 }, { "not": ["pro"] }, { "contains": "pro" } or { "exists": true }',
    },
  ),
  ofValues,
);

const containsOrExists = someOf({ contains: filled, exists });
const conditionOn = (exact: typeof filled) =>
  z.union([exact, containsOrExists], {
    error: 'must be a string, or conditions like { "contains": "doe" } or { "exists": true }',
  });

const tags = list(filled, {
  ...ofValues,
  error: 'must be a list of tags',
  empty: 'must name at least one tag',
});
const tagCondition = bounded(
  z.union([tags, someOf({ all: tags, any: tags, not: tags, exists })], {
    error: 'must be a list of tags, or conditions like { "any": ["vip"] }, { "not": ["vip"] } or { "exists": false }',
  }),
  ofValues,
);

const number = filled.refine(digitRule.isMet, { error: digitRule.error });

/** An input and an answer have a name each in the OpenAPI document. */
function filterNamed(id: string) {
  return z
    .strictObject({
      name: containsOrExists.optional(),
      email: conditionOn(filled).optional(),
      phone: conditionOn(number).optional(),
      mid: conditionOn(filled).optional(),
      wid: conditionOn(number).optional(),
      tag: tagCondition.optional(),
      createdAt: times.optional(),
      updatedAt: times.optional(),
      lastSeenAt: someOf({ ...rangeOf(time), exists }).optional(),
      attributes: bounded(z.record(z.string(), attributeCondition), ofValues).optional(),
    })
    .refine((filter) => countOf(filter) <= limits.filterValues, {
      error: tooMany,
      when: ({ issues }) => issues.length === 0,
    })
    .meta({
      id,
      description:
        'Contacts must match all conditions. A list of an attribute: any of these values. A list of tags: all of them.',
      examples: [
        {
          tag: ['vip'],
          createdAt: { gte: '-30d' },
          attributes: { plan: ['pro'], seats: { gte: 10 }, trial: { exists: false }, city: { not: ['Rome'] } },
        },
      ],
    });
}

export const filterSchema = filterNamed('Filter');

export type ContactFilter = z.output<typeof filterSchema>;

function countOf(filter: unknown): number {
  return typeof filter === 'object' && filter !== null
    ? Object.values(filter).reduce((sum: number, member) => sum + countOf(member), 0)
    : 1;
}

const label = required({
  description: 'Name of the segment.',
  maxLength: limits.segmentLabelLength,
  example: 'Trial users',
});
const sort = z.enum(sorts, { error: `must be one of: ${sorts.join(', ')}` }).default('-createdAt');

export const segmentDefinitionSchema = z
  .object({
    label,
    query: text({
      description: 'Search words.',
      maxLength: limits.segmentQueryLength,
      example: 'doe',
    }).default(''),
    filter: filterSchema,
    sort,
  })
  .meta({ id: 'SegmentDefinition' });

export const segmentSchema = z
  .strictObject({
    key: z.string(),
    label: z.string(),
    query: z.string(),
    filter: filterNamed('SegmentFilter'),
    sort: z.string(),
    total: z.int().min(0).optional().meta({ description: 'Only with `include=total`: the number of contacts.' }),
  })
  .meta({ id: 'Segment' });

export type Segment = z.infer<typeof segmentSchema>;
