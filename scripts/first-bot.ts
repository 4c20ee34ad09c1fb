// Requests to the first bot of a running server, and checks of what it stores: shared by the crash, power cut,
// failover and soak tests.
import { randomInt } from 'node:crypto';
import type { FirstRun } from '../packages/server/src/process/first-run.ts';
import { callFirstBot } from '../packages/server/test/process/server-process.ts';

export interface Stored {
  id: string;
  email: string;
  name: string;
  phone: string;
}

export interface Answer {
  status: number;
  json: unknown;
  /** A 503 after which a write may have been done. Left out where nobody looks at it. */
  isOutcomeUnknown?: boolean;
}

/** Sends a request to the bot; rejects when no complete answer came. */
export type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export function senderTo({ url }: { url: string }, firstRun: FirstRun): Send {
  return async (method, path, body, headers) => {
    const reply = await callFirstBot(url, firstRun, method, path, body, headers);
    const text = await reply.text();
    return {
      status: reply.status,
      json: text === '' ? undefined : JSON.parse(text),
      isOutcomeUnknown: reply.headers.get('roster-outcome') === 'unknown',
    };
  };
}

/** Asks again while the server is too busy to search, which it may be for a while on a busy machine. */
export async function read(
  send: Send,
  method: string,
  path: string,
  headers?: Record<string, string>,
): Promise<unknown> {
  let answer = await send(method, path, undefined, headers);
  while (answer.status === 503) answer = await send(method, path, undefined, headers);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer.json;
}

/** All contacts, or those that a search finds. */
export async function exportAll(send: Send, query = ''): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>();
  let after: string | null = '';
  while (after !== null) {
    const path: string = `export?limit=1000&query=${encodeURIComponent(query)}${after && `&after=${after}`}`;
    const page = (await read(send, 'GET', path)) as { data: Stored[]; next: string | null };
    for (const contact of page.data) stored.set(contact.email, contact);
    after = page.next;
  }
  return stored;
}

/** Every write adjusts the count of the bot, which must match the number of rows after any failure. */
export async function checkTotal(send: Send, count: number): Promise<string[]> {
  const json = await read(send, 'POST', 'contacts?limit=1');
  const { total } = (json as { pagination: { total: number } }).pagination;
  return total === count ? [] : [`the total is ${total}, but there are ${count} contacts`];
}

/** Searches by email and current name, so that an index which missed an update does not find the contact. */
export async function checkSearch(send: Send, stored: ReadonlyMap<string, Stored>): Promise<string[]> {
  const all = [...stored.values()];
  const sample = Array.from({ length: Math.min(20, all.length) }, () => all[randomInt(all.length)] as Stored);
  const found = sample.map(async ({ id, email, name }) => {
    const query = encodeURIComponent(`${email} ${name}`);
    const { data } = (await read(send, 'POST', `contacts?query=${query}`)) as { data: Stored[] };
    return data.length === 1 && data[0]?.id === id ? [] : [`a search for "${email} ${name}" finds ${data.length}`];
  });
  return (await Promise.all(found)).flat();
}

/** Which contacts there are, by the events of the feed alone. It goes on where it stopped, over any number of failures. */
export class FeedReader {
  readonly #ids = new Set<string>();
  readonly #seen = new Set<string>();
  #after = '';

  /** Reads to the end, and compares with what is stored while nobody writes. */
  async check(send: Send, stored: ReadonlyMap<string, Stored>): Promise<string[]> {
    const problems: string[] = [];
    for (let isAtEnd = false; !isAtEnd; ) {
      const page = (await read(send, 'GET', `events?limit=1000&after=${this.#after}`)) as {
        data: { id: string; type: string; contactId: string }[];
        next: string;
      };
      for (const { id, type, contactId } of page.data) {
        if (this.#seen.has(id)) problems.push(`the event ${id} came twice`);
        this.#seen.add(id);
        const wasThere = this.#ids.has(contactId);
        if (wasThere === (type === 'contact.created')) problems.push(`${type} of ${contactId} came at the wrong time`);
        if (type === 'contact.created') this.#ids.add(contactId);
        if (type === 'contact.deleted') this.#ids.delete(contactId);
      }
      isAtEnd = page.data.length === 0;
      this.#after = page.next;
    }
    const ids = new Set(Array.from(stored.values(), ({ id }) => id));
    const missing = ids.difference(this.#ids).size;
    const tooMany = this.#ids.difference(ids).size;
    if (missing + tooMany > 0)
      problems.push(`by its events the bot lacks ${missing} contacts and has ${tooMany} too many`);
    return problems;
  }
}
