// Random choices that can be repeated, and the small pools that random contacts and queries are drawn from: small, so
// that emails conflict and queries find something.
import {
  type AttributeValue,
  attributeTypes,
  type Contact,
  contactFields,
  emailKey,
  rangeOperators,
  sortFields,
} from '@roster/contract';
import { containsIn, digitsOf, type Filter, longestTime, type Sort } from '../../src/contacts/filters.ts';
import { fold } from '../../src/contacts/search-text.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { ContactFields, UpsertItem } from '../../src/store/store.ts';
import type { AttributeDefinition, NewAttribute, Tag, ValueChanges } from '../../src/store/values/attribute-store.ts';
import { withKey } from '../sample.ts';

/** How many times longer than in `npm test` random tests are to run. */
export const randomRuns = Number(process.env['ROSTER_TEST_RUNS'] || 1);
// A loop up to NaN would have no round, and pass.
if (!(randomRuns > 0))
  throw new Error(`ROSTER_TEST_RUNS is ${process.env['ROSTER_TEST_RUNS']}, not a positive number.`);

/** Mulberry32: 32 bits of state, good enough to mix test cases. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.below(items.length)] as Item;
  }

  many<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}

const nameParts = [
  ...['Ana', 'ANN', 'José', 'Jose', 'Łukasz', 'Straße', 'Strasse', 'ΟΔΥΣΣΕΥΣ', 'İpek', 'q', 'ab', 'con', 'C3', 'a0b1'],
  ...[
    '李小龍',
    '小龍',
    '𠮷野',
    '👍👍🏽',
    '👍',
    'कमला',
    'ไทย',
    'ガラス',
    '100%',
    'a_b',
    'x"y',
    "O'Neil",
    'b\\s',
    'c*d',
    '4711',
  ],
];
const phones = [
  '',
  '',
  '+1 (555) 010-0',
  '555-0100',
  '0100',
  '(030) 12.34',
  '12',
  'ext. 47 11',
  '٤٧١١',
  '＋１ ５５５',
  '①2 ℡',
];
const mids = ['', '', '4815', 'm_%', 'MiD', '555-01'];
const wids = ['', '', '+15550100', '+4930123456', '+47110815'];
const locals = [
  'a',
  'b',
  'ana',
  'ann',
  'josé',
  'jose',
  'x_y',
  'x%y',
  "o'neil",
  'straße',
  'k',
  '4711',
  'm+1',
  '李',
  'con_',
];
const domains = ['x', 'example.com', 'EXAMPLE.org', 'bücher.example'];

const oddWords = [
  ...[
    '%',
    '_',
    '*',
    '"',
    '""',
    '\\',
    '\0',
    'a\0b',
    "'",
    'con',
    'con_',
    'CON_A',
    'c',
    'on_',
    'n_',
    '+',
    '()',
    '-',
    '.',
    '@',
  ],
  ...[
    '(555)',
    '+1',
    '01-00',
    '5550100',
    '47',
    '0',
    '7',
    'a*',
    '^a',
    '-a',
    '{',
    'name:a',
    'AND',
    'NEAR(',
    '👍',
    '🏽',
    '龍',
    'e\u0301',
    '\u094d',
    'ς',
    'K',
  ],
];

export function randomName(random: Random): string {
  const name = [random.pick(nameParts), ...random.many(2, () => random.pick(nameParts))].join(' ');
  return random.isOneIn(4) ? name.toUpperCase() : name;
}

export function randomEmail(random: Random): string {
  const email = `${random.pick(locals)}@${random.pick(domains)}`;
  const spellings = [email, email, email.toUpperCase(), email.normalize('NFD')];
  return random.pick(spellings);
}

export function randomFields(random: Random): ContactFields {
  return withKey({
    name: randomName(random),
    email: randomEmail(random),
    phone: random.pick(phones),
    mid: random.pick(mids),
    wid: random.pick(wids),
  });
}

/** Some of the fields, perhaps none. */
export function randomChanges(random: Random): Partial<Omit<ContactFields, 'emailKey'>> {
  const { emailKey: _, ...fields } = randomFields(random);
  return Object.fromEntries(Object.entries(fields).filter(() => random.isOneIn(3)));
}

