// Segments: filters of a bot that are kept under a key. A filter here is an object with typed values; in a query string it is
// parameters. The client takes the same object.
import * as z from 'zod';
import { bounded, list } from './bounded.ts';
import { dateBoundRule, digitRule } from './filter-values.ts';
import { limits } from './limits.ts';
import { rangeOperators, sorts } from './names.ts';
import { required, text } from './text.ts';

const value = z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' });
const filled = required({ description: 'Must match exactly.', example: 'jane@example.com' });

function rangeOf<Bound extends z.ZodType>(bound: Bound) {
  const members = Object.fromEntries(rangeOperators.map((operator) => [operator, bound.optional()]));
  return z
    .strictObject(members as Record<(typeof rangeOperators)[number], z.ZodOptional<Bound>>)
    .refine((range) => Object.keys(range).length > 0, { error: `must have one of: ${rangeOperators.join(', ')}` });
}

const time = rangeOf(filled.refine(dateBoundRule.isMet, { error: dateBoundRule.error }));

const tooMany = `must have at most ${limits.filterValues} values`;
/** Of the whole filter, so also of each list and object in it. */
const ofValues = { max: limits.filterValues, tooLong: tooMany };

const attributeCondition = bounded(
  z.union(
    [z.array(value).min(1), rangeOf(z.union([z.string(), z.number()])), z.strictObject({ exists: z.boolean() })],
    { error: 'must be a list of values, a range like { "gte": 10 }, or { "exists": true }' },
  ),
  ofValues,
);

const number = filled.refine(digitRule.isMet, { error: digitRule.error });

/** An input and an answer have a name each in the OpenAPI document. */
function filterNamed(id: string) {
  return z
    .strictObject({
      email: filled.optional(),
      phone: number.optional(),
      mid: filled.optional(),
      wid: number.optional(),
      tag: list(filled, {
        ...ofValues,
        error: 'must be a list of tags',
        empty: 'must name at least one tag',
      }).optional(),
      createdAt: time.optional(),
      updatedAt: time.optional(),
      attributes: bounded(z.record(z.string(), attributeCondition), ofValues).optional(),
    })
    .refine((filter) => countOf(filter) <= limits.filterValues, {
      error: tooMany,
      when: ({ issues }) => issues.length === 0,
    })
    .meta({
      id,
      description:
        'Contacts must match all conditions. For an attribute: a list of values (any of them), a range, or whether it has a value.',
      examples: [
        {
          tag: ['vip'],
          createdAt: { gte: '-30d' },
          attributes: { plan: ['pro'], seats: { gte: 10 }, trial: { exists: false } },
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
