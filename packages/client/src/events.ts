// The feed of the bot's events: page by page, or followed for as long as the caller likes.
import { includeParameter } from './address.ts';
import type { ContactInclude, ContactWith } from './api-types.ts';
import type { AttributeValues } from './attribute-types.ts';
import { AbortError } from './errors.ts';
import { operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';

/** Types of this version. A newer server may send others. */
export type EventType =
  | 'contact.created'
  | 'contact.updated'
  | 'contact.deleted'
  | 'token.created'
  | 'token.revoked'
  | 'attribute.deleted'
  | 'tag.renamed'
  | 'tag.deleted'
  | 'visitor.recognized';

export interface EventActor {
  kind: 'secret' | 'member' | 'operator' | 'visitor';
  /** Of the secret or the member; `null` for an operator or a visitor. */
  id: string | null;
}

/** What `include` may name: the contact as it is now, and what it has in addition. */
export type EventInclude = 'contact' | ContactInclude;

/** What happened to a contact, or to all contacts of the bot. */
export type ContactEvent<Include extends EventInclude = never, Attributes = AttributeValues> = {
  /** `evt_…`: the same whenever the event is read. */
  id: string;
  type: EventType;
  /** ISO 8601 in UTC with milliseconds. */
  at: string;
  /** `null` for events about all contacts of the bot. */
  contactId: string | null;
  /** What changed: `name`, `tags`, `attributes.plan`, … Only with some types. */
  fields?: string[] | undefined;
  actor: EventActor;
} & ([Include] extends [never]
  ? unknown
  : {
      /** As it is now; `null` if it was deleted, or the event is about none. */
      contact: ContactWith<Exclude<Include, 'contact'>, Attributes> | null;
    });

interface EventSelection<Include extends EventInclude> {
  /** The `next` of an earlier result, or `now`. Left out: from the oldest event that the server keeps. */
  after?: string | undefined;
  /** Any of these types. */
  type?: EventType | readonly EventType[] | undefined;
  contactId?: string | undefined;
  /** Events on a page: 1 to 1000, and 100 by default. */
  limit?: number | undefined;
  /** `contact`: the contact of each event as it is now; `attributes`, `tags`: with these. */
  include?: readonly Include[] | undefined;
}

export interface EventList<Include extends EventInclude = never> extends EventSelection<Include> {
  /** Seconds to wait for an event at the end of the feed: up to 30. Keep it below `timeoutMs`. */
  wait?: number | undefined;
}

export interface EventFollow<Include extends EventInclude = never> extends EventSelection<Include> {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
}

export interface EventsResult<Item> extends Result<Item[]> {
  /** `after` of the next page. There always is one: at the end of the feed it is empty until something happens. */
  next: string;
}

/** Events as they happen. */
export interface EventFeed<Item> extends AsyncIterable<Item> {
  /**
   * Where to go on from, when the last event was handled. Pass it as `after` later, and no event is skipped; the last
   * few may come again, since it advances with each page. Undefined: from where the feed began.
   */
  readonly position: string | undefined;
}

/** How long the server waits for an event. A shorter time than that of proxies. */
const waitSeconds = 25;
/** For each request: the wait, and as long as other requests may take. */
const timeoutMs = (waitSeconds + 30) * 1000;

export class Events<Attributes = AttributeValues> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page of the feed. Rejects with `EventsExpiredError` when `after` is a position that is not kept any more. */
  async list<Include extends EventInclude = never>(
    list: EventList<Include> = {},
    options?: RequestOptions,
  ): Promise<EventsResult<ContactEvent<Include, Attributes>>> {
    const { include, type, ...query } = list;
    const types = type === undefined ? undefined : [type].flat();
    const call = {
      operation: operations.listEvents,
      query: { ...query, type: types, include: includeParameter(include) },
    };
    const { status, body } = await this.#transport.call<
      Omit<EventsResult<ContactEvent<Include, Attributes>>, 'status'>
    >(call, options);
    return { status, data: body.data, next: body.next };
  }

  /**
   * Every event after a position, in order, as it happens. It reconnects for as long as that may help, and skips none.
   * Throws `EventsExpiredError` when the position is not kept any more.
   */
  follow<Include extends EventInclude = never>(
    follow: EventFollow<Include> = {},
  ): EventFeed<ContactEvent<Include, Attributes>> {
    const { signal, after, ...selection } = follow;
    let position = after;
    const options = { signal, timeoutMs, maxRetries: Number.MAX_SAFE_INTEGER };
    const list = (from: string | undefined, wait: number) =>
      this.list<Include>({ ...selection, after: from, wait }, options);
    async function* iterate() {
      // The end of the feed is a position from the first request on: waiting for it would lose it if the wait fails.
      if (position === 'now') position = (await list('now', 0)).next;
      for (;;) {
        const { data, next } = await list(position, waitSeconds);
        for (const [index, event] of data.entries()) {
          // Whoever keeps the position after handling an event keeps that of the whole page after its last one.
          if (index === data.length - 1) position = next;
          yield event;
        }
        position = next;
      }
    }
    return {
      get position() {
        return position === 'now' ? undefined : position;
      },
      async *[Symbol.asyncIterator]() {
        try {
          yield* iterate();
        } catch (error) {
          if (!(error instanceof AbortError && signal?.aborted)) throw error;
        }
      },
    };
  }
}
