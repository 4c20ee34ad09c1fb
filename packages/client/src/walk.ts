// Iterates over contacts page by page while others write. Every contact that exists from beginning to end is yielded
// exactly once.
import type { Contact, Pagination } from './api-types.ts';
import { limits } from './operations.ts';

/** All contacts of an export, oldest first, by the export's cursor, which concurrent writes do not invalidate. */
export async function* walkAll<Item extends Contact>(
  fetchPage: (page: { after: string | undefined }) => Promise<{ data: Item[]; next: string | null }>,
): AsyncGenerator<Item, void> {
  let after: string | undefined;
  do {
    const { data, next } = await fetchPage({ after });
    yield* data;
    after = next ?? undefined;
  } while (after !== undefined);
}

/**
 * The contacts that match a query, newest first. Pages are numbered from the newest contact, so a contact that starts
 * or stops matching shifts those after it. Two rules keep the iteration exact:
 *
 * - A contact that is not older than the last one yielded was yielded before, or is new: it is skipped.
 * - Each page must start at or before the last contact yielded. Then no contact lies between the two, because a page is
 *   a contiguous range of one snapshot. If it starts later, contacts have moved forward, and an earlier page is read.
 */
export async function* walkMatches<Item extends Contact>(
  fetchPage: (page: PageWindow) => Promise<{ data: Item[]; pagination: Pick<Pagination, 'total'> }>,
): AsyncGenerator<Item, void> {
  let last: Item | undefined;
  let window = windowFrom(0);
  for (;;) {
    const { data, pagination } = await fetchPage(window);
    const startsAt = (window.page - 1) * window.limit;
    const [first] = data;
    if (last !== undefined && startsAt > 0 && (first === undefined || isOlder(first, last))) {
      window = windowUpTo(Math.max(0, Math.min(startsAt, pagination.total) - 1));
      continue;
    }
    for (const contact of data) {
      if (last !== undefined && !isOlder(contact, last)) continue;
      yield contact;
      last = contact;
    }
    // A page that is not full is the last one.
    if (data.length < window.limit) return;
    window = windowFrom(startsAt + data.length - 1);
  }
}

/** The order of a search: by creation time, then by id, both descending. Both compare as ASCII of fixed length. */
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
  return bestWindow(position, ({ page, limit }) => position - (page - 1) * limit);
}

/**
 * Pages of one size do not overlap. Among pages of different sizes, one starts or ends close to the wanted position.
 */
function bestWindow(position: number, reach: (window: PageWindow) => number): PageWindow {
  let best: PageWindow | undefined;
  for (let limit: number = limits.pageSizeMax; limit > limits.pageSizeMax / 2; limit--) {
    const window = { page: Math.floor(position / limit) + 1, limit };
    if (best === undefined || reach(window) > reach(best)) best = window;
  }
  return best as PageWindow;
}
