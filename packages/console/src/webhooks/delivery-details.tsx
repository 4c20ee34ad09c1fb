// One delivery: what the receiver responded to the last attempt.
import { Button, Group } from '@mantine/core';
import type { Delivery } from '@roster/client';
import { Dialog } from '../components/confirm.tsx';
import { CopyIcon } from '../components/copy.tsx';
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
        <dl className={classes.fields}>
          <div>
            <dt>Status</dt>
            <dd>
              <DeliveryState delivery={delivery} />
            </dd>
          </div>
          <div>
            <dt>Attempts</dt>
            <dd>{count(attempts)}</dd>
          </div>
          <div>
            <dt>Last attempt</dt>
            <dd>{lastAttemptAt === null ? 'None yet' : <Moment at={lastAttemptAt} />}</dd>
          </div>
          {nextAttemptAt !== null && (
            <div>
              <dt>Next attempt</dt>
              <dd>
                <Moment at={nextAttemptAt} />
              </dd>
            </div>
          )}
          <div>
            <dt>Created</dt>
            <dd>
              <Moment at={createdAt} />
            </dd>
          </div>
          {statusCode !== null && (
            <div>
              <dt>Status of the response</dt>
              <dd>{statusCode}</dd>
            </div>
          )}
          <div className={classes.wide}>
            <dt>Contact</dt>
            <dd>
              <ContactOf botId={botId} id={contactId} />
            </dd>
          </div>
          <div className={classes.wide}>
            <dt>Event ID</dt>
            <dd>
              <code>{eventId}</code> <CopyIcon text={eventId} label="Copy event ID" />
            </dd>
          </div>
        </dl>
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