export function randomItem(random: Random, definitions: readonly AttributeDefinition[]): UpsertItem {
  const { name, ...changes } = randomChanges(random);
  return withKey({
    ...changes,
    ...(!random.isOneIn(12) && { name: name ?? randomName(random) }),
    email: randomEmail(random),
    ...randomValues(random, definitions),
  });
}

const attributeKeys = ['plan', 'company', 'seats', 'trial', 'renewal', 'note'];
const texts = ['Pro', 'pro', 'ACME Straße', 'two\nlines', 'tab\there', '4711', '李小龍 GmbH', 'x', 'a0b1 c3', '👍🏽'];
const numbers = [0, 1, -1, 0.5, 4711, Number.MAX_SAFE_INTEGER, -1e-7];
const tagNames = ['vip', 'VIP', 'Víp', 'lead', 'new lead', 'Straße', 'strasse', '李', '𠮷', 'ﬁ', 'a/b', "'", '\ufffd'];

export function randomAttribute(random: Random): NewAttribute {
  const label = randomName(random);
  const description = random.pick(['', 'What it is about']);
  const type = random.pick(attributeTypes);
  const key = random.pick(attributeKeys);
  if (type !== 'choice') return { key, type, label, description };
  const choices = [random.pick(['Free', 'FREE']), ...random.pick([['Pro'], ['Straße', 'pro'], []])];
  return { key, type, label, description, choices };
}

export function randomTag(random: Random): Tag {
  return toTag(random.pick(tagNames));
}

function randomValue(random: Random, { type, choices = [] }: AttributeDefinition): AttributeValue {
  if (type === 'choice') return fold(random.isOneIn(10) ? 'Pro' : random.pick(choices));
  if (type === 'text') return random.pick(texts);
  if (type === 'number') return random.pick(numbers);
  return type === 'boolean' ? random.isOneIn(2) : random.pick([0, -1, 1_800_000_000_000, 253_402_300_799_999]);
}

/** Of these attributes, and now and then of one that does not exist. Often nothing at all. */
export function randomValues(random: Random, definitions: readonly AttributeDefinition[]): ValueChanges {
  const changes: ValueChanges = {};
  if (random.isOneIn(2)) {
    const chosen = definitions.filter(() => random.isOneIn(2));
    const value = (each: AttributeDefinition) => (random.isOneIn(4) ? null : randomValue(random, each));
    const entries = chosen.map((each) => [each.number, value(each)]);
    if (random.isOneIn(40)) entries.push([1_000_000, 'undefined']);
    changes.attributes = Object.fromEntries(entries);
  }
  const tags = () => random.many(4, () => randomTag(random));
  if (random.isOneIn(4)) changes.tags = { set: tags() };
  else if (random.isOneIn(3)) changes.tags = { add: tags(), remove: tags().map(({ key }) => key) };
  return changes;
}

/** Up to three words, most of them parts of what is there. */
export function randomQuery(random: Random, contacts: readonly Contact[]): string {
  return random
    .many(3, () => (random.isOneIn(8) ? random.pick(texts) : randomWord(random, contacts)))
    .join(random.pick([' ', '  ', '\t']));
}

function randomWord(random: Random, contacts: readonly Contact[]): string {
  if (contacts.length === 0 || random.isOneIn(4)) return random.pick(oddWords);
  const { id, name, email, phone, mid, wid } = random.pick(contacts);
  const characters = Array.from(random.pick([id, name, name, email, phone || email, mid || name, wid || name]));
  const part = random.isOneIn(5)
    ? characters
    : characters.splice(random.below(characters.length), 1 + random.below(random.pick([3, 6, 20])));
  const word = part.join('');
  return random.isOneIn(3) ? word.toUpperCase() : word;
}

