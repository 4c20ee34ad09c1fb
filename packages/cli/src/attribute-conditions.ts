// Conditions on attributes, and on what else a contact may have or lack, as options of a command: --where, --has and --has-no.
import type { AttributeCondition, ContactFilter } from '@roster/client';
import { readValueCell } from '@roster/contact-files/value-cells';
import type { AttributeDefinition } from '@roster/contact-files/value-columns';
import { contactFields } from '@roster/contract/names';
import { InvalidArgumentError, Option } from 'commander';
import { refusal, usageError } from './failure.ts';

type Conditions = NonNullable<ContactFilter['attributes']>;

const operators = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt', '!=': 'not', '~': 'contains' } as const;

interface Comparison {
  key: string;
  operator: '=' | keyof typeof operators;
  value: string;
}

export interface ConditionFlags {
  where?: Comparison[];
  has?: string[];
  hasNo?: string[];
}

const keyForm = '[a-z][a-z0-9_]*';

/** What beside attributes has a value or none. No attribute has one of these keys. */
const ownNames = [...contactFields, 'tags', 'lastSeenAt'] as const;
type OwnName = (typeof ownNames)[number];
type OwnConditions = Partial<Record<OwnName, NonNullable<ContactFilter['name']>>>;

const isOwnName = (key: string): key is OwnName => (ownNames as readonly string[]).includes(key);
const isField = (key: string) => (contactFields as readonly string[]).includes(key);

export function conditionOptions(): Option[] {
  return [
    new Option(
      '--where <condition>',
      'KEY=VALUE of an attribute; also "!=", "~" (contains), ">=", "<=", ">" and "<"; repeat a key to match any of its values; "name~doe" and so on for a field',
    ).argParser(readWhere),
    new Option('--has <key>', 'with a value for this attribute or field; also tags, lastSeenAt').argParser(readKey),
    new Option('--has-no <key>', 'without a value for this attribute or field; also tags, lastSeenAt').argParser(
      readKey,
    ),
  ];
}

function readWhere(text: string, before: Comparison[] = []): Comparison[] {
  const parts = new RegExp(`^\\s*(${keyForm})\\s*(>=|<=|!=|=|>|<|~)(.*)$`, 's').exec(text);
  const [, key = '', operator = '=', value = ''] = parts ?? [];
  // Without quotes, the shell takes > and what follows for a file.
  if (value.trim() === '') throw new InvalidArgumentError('Pass KEY=VALUE, or a comparison in quotes: "KEY>=VALUE".');
  if (key === 'tags') throw new InvalidArgumentError('For tags, pass --tag, --any-tag or --not-tag.');
  if (isField(key) && operator !== '~') {
    const exact = key === 'name' ? '' : ` For the whole value, pass --${key}.`;
    throw new InvalidArgumentError(`For text in a field, pass "${key}~TEXT".${exact}`);
  }
  return [...before, { key, operator: operator as Comparison['operator'], value: value.trim() }];
}

function readKey(text: string, before: string[] = []): string[] {
  if (isOwnName(text) || new RegExp(`^${keyForm}$`).test(text)) return [...before, text];
  throw new InvalidArgumentError(`Pass an attribute key, such as plan, or one of ${ownNames.join(', ')}.`);
}

/** `attributes` is undefined without any. */
export function conditionsOf({ where = [], has = [], hasNo = [] }: ConditionFlags): {
  own: OwnConditions;
  attributes: Conditions | undefined;
} {
  const conditions: Record<string, AttributeCondition> = {};
  const clash = (key: string) =>
    usageError(
      `These conditions on ${key} cannot be combined. Pass values alone, or each comparison, --has and --has-no once.`,
    );
  for (const { key, operator, value } of where) {
    const other = conditions[key];
    if (operator === '=') {
      if (other !== undefined && !Array.isArray(other)) throw clash(key);
      conditions[key] = [...(other ?? []), value];
    } else {
      const name = operators[operator];
      const before = (other as Record<string, unknown> | undefined)?.[name];
      if (Array.isArray(other) || (before !== undefined && name !== 'not')) throw clash(key);
      conditions[key] = { ...other, [name]: name === 'not' ? [...((before as string[]) ?? []), value] : value };
    }
  }
  const existing = [has.map((key) => ({ key, exists: true })), hasNo.map((key) => ({ key, exists: false }))].flat();
  for (const { key, exists } of existing) {
    const other = conditions[key];
    if (Array.isArray(other) || (other !== undefined && 'exists' in other)) throw clash(key);
    conditions[key] = { ...other, exists };
  }
  const { own = [], attributes } = Object.groupBy(Object.entries(conditions), ([key]) =>
    isOwnName(key) ? 'own' : 'attributes',
  );
  return {
    own: Object.fromEntries(own) as OwnConditions,
    attributes: attributes && Object.fromEntries(attributes),
  };
}

/** For a segment, whose values have types. In a request of a search they are text. */
export function withTypes(conditions: Conditions, definitions: readonly AttributeDefinition[]): Conditions {
  const typed = Object.entries(conditions).map(([key, condition = []]) => {
    const definition = definitions.find((each) => each.key === key);
    if (definition === undefined) {
      throw refusal(`The bot has no attribute "${key}". To see all attributes, run "roster attribute list".`);
    }
    const read = (value: unknown) => {
      // A date may be relative, which the server knows about.
      if (definition.type === 'date' || typeof value !== 'string') return value;
      const result = readValueCell(definition.type, value);
      if ('fault' in result) throw usageError(`--where ${key}: ${value} ${result.fault}.`);
      return result.value;
    };
    if (Array.isArray(condition)) return [key, condition.map(read)];
    const readEach = (bound: unknown) => (Array.isArray(bound) ? bound.map(read) : read(bound));
    return [key, Object.fromEntries(Object.entries(condition).map(([operator, bound]) => [operator, readEach(bound)]))];
  });
  return Object.fromEntries(typed);
}

/** The options that make the same conditions. */
export function optionsOfConditions(conditions: Conditions): string[] {
  return Object.entries(conditions).flatMap(([key, condition = []]): string[] => {
    if (Array.isArray(condition)) return condition.flatMap((value) => ['--where', `${key}=${value}`]);
    const { exists, ...compared } = condition as Record<string, unknown>;
    const comparisons = Object.entries(operators).flatMap(([sign, operator]) =>
      [compared[operator] ?? []].flat().flatMap((value) => ['--where', `${key}${sign}${value}`]),
    );
    return exists === undefined ? comparisons : [...comparisons, exists ? '--has' : '--has-no', key];
  });
}
