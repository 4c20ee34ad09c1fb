// One delivery: what the receiver responded to the last attempt.
import { Button, Group } from '@mantine/core';
import type { Delivery } from '@roster/client';
import { Dialog } from '../components/confirm.tsx';
import { CopyIcon } from '../components/copy.tsx';
import { Detail, Details } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, Moment } from '../components/moment.tsx';
import { ContactOf } from './delivery-table.tsx';
import { ReceiverResponse } from './receiver-response.tsx';
import { DeliveryState } from './state-badge.tsx';
import classes from './webhooks.module.css';

interface DeliveryDetailsProps {
  botId: string;
  delivery: Delivery;
  retry: { isPending: boolean; error: Error | null; start(): void };
  onClose(): void;
}

export function DeliveryDetails({ botId, delivery, retry, onClose }: DeliveryDetailsProps) {
  const { eventId, type, contactId, status, statusCode, attempts, createdAt, lastAttemptAt, nextAttemptAt } = delivery;
  return (
    <Dialog title={`Delivery of ${type}`} onClose={onClose} size="lg">
      <div className={classes.details}>
        <Details>
          <Detail label="Status">
            <DeliveryState delivery={delivery} />
          </Detail>
          <Detail label="Attempts">{count(attempts)}</Detail>
          <Detail label="Last attempt">{lastAttemptAt === null ? 'None yet' : <Moment at={lastAttemptAt} />}</Detail>
          {nextAttemptAt !== null && (
            <Detail label="Next attempt">
              <Moment at={nextAttemptAt} />
            </Detail>
          )}
          <Detail label="Created">
            <Moment at={createdAt} />
          </Detail>
          {statusCode !== null && <Detail label="Status of the response">{statusCode}</Detail>}
          <Detail label="Contact" isWide>
            <ContactOf botId={botId} id={contactId} />
          </Detail>
          <Detail label="Event ID" isWide>
            <code>{eventId}</code> <CopyIcon text={eventId} label="Copy event ID" />
          </Detail>
        </Details>
        <ReceiverResponse of={delivery} />
        {retry.error !== null && <FailureNote error={retry.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
          <Button loading={retry.isPending} onClick={retry.start}>
            {status === 'succeeded' ? 'Send again' : 'Retry'}
          </Button>
        </Group>
      </div>
    </Dialog>
  );
}
