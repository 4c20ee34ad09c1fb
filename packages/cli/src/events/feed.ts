// The feed of events as commands follow it: page by page, over outages, until it is interrupted. It prints nothing but
// what is wrong with the connection.
import type { ContactEvent, EventInclude, EventType, Retry, Roster } from '@roster/client';
import { explain } from '../failure.ts';
import type { Output } from '../terminal/output.ts';

export type FollowedEvent = ContactEvent & Partial<Pick<ContactEvent<EventInclude>, 'contact'>>;

export interface FeedPage {
  events: FollowedEvent[];
  /** The position from which the page was read; undefined for the oldest event. */
  after: string | undefined;
  /** Where to go on from when all events of the page were handled. It may advance on a page without events. */
  next: string;
}

export interface Selection {
  /** A position or `now`; undefined for the oldest event. */
  after: string | undefined;
  type?: readonly EventType[] | undefined;
  contactId?: string | undefined;
  include?: readonly EventInclude[] | undefined;
}

/** How long the server waits for an event. A shorter time than that of proxies. */
const waitSeconds = 25;
/** For each request: the wait, and as long as other requests may take. */
const timeoutMs = (waitSeconds + 30) * 1000;

/** A first failure is often a restart or a cut connection, over at the next try. */
const retryNoted = 2;

/**
 * Pages and not single events, because a position is one of a page: whoever follows rare types has to keep it on pages
 * without events too, or it expires. Ends only by an error, of which the signal's is one.
 */
export async function* followPages(
  roster: Roster,
  { after: start, ...selection }: Selection,
  { signal, output }: { signal: AbortSignal; output: Output },
): AsyncGenerator<FeedPage, never> {
  // What is wrong with the address or the secret is reported at once. Later failures are those of a server that was there.
  const first = await roster.events.list({ ...selection, after: start, wait: 0 }, { signal });
  yield { events: first.data, after: start === 'now' ? first.next : start, next: first.next };
  let isOut = false;
  const onRetry = ({ retry, error }: Retry) => {
    if (retry !== retryNoted) return;
    isOut = true;
    output.note(`${explain(error)?.message ?? error.message} Trying again.`);
  };
  const lasting = roster.withOptions({ timeoutMs, maxRetries: Number.MAX_SAFE_INTEGER, onRetry });
  for (let after = first.next; ; ) {
    const { data, next } = await lasting.events.list({ ...selection, after, wait: waitSeconds }, { signal });
    if (isOut) output.note('Connected again.');
    isOut = false;
    yield { events: data, after, next };
    after = next;
  }
}
