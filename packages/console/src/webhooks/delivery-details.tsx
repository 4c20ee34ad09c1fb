// One delivery: each attempt at it, what the receiver responded to the last one, and the request.
import { Button, Group, Table } from '@mantine/core';
import type { Delivery, DeliveryDetail } from '@roster/client';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../components/confirm.tsx';
import { CopyBox, CopyIcon } from '../components/copy.tsx';
import { Detail, Details } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { useSignedIn } from '../session.tsx';
import { pauseUntilNews } from './delivery-pause.ts';
import { ContactOf } from './delivery-table.tsx';
import { ReceiverResponse } from './receiver-response.tsx';
import { DeliveryState } from './state-badge.tsx';
import { deliveryQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

interface Action {
  isPending: boolean;
  error: Error | null;
  start(): void;
}

interface DeliveryDetailsProps {
  botId: string;
  webhookId: string;
  delivery: Delivery;
  retry: Action;
  skip: Action;
  onClose(): void;
}

export function DeliveryDetails({ botId, webhookId, delivery, retry, skip, onClose }: DeliveryDetailsProps) {
  const { connection } = useSignedIn();
  const { eventId, type, contactId, status, eventAt, nextAttemptAt, isWaiting } = delivery;
  const detail = useQuery({
    ...deliveryQuery(connection, botId, webhookId, eventId),
    refetchInterval: ({ state: { data } }) => data?.status === 'pending' && pauseUntilNews([data], Date.now()),
  });
  const error = retry.error ?? skip.error;
  return (
    <Dialog title={`Delivery of ${type}`} onClose={onClose} size="lg">
      <div className={classes.details}>
        <Details>
          <Detail label="Status">
            <DeliveryState delivery={delivery} />
          </Detail>
          {(nextAttemptAt !== null || isWaiting) && (
            <Detail label="Next attempt">
              {nextAttemptAt === null ? 'Waiting for an earlier event of this contact' : <Moment at={nextAttemptAt} />}
            </Detail>
          )}
          <Detail label="Event time">
            <Moment at={eventAt} />
          </Detail>
          <Detail label="Contact" isWide>
            <ContactOf botId={botId} id={contactId} />
          </Detail>
          <Detail label="Event ID" isWide>
            <code>{eventId}</code> <CopyIcon text={eventId} label="Copy event ID" />
          </Detail>
        </Details>
        <Loaded query={detail} lines={6}>
          {({ history, request }) => (
            <>
              <Attempts history={history} />
              <ReceiverResponse of={{ ...delivery, error: null }} />
              <Request request={request} />
            </>
          )}
        </Loaded>
        {error !== null && <FailureNote error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
          {(status === 'pending' || status === 'failed') && (
            <Button variant="default" loading={skip.isPending} onClick={skip.start}>
              Skip this event
            </Button>
          )}
          <Button loading={retry.isPending} onClick={retry.start}>
            {status === 'succeeded' ? 'Send again' : 'Retry'}
          </Button>
        </Group>
      </div>
    </Dialog>
  );
}

function Attempts({ history }: Pick<DeliveryDetail, 'history'>) {
  if (history.length === 0) return <p className={classes.small}>Not tried yet.</p>;
  return (
    <TableScroll label="Attempts">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Attempt</Table.Th>
          <Table.Th>Time</Table.Th>
          <Table.Th>Result</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {history.map(({ at, statusCode, error }, index) => (
          <Table.Tr key={at}>
            <Table.Td>{index + 1}</Table.Td>
            <Table.Td>
              <Moment at={at} />
            </Table.Td>
            <Table.Td>{statusCode === null ? error : `Status ${statusCode}`}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableScroll>
  );
}

function Request({ request: { headers, body } }: Pick<DeliveryDetail, 'request'>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={classes.outcome}>
      <h3>Request</h3>
      <p className={classes.small}>As it would be sent now, without the signature. Sent requests aren’t stored.</p>
      <CopyBox
        label="Request"
        text={[...lines, '', body === null ? '' : JSON.stringify(JSON.parse(body), null, 2)].join('\n').trim()}
      />
    </div>
  );
}
