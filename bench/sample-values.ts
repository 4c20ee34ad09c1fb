// Eight attributes and three tags for each sample contact, the same in every run, and filters with a known share of hits. A
// change of this file invalidates every cached data set.
import { broadWord, type SampleContact, sampleContact } from './sample-contacts.ts';

export interface ValuedContact extends SampleContact {
  attributes: {
    plan: string;
    group: string;
    company: string;
    seats: number;
    score: number;
    active: boolean;
    renewal: string;
    joined: string;
  };
  tags: string[];
}

export const attributeTypes: Record<keyof ValuedContact['attributes'], string> = {
  plan: 'text',
  group: 'text',
  company: 'text',
  seats: 'number',
  score: 'number',
  active: 'boolean',
  renewal: 'date',
  joined: 'date',
};

/** What the search finds of a contact beside its fields. */
export function textsOf({ attributes }: ValuedContact): string[] {
  const keys = Object.keys(attributes) as (keyof typeof attributes)[];
  return keys.filter((key) => attributeTypes[key] === 'text').map((key) => String(attributes[key]));
}

const firstDayMs = Date.UTC(2020, 0, 1);
const dayMs = 86_400_000;
const groups = 1000;
/** A bot has at most a thousand tags. */
const cohorts = 990;
const renewalDays = 3650;

export function valuedContact(n: number): ValuedContact {
  return {
    ...sampleContact(n),
    attributes: {
      plan: n % 5 < 2 ? 'pro' : 'free',
      group: `Group ${n % groups}`,
      company: `Company ${n}`,
      seats: Math.floor(n / 3) % 1000,
      score: n / 7,
      active: n % 3 === 0,
      renewal: dayOf(n % renewalDays),
      joined: new Date(firstDayMs + n * 60_000).toISOString(),
    },
    tags: [Math.floor(n / 5) % 5 < 2 ? 'vip' : 'regular', `cohort ${Math.floor(n / 7) % cohorts}`, 'imported'],
  };
}

/** The contact with other values for three of its attributes: an update that sends all of them changes these. */
export function changedValues(n: number, change: number): Pick<ValuedContact, 'attributes' | 'tags'> {
  const { attributes, tags } = valuedContact(n);
  return {
    attributes: { ...attributes, seats: change, score: change / 7, renewal: dayOf(change % renewalDays) },
    tags,
  };
}

function dayOf(days: number): string {
  return new Date(firstDayMs + days * dayMs).toISOString();
}

/** A list that is asked for, and which contacts it must have. */
export interface AskedList {
  /** Behind `contacts?`. */
  query: string;
  page?: number;
  isHit(contact: ValuedContact): boolean;
}

const several = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));
const parametersOf = (pairs: Record<string, string>) => String(new URLSearchParams(pairs));

/** Several of each kind where their shares are small or hit different contacts, so that one cached total gains little. */
export function listsOf(contacts: number) {
  const some = (i: number, step = 1) => Math.floor((contacts * (i + 0.5)) / 10 / step) * step;
  return {
    email: several(10, (i): AskedList => {
      const { email } = sampleContact(some(i));
      return { query: parametersOf({ email }), isHit: (contact) => contact.email === email };
    }),
    wid: several(10, (i): AskedList => {
      const { wid = '' } = sampleContact(some(i, 2));
      return { query: parametersOf({ wid }), isHit: (contact) => contact.wid === wid };
    }),
    rareTag: several(20, (i): AskedList => {
      const tag = `cohort ${i * 7}`;
      return { query: parametersOf({ tag }), isHit: ({ tags }) => tags.includes(tag) };
    }),
    rareAttribute: several(20, (i): AskedList => {
      const group = `Group ${i * 7}`;
      return {
        query: parametersOf({ 'attributes[group]': group }),
        isHit: ({ attributes }) => attributes.group === group,
      };
    }),
    tag: [{ query: parametersOf({ tag: 'vip' }), isHit: ({ tags }: ValuedContact) => tags.includes('vip') }],
    attribute: [
      {
        query: parametersOf({ 'attributes[plan]': 'pro' }),
        isHit: ({ attributes }: ValuedContact) => attributes.plan === 'pro',
      },
    ],
    numbers: several(10, (i): AskedList => {
      const [from, to] = [i * 50, i * 50 + 100];
      return {
        query: parametersOf({ 'attributes[seats][gte]': String(from), 'attributes[seats][lt]': String(to) }),
        isHit: ({ attributes }) => attributes.seats >= from && attributes.seats < to,
      };
    }),
    dates: several(10, (i): AskedList => {
      const [from, to] = [dayOf(i * 150), dayOf(i * 150 + renewalDays / 10)];
      return {
        query: parametersOf({ 'attributes[renewal][gte]': from, 'attributes[renewal][lt]': to }),
        isHit: ({ attributes }) => attributes.renewal >= from && attributes.renewal < to,
      };
    }),
    together: [
      {
        query: parametersOf({ tag: 'vip', 'attributes[active]': 'true', query: broadWord }),
        isHit: ({ tags, attributes, email }: ValuedContact) =>
          tags.includes('vip') && attributes.active && email.includes(broadWord),
      },
    ],
    sorted: [{ query: parametersOf({ sort: 'name' }), isHit: () => true }],
    sortedDeep: [{ query: parametersOf({ sort: 'name' }), page: 1000, isHit: () => true }],
  } satisfies Record<string, AskedList[]>;
}

export type ListKind = keyof ReturnType<typeof listsOf>;
