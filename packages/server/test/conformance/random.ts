// Random choices that can be repeated, and the small pools that random contacts and queries are drawn from: small, so
// that emails conflict and queries find something.
import type { Contact } from '@roster/contract';
import type { ContactFields, UpsertItem } from '../../src/store/store.ts';
import { withKey } from '../sample.ts';

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
const phones = ['', '', '+1 (555) 010-0', '555-0100', '0100', '(030) 12.34', '12', 'ext. 47 11', '٤٧١١'];
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

export function randomItem(random: Random): UpsertItem {
  const { name, ...changes } = randomChanges(random);
  return withKey({
    ...changes,
    ...(!random.isOneIn(12) && { name: name ?? randomName(random) }),
    email: randomEmail(random),
  });
}

/** Up to three words, most of them parts of what is there. */
export function randomQuery(random: Random, contacts: readonly Contact[]): string {
  return random.many(3, () => randomWord(random, contacts)).join(random.pick([' ', '  ', '\t']));
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