/** Up to two, most of them for what is there. */
export function randomFilters(
  random: Random,
  contacts: readonly Contact[],
  definitions: readonly AttributeDefinition[],
): Filter[] {
  return random.many(3, () =>
    random.isOneIn(2) ? randomFilter(random, contacts) : randomValueFilter(random, definitions),
  );
}

/** On tags or an attribute, now and then on one that does not exist. */
function randomValueFilter(random: Random, definitions: readonly AttributeDefinition[]): Filter {
  if (random.isOneIn(3)) return { kind: 'not', filter: randomValueFilter(random, definitions) };
  if (definitions.length === 0 || random.isOneIn(2)) {
    if (random.isOneIn(5)) return { kind: 'hasTag' };
    const key = () => (random.isOneIn(20) ? 'a\0b' : randomTag(random).key);
    return { kind: 'tag', keys: [key(), ...(random.isOneIn(2) ? [] : random.many(3, key))] };
  }
  const definition = random.pick(definitions);
  const number = random.isOneIn(20) ? 1_000_000 : definition.number;
  const value = () => randomValue(random, definition);
  const folded = (each: AttributeValue) => (typeof each === 'string' ? fold(each) : each);
  if (random.isOneIn(4)) return { kind: 'hasAttribute', number };
  if (definition.type === 'text' && random.isOneIn(2)) {
    return { kind: 'attributeContains', number, text: partOf(random, String(value())) };
  }
  if ((definition.type === 'number' || definition.type === 'date') && random.isOneIn(2)) {
    const operators = rangeOperators.filter(() => random.isOneIn(3));
    const bounds = (operators.length === 0 ? (['gte'] as const) : operators).map((operator) => [operator, value()]);
    return { kind: 'attributeRange', number, range: Object.fromEntries(bounds) };
  }
  return { kind: 'attribute', number, values: [value(), ...random.many(2, value)].map(folded) };
}

/** Some characters of it, folded. */
function partOf(random: Random, text: string): string {
  const characters = Array.from(fold(text));
  return characters.splice(random.below(Math.max(1, characters.length)), 1 + random.below(6)).join('');
}

function randomFilter(random: Random, contacts: readonly Contact[]): Filter {
  const one = contacts.length === 0 ? undefined : random.pick(contacts);
  if (random.isOneIn(3)) {
    const field = random.pick(contactFields);
    const filter: Filter = random.isOneIn(3)
      ? { kind: 'hasField', field }
      : {
          kind: 'contains',
          field,
          ...containsIn(
            field,
            random.isOneIn(8) ? random.pick(oddWords) : partOf(random, one?.[field] || randomName(random)),
          ),
        };
    return random.isOneIn(3) && filter.kind === 'hasField' ? { kind: 'not', filter } : filter;
  }
  const kind = random.pick(['email', 'phone', 'wid', 'mid', 'createdAt', 'updatedAt', 'lastSeenAt'] as const);
  if (kind === 'email') return { kind, key: emailKey(one?.email ?? randomEmail(random)) };
  if (kind === 'mid') return { kind, value: one?.mid || random.pick(['con', 'a\0b', 'a b', '4711']) };
  if (kind === 'phone' || kind === 'wid') return { kind, digits: digitsOf(one?.[kind] || random.pick(phones)) || '7' };
  const ms = one === undefined ? 0 : Date.parse(one[kind === 'lastSeenAt' ? 'updatedAt' : kind]);
  const [fromMs, toMs] = random.pick([
    [ms, ms],
    [ms, 1e15],
    [-1e15, ms - 1],
    [ms - 5000, ms + 5000],
    [ms + 1, ms],
  ] as const);
  const filter: Filter = { kind, fromMs, toMs };
  return kind === 'lastSeenAt' && random.isOneIn(2) ? { kind: 'not', filter: { ...filter, ...longestTime } } : filter;
}

export function randomSort(random: Random): Sort {
  return { field: random.pick(sortFields), isDescending: random.isOneIn(2) };
}
