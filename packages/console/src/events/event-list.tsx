// A list of events, newest first: when, which contact, what happened, who did it.
import { Table } from '@mantine/core';
import type { FeedEvent } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { attributesQuery } from '../api/queries.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { contactLink } from '../contacts/list-state.ts';
import { useSignedIn } from '../session.tsx';
import { describeEvent, iconOf } from './describe-event.ts';
import classes from './event-list.module.css';
import { useActorNames } from './use-actor-names.ts';
import type { Events } from './use-events.ts';

interface EventListProps {
  events: Events;
  /** Lines of the skeleton. */
  lines: number;
  /** In place of a list without events. */
  empty: ReactNode;
  children(events: readonly FeedEvent[]): ReactNode;
}

/** Whatever shows the events, with those before them on request. */
export function EventList({ events: { list, older, more }, lines, empty, children }: EventListProps) {
  return (
    <>
      <Loaded query={list} lines={lines}>
        {(events) => (events.length === 0 ? empty : children(events))}
      </Loaded>
      {older.isError && (
        <div className={classes.failure}>
          <FailureNote error={older.error} onRetry={() => older.mutate()} />
        </div>
      )}
      <MoreButton query={more} {...(list.data?.length === 0 && { label: 'Look further back' })} />
    </>
  );
}

/** Events of several contacts. */
export function EventTable({ botId, events }: { botId: string; events: readonly FeedEvent[] }) {
  const { connection } = useSignedIn();
  const { data: attributes = [] } = useQuery(attributesQuery(connection, botId));
  const nameOf = useActorNames(events.map(({ actor }) => actor));
  // The latest event of a contact knows best what it is called, and whether it still exists.
  const contacts = new Map(events.toReversed().map(({ contactId, contact }) => [contactId, contact]));
  return (
    <TableScroll label="Events">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>Contact</Table.Th>
          <Table.Th>What</Table.Th>
          <Table.Th>By</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <Table.Tr key={event.id}>
            <Table.Td className={classes.when ?? ''}>
              <Moment at={event.at} />
            </Table.Td>
            <Table.Td className={classes.contact ?? ''}>
              <ContactName botId={botId} id={event.contactId} contact={contacts.get(event.contactId)} />
            </Table.Td>
            <Table.Td className={classes.what ?? ''}>
              <div>
                <Icon name={iconOf(event)} size={15} />
                {describeEvent(event, attributes)}
              </div>
            </Table.Td>
            <Table.Td className={classes.by ?? ''} data-label="by">
              {nameOf(event.actor)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableScroll>
  );
}

/** `contact`: null if it was deleted; undefined for viewers, to whom events do not say what it is called. */
function ContactName({ botId, id, contact }: { botId: string; id: string | null; contact: FeedEvent['contact'] }) {
  if (id === null) return <span className={classes.nobody}>All contacts</span>;
  if (contact === null) return <span className={classes.nobody}>Deleted contact</span>;
  return <a href={contactLink(botId, id)}>{contact?.name ?? 'View contact'}</a>;
}
