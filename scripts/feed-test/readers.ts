// Readers of the feed test: each follows the feed from its beginning in its own way, whatever happens to the servers, and notes the
// events in the order in which it saw them.
import type { ContactEvent, EventType, Fetch, Roster } from '@roster/client';
import { IncludedContacts } from './included-contacts.ts';
import { untilWithProgress } from './progress.ts';
import type { Servers } from './servers.ts';

interface ReaderOptions {
  /** For messages. */
  name: string;
  roster: Roster;
  type?: EventType;
  /** Reads page by page, and goes on from the position of each, instead of `follow`. */
  limit?: number;
  /** Reads the events with their contacts. */
  contacts?: IncludedContacts;
}

const waitSeconds = 20;

class Reader {
  readonly options: ReaderOptions;
  readonly seen: string[] = [];

  constructor(options: ReaderOptions) {
    this.options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { roster, type, limit, contacts } = this.options;
    if (contacts !== undefined) {
      for await (const event of roster.events.follow({ type, signal, include: ['contact'] })) {
        contacts.check(event);
        this.seen.push(event.id);
      }
      return;
    }
    if (limit === undefined) {
      for await (const { id } of roster.events.follow({ type, signal })) this.seen.push(id);
      return;
    }
    const patiently = { signal, timeoutMs: 60_000, maxRetries: Number.MAX_SAFE_INTEGER };
    for (let after: string | undefined; !signal.aborted; ) {
      const { data, next } = await roster.events.list({ after, type, limit, wait: waitSeconds }, patiently);
      this.seen.push(...data.map(({ id }) => id));
      after = next;
    }
  }

  /** What this reader must have seen. */
  expected(feed: readonly ContactEvent[]): string[] {
    const { type } = this.options;
    return feed.filter((event) => type === undefined || event.type === type).map(({ id }) => id);
  }
}

export class Readers {
  readonly #readers: Reader[];
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  /** One on each server, and others on any. */
  constructor(servers: Servers, clientOf: (fetch: Fetch) => Roster) {
    const onEach = Array.from({ length: servers.count }, (_, index) => ({
      name: `the reader on server ${index + 1}`,
      roster: clientOf(servers.only(index)),
    }));
    const roster = clientOf(servers.any());
    const onAny: ReaderOptions[] = [
      { name: 'the reader with contacts', roster, contacts: new IncludedContacts() },
      { name: 'the reader of small pages', roster, limit: 20 },
      { name: 'the reader of deletions', roster, type: 'contact.deleted' },
    ];
    this.#readers = [...onEach, ...onAny].map((options) => new Reader(options));
    this.#ended = Promise.all(this.#readers.map((reader) => reader.run(this.#stop.signal)));
    // It is looked at in the end.
    this.#ended.catch(() => {});
  }

  get count(): number {
    return this.#readers.length;
  }

  /** Waits until each has seen as many events as it must, and compares. `feed` is the whole feed, which must not go on. */
  async check(feed: readonly ContactEvent[]): Promise<string[]> {
    const expected = new Map(this.#readers.map((reader) => [reader, reader.expected(feed)]));
    const isAtEnd = () => expected.entries().every(([{ seen }, ids]) => seen.length >= ids.length);
    const seenInAll = () => this.#readers.reduce((sum, { seen }) => sum + seen.length, 0);
    const atEnd = untilWithProgress('the readers to reach the end', isAtEnd, seenInAll);
    const failure = await Promise.race([atEnd, this.#ended]).catch((error: Error) => error);
    this.#stop.abort();
    await this.#ended.catch(() => {});
    const problems = failure instanceof Error ? [failure.message] : [];
    for (const [{ seen, options }, ids] of expected) {
      const at = ids.findIndex((id, index) => seen[index] !== id);
      if (at !== -1) problems.push(`${options.name} saw ${seen[at]} as event ${at + 1}, and not ${ids[at]}`);
      else if (seen.length > ids.length) problems.push(`${options.name} saw ${seen.length} events, not ${ids.length}`);
      else problems.push(...(options.contacts?.finish() ?? []));
    }
    return problems;
  }
}
