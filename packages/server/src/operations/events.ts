// The feed of a bot's events, with a secret or with a member's session: pages by position, and the wait at its end.
import { type EventInclude, type EventOperationName, limits, type operations } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { toEventAnswer } from '../answers/answers.ts';
import { prepareAnswers } from '../answers/contact-answers.ts';
import { noSuchBot } from '../http/api-error.ts';
import { clientLeft } from '../http/client-left.ts';
import type { Handler } from '../http/operation-types.ts';
import type { EventsRead, Feed, StoredEvent, WantedEvents } from '../store/events/event-store.ts';
import type { Caller } from '../store/store.ts';
import { expired, findFeed, numberIn, positionOf } from './feed-positions.ts';
import { forMembersToo } from './for-members.ts';
import type { WaitingReaders } from './waiting-readers.ts';

type Operations = typeof operations;
type EventHandlers = {
  readonly [Name in EventOperationName]: Handler<Operations[Name] | Operations[`${Name}AsMember`]>;
};
type Page = EventsRead & { kind: 'page' };

export interface EventDeps extends Pick<AccountDeps, 'store'> {
  readers: WaitingReaders;
}

export function eventHandlers({ store, readers }: EventDeps) {
  const withIncluded = prepareAnswers({ store });

  /** The contacts of the events as they are now, by id. */
  const contactsOf = async (
    botId: string,
    include: readonly EventInclude[],
    events: readonly StoredEvent[],
    caller: Caller,
  ) => {
    const ids = [...new Set(events.flatMap(({ contactId }) => contactId ?? []))];
    const found = ids.length === 0 ? [] : await store.findContactsWithValues(botId, ids, caller);
    const included = await withIncluded(
      botId,
      include.filter((name) => name !== 'contact'),
      found.map(({ contact }) => contact),
      found.map(({ values }) => values),
    );
    return new Map(included.map((contact) => [contact.id, contact]));
  };

  const answer = async (
    botId: string,
    include: readonly EventInclude[],
    { events, feed, next }: Page,
    caller: Caller,
  ) => {
    const contacts = include.length === 0 ? undefined : await contactsOf(botId, include, events, caller);
    const data = events.map((event) => ({
      ...toEventAnswer(event),
      ...(contacts && { contact: contacts.get(event.contactId ?? '') ?? null }),
    }));
    return { body: { data, next: positionOf(botId, feed, next) } };
  };

  const handlers: EventHandlers = {
    async listEvents({ bot, query, request, checkAccess, asHeavy }) {
      const { type: types, contactId, wait, include } = query;
      const hasContacts = include.length > 0;
      const limit = hasContacts ? Math.min(query.limit, limits.eventPageSizeWithContacts) : query.limit;
      const isFiltered = types !== undefined || contactId !== undefined;
      const isHeavy = hasContacts || isFiltered || limit > limits.eventPageSizeDefault;
      const caller = { organizationId: bot.organizationId, signal: clientLeft(request) };
      /** The feed as it was last read. Undefined before the first read without a position. */
      let known: Feed | undefined;

      const read = async (wanted: WantedEvents): Promise<Page> => {
        const page = await store.readEvents(bot.id, wanted, caller);
        if (page.kind === 'missing') throw noSuchBot();
        const isOther = known !== undefined && known.history !== page.feed.history;
        if (page.kind === 'expired' || isOther) throw expired(bot.id, page.feed);
        known = page.feed;
        return page;
      };

      using reader = wait === 0 ? undefined : readers.join(bot);
      let after: number | undefined;
      if (query.after === 'now') {
        known = await findFeed(store, bot.id);
        after = known.end;
      } else if (query.after !== undefined) {
        known = await findFeed(store, bot.id);
        after = numberIn(query.after, bot.id, known);
      }

      const endMs = performance.now() + wait * 1000;
      /** The next page. Undefined at the end of the feed, if the caller may wait there. */
      const readNext = async (mayWait: boolean) => {
        const page = await read({ after, limit, types, contactId });
        after = page.next;
        const isAtEnd = page.events.length === 0 && after === page.feed.end;
        return isAtEnd && mayWait ? undefined : answer(bot.id, include, page, caller);
      };
      const readInTurn: typeof readNext = (mayWait) => (isHeavy ? asHeavy(() => readNext(mayWait)) : readNext(mayWait));
      let answered = await readInTurn(reader !== undefined);
      while (answered === undefined) {
        const isWoken = await reader?.wait(after as number, endMs - performance.now(), clientLeft(request));
        // Whoever was let in a while ago may have been revoked since.
        await checkAccess();
        answered = await readInTurn(isWoken === true);
      }
      return answered;
    },
  };
  return forMembersToo(handlers);
}
