// Filters and order of lists, searches and exports, as parameters: `email=`, `createdAt[gte]=`, `sort=`.
import * as z from 'zod';
import { dateBoundRule, type digitRule, exactFilters } from './filter-values.ts';
import { limits } from './limits.ts';
import { attributeOperators, contactFields, type RangeOperator, rangeOperators, sorts } from './names.ts';
import { parameter } from './text.ts';
import { emptyFault } from './text-rules.ts';

/** Names of filters that compare with times, each by one of the operators. */
export const timeNames = ['createdAt', 'updatedAt', 'lastSeenAt'] as const;
export type FilteredTime = (typeof timeNames)[number];

const filterValue = parameter
  .overwrite((value) => value.trim())
  .refine((value) => value !== '', {
    error: emptyFault,
  });

/** An empty value is reported as such. */
const filterValueBy = ({ isMet, error }: typeof digitRule) =>
  filterValue.refine((value) => value === '' || isMet(value), { error });

const exactValue = (name: keyof typeof exactFilters) => {
  const rule = exactFilters[name];
  return rule === undefined ? filterValue : filterValueBy(rule);
};

const time = filterValueBy(dateBoundRule).optional();

const operatorMeanings: Record<RangeOperator, string> = {
  gte: 'At this time or later',
  gt: 'Later than this time',
  lte: 'At this time or earlier',
  lt: 'Earlier than this time',
};

function timeParameters<Name extends FilteredTime>(name: Name) {
  const parameters = rangeOperators.map((operator) => [
    `${name}[${operator}]`,
    time.meta({
      description: `${operatorMeanings[operator]}: an ISO 8601 date (midnight UTC), a date-time with \`Z\` or an offset, or a time from now, like \`-30d\`, \`-12h\` or \`30d\`.`,
      examples: ['-30d'],
    }),
  ]);
  return Object.fromEntries(parameters) as Record<`${Name}[${RangeOperator}]`, typeof time>;
}

const flag = (description: string) =>
  parameter
    .refine((value) => value === 'true' || value === 'false', { error: 'must be true or false' })
    .optional()
    .meta({ description, enum: ['true', 'false'] });

const fieldNouns = { name: 'name', email: 'email', phone: 'phone', wid: 'WhatsApp ID', mid: 'Messenger ID' } as const;
export type FilteredField = keyof typeof fieldNouns;

function fieldParameters<Name extends FilteredField>(name: Name) {
  const noun = fieldNouns[name];
  const ofNumber = ' A value of digits is compared with the digits.';
  const contains = filterValue.optional().meta({
    description: `Contacts whose ${noun} contains this text, ignoring case and accents.${name === 'phone' || name === 'wid' ? ofNumber : ''}`,
    examples: [{ name: 'doe', email: '@example.com', phone: '555', wid: '555', mid: '48' }[name]],
  });
  const exists = flag(`Contacts with a ${noun}, or without one.`);
  const parameters = { [`${name}[contains]`]: contains, [`${name}[exists]`]: exists };
  return parameters as { [Key in `${Name}[contains]`]: typeof contains } & {
    [Key in `${Name}[exists]`]: typeof exists;
  };
}

const tags = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().map((tag) => tag.trim()))
    .refine((given) => given.every((tag) => tag !== ''), { error: emptyFault })
    .optional()
    .meta({ description, type: 'array', items: { type: 'string' }, examples: [['vip']] });

