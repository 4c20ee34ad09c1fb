// What one organization does to a server that it shares with others: requests that look ordinary and cost much.

export interface LoadRequest {
  method: string;
  /** Below the bot, unless it begins with a slash. */
  path: string;
  /** Instead of the large one: of the bots that the organization has beside it. */
  bot?: number;
  body?: Buffer;
  /** Without the secret. */
  isAnonymous?: boolean;
}

export interface Load {
  name: string;
  request: (count: number) => LoadRequest;
  /** Of those that the run has. */
  connections?: (all: number) => number;
  /** Sent now and then by one connection more, while the others wait. */
  beside?: (count: number) => LoadRequest;
}

/** Beside the large bot, the organization has one of this size and many small ones. */
export const mediumBotContacts = 95_000;
export const smallBots = 20;
export const smallBotContacts = 5_000;

const upsertOf = (body: string): LoadRequest => ({ method: 'PATCH', path: 'contacts', body: Buffer.from(body) });

/** Built once, in the process that sends it. */
const large = {
  commas: () => Buffer.from(`{"name":"A","email":"a@example.com","tags":["${'","'.repeat(2_500_000)}"]}`),
  emptyItems: () => Buffer.from(`{"data":[${'{},'.repeat(3_400_000)}{}]}`),
  itemWithTags: () =>
    Buffer.from(`{"data":[{"email":"a@example.com","name":"A","tags":["${'","'.repeat(130_000)}"]}]}`),
  segmentTags: () => Buffer.from(`{"label":"A","filter":{"tag":["${'","'.repeat(80_000)}"]}}`),
  longKeys: () => Buffer.from(`{"name":"A","email":"a@example.com","${'k'.repeat(9_000_000)}":1}`),
  deep: () => Buffer.from(`{"name":"A","email":"a@example.com","x":${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}}`),
  number: () => Buffer.from(`{"name":"A","email":"a@example.com","wid":"+${'-'.repeat(9_000_000)}"}`),
};

const once = (make: () => Buffer): (() => Buffer) => {
  let body: Buffer | undefined;
  return () => {
    body ??= make();
    return body;
  };
};
const bodies = Object.fromEntries(Object.entries(large).map(([name, make]) => [name, once(make)])) as typeof large;

/** A thousand contacts like those of an import, some 300 kB. */
function importOf(count: number, tag: string): LoadRequest {
  const data = Array.from({ length: 1000 }, (_, index) => ({
    email: `${tag}-${index}@example.com`,
    name: `Import ${index}`,
    phone: `+1 555 ${count} ${index}`,
    attributes: { notes: `what is known about contact ${index} of import ${count}. `.repeat(4) },
    tags: ['import', `group ${index % 20}`],
  }));
  return upsertOf(JSON.stringify({ data }));
}

const everything = 'include=contact,attributes,tags';

export const loads: readonly Load[] = [
  // What the others are compared with: as many connections, and nothing heavy.
  { name: 'reads by key', request: () => ({ method: 'GET', path: 'tags' }) },
  {
    name: 'a contact with 2,500,000 tags',
    request: () => ({ method: 'PUT', path: 'contacts', body: bodies.commas() }),
  },
  { name: 'an upsert of 3,400,000 empty items', request: () => ({ ...upsertOf(''), body: bodies.emptyItems() }) },
  { name: 'an item with 130,000 tags', request: () => ({ ...upsertOf(''), body: bodies.itemWithTags() }) },
  {
    name: 'a segment of 80,000 tags',
    request: () => ({ method: 'PUT', path: 'segments/many', body: bodies.segmentTags() }),
  },
  { name: 'a key of 9 MB', request: () => ({ method: 'PUT', path: 'contacts', body: bodies.longKeys() }) },
  { name: '4,000,000 lists in lists', request: () => ({ method: 'PUT', path: 'contacts', body: bodies.deep() }) },
  { name: 'a WhatsApp number of 9 MB', request: () => ({ method: 'PUT', path: 'contacts', body: bodies.number() }) },
  { name: 'imports of 1000 contacts', request: (count) => importOf(count, `load-${count % 60}`) },
  { name: 'events with contacts', request: () => ({ method: 'GET', path: `events?limit=1000&${everything}` }) },
  {
    name: '200 readers that wait for an upsert of 1000',
    connections: () => 200,
    request: () => ({ method: 'GET', path: `events?after=now&wait=30&limit=1000&${everything}` }),
    beside: (count) => importOf(count, 'awaited'),
  },
  { name: 'exports of 1000', request: () => ({ method: 'GET', path: 'export?limit=1000&include=attributes,tags' }) },
  { name: 'searches of two characters', request: searchOfTwoCharacters },
  {
    name: 'searches of two characters in a bot of 95,000',
    request: (count) => ({ ...searchOfTwoCharacters(count), bot: 0 }),
  },
  {
    name: `searches and exports in ${smallBots} bots`,
    request(count) {
      const bot = 1 + (count % smallBots);
      if (count % 2 === 0) return { ...searchOfTwoCharacters(count), bot };
      return { method: 'GET', path: 'export?limit=1000&include=attributes,tags', bot };
    },
  },
  { name: '/docs/reference.js', request: () => ({ method: 'GET', path: '/docs/reference.js', isAnonymous: true }) },
  { name: 'tests of a webhook that hangs', request: () => ({ method: 'POST', path: 'webhooks/{webhookId}/test' }) },
];

/** One connection more sends them beside every load. Rarely the same twice in a run: what was searched for a moment ago may be cached. */
export function searchOfTwoCharacters(count: number): LoadRequest {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const query = `${letters[Math.floor(count / letters.length) % letters.length]}${letters[count % letters.length]}`;
  return { method: 'POST', path: `contacts?query=${query}` };
}
