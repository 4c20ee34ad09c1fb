// Walks over contacts, page by page, while others write. Both walks give every contact that is there from beginning to
// end exactly once.
import type { Contact, ContactExport, Pagination } from './api-types.ts';
import { limits } from './operations.ts';

/** All contacts, oldest first: the service keeps the position, and it survives whatever is written. */
export async function* walkAll(
  fetchPage: (page: ContactExport) => Promise<{ data: Contact[]; next: string | null }>,
): AsyncGenerator<Contact, void> {
  let after: string | undefined;
  do {
    const { data, next } = await fetchPage({ after });
    yield* data;
    after = next ?? undefined;
  } while (after !== undefined);
}

/**
 * The contacts that match a query, newest first. Pages are counted from the newest, so a contact that comes or goes
 * moves those behind it to other positions. Two rules make the walk exact all the same:
 *
 * - What is not older than the last contact given has been given, or is new: it is left out.
 * - Each page must begin at or before the last contact given. Then nothing lies between the two, because a page is a
 *   gapless piece of the order at one moment. If it begins behind, contacts moved forward, and an earlier page is read.
 */
export async function* walkMatches(
  fetchPage: (page: PageWindow) => Promise<{ data: Contact[]; pagination: Pick<Pagination, 'total'> }>,
): AsyncGenerator<Contact, void> {
  let last: Contact | undefined;
  let window = windowFrom(0);
  for (;;) {
    const { data, pagination } = await fetchPage(window);
    const startsAt = (window.page - 1) * window.limit;
    const [first] = data;
    if (last !== undefined && startsAt > 0 && (first === undefined || isOlder(first, last))) {
      window = windowUpTo(Math.min(startsAt, pagination.total) - 1);
      continue;
    }
    for (const contact of data) {
      if (last !== undefined && !isOlder(contact, last)) continue;
      yield contact;
      last = contact;
    }
    // A page that is not full is the last.
    if (data.length < window.limit) return;
    window = windowFrom(startsAt + data.length - 1);
  }
}

/** The order of a search: newest first, and ids descending among equals. Both are plain ASCII of fixed length. */
function isOlder(contact: Contact, than: Contact): boolean {
  if (contact.createdAt !== than.createdAt) return contact.createdAt < than.createdAt;
  return contact.id < than.id;
}

interface PageWindow {
  page: number;
  limit: number;
}

/** The page that contains a position and the most positions behind it. */
export function windowFrom(position: number): PageWindow {
  return bestWindow(position, ({ page, limit }) => page * limit - position);
}

/** The page that contains a position and the most positions before it. */
export function windowUpTo(position: number): PageWindow {
  return bestWindow(Math.max(0, position), ({ page, limit }) => position - (page - 1) * limit);
}

/** Pages of one size do not overlap; among pages of many sizes one begins or ends close to where it is wanted. */
function bestWindow(position: number, reach: (window: PageWindow) => number): PageWindow {
  let best: PageWindow | undefined;
  for (let limit: number = limits.pageSizeMax; limit > limits.pageSizeMax / 2; limit--) {
    const window = { page: Math.floor(position / limit) + 1, limit };
    if (best === undefined || reach(window) > reach(best)) best = window;
  }
  return best as PageWindow;
}