/** All that are given must hold, together with `query`. */
export const filterParameters = {
  email: exactValue('email')
    .optional()
    .meta({
      description: 'The contact with exactly this email, ignoring case.',
      examples: ['jane@example.com'],
    }),
  phone: exactValue('phone')
    .optional()
    .meta({
      description: 'Contacts whose phone has exactly these digits, ignoring other characters.',
      examples: ['+1 (555) 010-0123'],
    }),
  mid: exactValue('mid')
    .optional()
    .meta({
      description: 'Contacts with exactly this Messenger ID.',
      examples: ['4815162342'],
    }),
  wid: exactValue('wid')
    .optional()
    .meta({
      description: 'Contacts whose WhatsApp ID has exactly these digits.',
      examples: ['+15550100123'],
    }),
  ...fieldParameters('name'),
  ...fieldParameters('email'),
  ...fieldParameters('phone'),
  ...fieldParameters('mid'),
  ...fieldParameters('wid'),
  ...timeParameters('createdAt'),
  ...timeParameters('updatedAt'),
  ...timeParameters('lastSeenAt'),
  'lastSeenAt[exists]': flag('Contacts that the widget has recognized, or that it never has.'),
  tag: tags('Contacts with this tag, ignoring case and accents. Repeat it to require several tags.'),
  'tag[any]': tags('Contacts with at least one of these tags. Repeat it to give several.'),
  'tag[not]': tags('Contacts with none of these tags. Repeat it to give several.'),
  'tag[exists]': flag('Contacts with a tag, or without any.'),
  segment: filterValue.optional().meta({
    description: 'Contacts in this segment. Other parameters narrow it.',
    examples: ['trial_users'],
  }),
};

const attributeForm = /^attributes\[([a-z][a-z0-9_]*)\](?:\[(\w+)\])?$/;
const isAttributeOperator = (operator: string | undefined) =>
  operator === undefined || (attributeOperators as readonly string[]).includes(operator);
/** Those that compare with several values. */
const isOfSeveral = (operator: string | undefined) => operator === undefined || operator === 'not';
const valuesOf = (value: unknown): string[] => [value as string | string[]].flat();

/** Whether operations that take filters know a parameter of this name. */
export function isAttributeParameter(name: string): boolean {
  return attributeForm.test(name);
}

const operatorForm = /^(\w+)\[/;

interface Fault {
  field: string;
  message: string;
}

const filteredNames: readonly string[] = [...contactFields, ...timeNames, 'tag', 'segment'];

/** What is wrong with a parameter that looks like a filter, and is none of those above. Other names are not judged. */
function faultOf(name: string, value: unknown): Fault | undefined {
  if (Object.hasOwn(filterParameters, name)) return undefined;
  const field = operatorForm.exec(name)?.[1] ?? name;
  if (field === 'attributes') return faultOfAttribute(name, value);
  if (!filteredNames.includes(field)) return undefined;
  const forms = Object.keys(filterParameters).filter((each) => each === field || each.startsWith(`${field}[`));
  return { field, message: forms.length === 1 ? 'takes no operator' : needsOneOf(forms) };
}

function faultOfAttribute(name: string, value: unknown): Fault | undefined {
  const operator = attributeForm.exec(name)?.[2];
  if (!attributeForm.test(name) || !isAttributeOperator(operator)) {
    const forms = attributeOperators.map((each) => `attributes[key][${each}]`);
    return { field: 'attributes', message: needsOneOf(['attributes[key]', ...forms]) };
  }
  const values = valuesOf(value);
  if (!isOfSeveral(operator) && values.length > 1) return { field: name, message: 'must not be given twice' };
  return values.some((each) => each.trim() === '') ? { field: name, message: 'must not be empty' } : undefined;
}

const needsOneOf = (forms: readonly string[]) => `needs one of these forms: ${forms.join(', ')}`;

/** For `check` of an object that keeps what it does not know. A misspelt filter must not pass for none. */
export function checkFilters({ value, issues }: { value: object; issues: z.core.$ZodRawIssue[] }): void {
  const report = ({ field, message }: Fault) =>
    issues.push({ code: 'custom', message, path: [field], input: undefined });
  let count = 0;
  for (const [name, given] of Object.entries(value)) {
    const fault = faultOf(name, given);
    if (fault !== undefined) report(fault);
    if (given !== undefined && (Object.hasOwn(filterParameters, name) || isAttributeParameter(name))) {
      count += valuesOf(given).length;
    }
  }
  if (count > limits.filterValues)
    report({ field: 'filter', message: `must have at most ${limits.filterValues} values` });
}

export const sortParameter = parameter
  .refine((value) => sorts.includes(value), { error: `must be one of: ${sorts.join(', ')}` })
  .optional()
  .meta({
    description:
      'Sort order, descending with a leading `-`; ties are ordered by id. `name` is compared by its first 64 characters, ignoring case and accents.',
    enum: sorts,
    default: '-createdAt',
  });
