// One contact with everything that the console shows of it: how it is read and written, so that all pages show what was written.
import type { ContactCreate, ContactUpdate, ContactWith } from '@roster/client';
import type { IncludingContact } from '@roster/contract';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { Connection } from '../api/connection.ts';
import { keys } from '../api/queries.ts';
import { useSignedIn } from '../session.tsx';

export type WholeContact = ContactWith<'attributes' | 'tags'> & Pick<Required<IncludingContact>, 'lastSeenAt'>;

/** Members may include more than the client's types know. */
const include = ['attributes', 'tags', 'lastSeenAt'] as string[] as ('attributes' | 'tags')[];

export function contactQuery(connection: Connection, botId: string, contactId: string) {
  return queryOptions({
    queryKey: keys.contact(botId, contactId),
    queryFn: async ({ signal }) => {
      const { data } = await connection.contactsOf(botId).retrieve(contactId, { signal, include });
      return data as WholeContact;
    },
  });
}

export function useContactWrites(botId: string) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const contacts = connection.contactsOf(botId);
  const reread = (...changed: (readonly string[])[]) => {
    for (const queryKey of [keys.contacts(botId), keys.attributes(botId), keys.tags(botId), ...changed]) {
      queries.invalidateQueries({ queryKey });
    }
  };
  const show = (data: object) => {
    const written = data as WholeContact;
    // Of two edits at once, the later may be answered first.
    queries.setQueryData<WholeContact>(keys.contact(botId, written.id), (shown) =>
      shown !== undefined && shown.updatedAt > written.updatedAt ? shown : written,
    );
    return written;
  };
  return {
    async create(contact: ContactCreate): Promise<WholeContact> {
      const { data } = await contacts.create(contact, { include });
      reread(keys.bots, keys.events(botId));
      return show(data);
    },
    /** `seen`: the only version that is changed. */
    async update(contactId: string, change: ContactUpdate, seen?: WholeContact): Promise<WholeContact> {
      const { data } = await contacts.update(contactId, change, { include, ifMatch: seen });
      reread(keys.events(botId));
      return show(data);
    },
    /** The contact as it is now, also where it is shown. */
    readAgain: (contactId: string): Promise<WholeContact> =>
      queries.fetchQuery({ ...contactQuery(connection, botId, contactId), staleTime: 0 }),
    async remove(contactId: string): Promise<void> {
      await contacts.delete(contactId);
      reread(keys.bots, keys.events(botId));
    },
  };
}
