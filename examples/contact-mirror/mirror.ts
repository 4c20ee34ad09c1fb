// Keeps a copy of all contacts of a bot: reads them once by an export, then follows the feed of events. It may be killed at
// any moment: the next run goes on where the copy stands. The recipe is explained in docs/events.md.
import { EventsExpiredError, type RequestOptions, type Roster } from '@roster/client';
import type { ContactCopy } from './contact-copy.ts';

const include = ['attributes', 'tags'] as const;
const eventsPerPage = 1000;
/** How long the server holds a request at the end of the feed, until something happens. */
const waitSeconds = 25;

export interface MirrorOptions {
  /** Ends the mirror, without an error. */
  signal: AbortSignal;
  /** Is called when something changed in the copy. */
  onChange?(change: string): void;
}

export async function mirrorContacts(roster: Roster, copy: ContactCopy, { signal, onChange }: MirrorOptions) {
  // A server that is restarted or out of reach is a reason to try again, for as long as it takes.
  const options = { signal, timeoutMs: (waitSeconds + 30) * 1000, maxRetries: Number.MAX_SAFE_INTEGER };
  try {
    for (;;) {
      const from = copy.position;
      const { events, next } = await readFeed(roster, from, options);
      if (events === undefined) {
        await copy.replaceAll(roster.contacts.exportAll({ include }, options), { from, to: next });
        onChange?.('all contacts were read');
      } else if (next !== from) {
        await copy.apply(events, { from, to: next });
        onChange?.(events.length === 1 ? '1 event' : `${events.length} events`);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The events after a position. Undefined: all contacts must be read, and then the events after `next`. */
async function readFeed(roster: Roster, after: string | undefined, options: RequestOptions) {
  if (after === undefined) {
    const { next } = await roster.events.list({ after: 'now' }, options);
    return { events: undefined, next };
  }
  try {
    const page = { after, limit: eventsPerPage, wait: waitSeconds, include: ['contact', ...include] as const };
    const { data, next } = await roster.events.list(page, options);
    // An attribute or a tag was changed on all contacts.
    const isAboutAll = data.some(({ contactId }) => contactId === null);
    return { events: isAboutAll ? undefined : data, next };
  } catch (error) {
    if (!(error instanceof EventsExpiredError)) throw error;
    return { events: undefined, next: error.next };
  }
}
