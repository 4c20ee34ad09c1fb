// A table of deliveries. The type of the event opens its details.
import { Button, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Delivery } from '@roster/client';
import { count, Moment } from '../components/moment.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { contactLink } from '../contacts/list-state.ts';
import { DeliveryState } from './state-badge.tsx';
import classes from './webhooks.module.css';

interface DeliveryTableProps {
  botId: string;
  deliveries: readonly Delivery[];
  /** The id of the event that is being sent again. */
  retrying: string | undefined;
  onOpen(delivery: Delivery): void;
  onRetry(delivery: Delivery): void;
}

export function DeliveryTable({ botId, deliveries, retrying, onOpen, onRetry }: DeliveryTableProps) {
  return (
    <TableScroll label="Table of deliveries">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th>Contact</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th>Attempts</Table.Th>
          <Table.Th>Last attempt</Table.Th>
          <Table.Th>Next attempt</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <Table.Tr key={delivery.eventId}>
            <Table.Td>
              <UnstyledButton className={classes.open ?? ''} aria-haspopup="dialog" onClick={() => onOpen(delivery)}>
                {delivery.type}
              </UnstyledButton>
              <div className={classes.small}>
                <Moment at={delivery.eventAt} />
              </div>
            </Table.Td>
            <Table.Td data-label="Contact">
              <ContactOf botId={botId} id={delivery.contactId} isShort />
            </Table.Td>
            <Table.Td>
              <DeliveryState delivery={delivery} />
              <div className={classes.small}>{outcomeOf(delivery)}</div>
            </Table.Td>
            <Table.Td data-label="Attempts">{count(delivery.attempts)}</Table.Td>
            <TimeCell label="Last attempt" at={delivery.lastAttemptAt} />
            {delivery.isWaiting ? (
              <Table.Td data-label="Next attempt">Waiting for an earlier event</Table.Td>
            ) : (
              <TimeCell label="Next attempt" at={delivery.nextAttemptAt} />
            )}
            <Table.Td align="right" data-corner>
              {isRetried(delivery) && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  loading={retrying === delivery.eventId}
                  onClick={() => onRetry(delivery)}
                >
                  Retry
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableScroll>
  );
}

/** One that succeeded is sent again from its details. A new one is sent by itself. */
function isRetried({ status, attempts }: Delivery): boolean {
  return status === 'failed' || (status === 'pending' && attempts > 0);
}

function outcomeOf({ statusCode, error }: Delivery): string | null {
  return statusCode === null ? error : `Status ${statusCode}`;
}

function TimeCell({ label, at }: { label: string; at: string | null }) {
  return (
    <Table.Td data-label={label} className={at === null ? (classes.none ?? '') : ''}>
      {at === null ? '–' : <Moment at={at} />}
    </Table.Td>
  );
}

interface ContactOfProps {
  botId: string;
  /** Events of a whole bot are about no single contact. */
  id: string | null;
  isShort?: boolean;
}

export function ContactOf({ botId, id, isShort = false }: ContactOfProps) {
  if (id === null) return 'All contacts';
  return (
    <a href={contactLink(botId, id)} className={classes.contact} title={isShort ? id : undefined}>
      {/* Ids begin with their time, so that those of a list differ at their ends. */}
      {isShort ? `${id.slice(0, 4)}…${id.slice(-8)}` : id}
    </a>
  );
}
