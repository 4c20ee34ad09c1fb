// The deliveries of a webhook, newest first. Each can be looked at and sent again, and all events can be.
import { Button, NativeSelect } from '@mantine/core';
import type { Delivery, DeliveryStatus, Webhook } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { Loaded } from '../components/loaded.tsx';
import { counted } from '../components/moment.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { useNotify } from '../components/notices.tsx';
import { Panel } from '../components/page.tsx';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { DeliveryDetails } from './delivery-details.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { statusLabels } from './state-badge.tsx';
import { useCanManageWebhooks } from './use-can-manage-webhooks.ts';
import { useDeliveries } from './use-deliveries.ts';
import classes from './webhooks.module.css';

/** A server begins what a member asks for within seconds. */
const newsWithinMs = 15_000;

interface DeliveriesProps {
  botId: string;
  webhook: Webhook;
  parameters: URLSearchParams;
}

export function Deliveries({ botId, webhook, parameters }: DeliveriesProps) {
  const { connection } = useSignedIn();
  const canManage = useCanManageWebhooks();
  const queries = useQueryClient();
  const notify = useNotify();
  const webhooks = connection.webhooksOf(botId);
  const wanted = parameters.get('status') ?? '';
  const status = Object.hasOwn(statusLabels, wanted) ? (wanted as DeliveryStatus) : undefined;
  const [expectedUntilMs, setExpectedUntilMs] = useState(0);
  const [shown, setShown] = useState<Delivery>();
  const [isReplaying, setIsReplaying] = useState(false);
  const deliveries = useDeliveries(botId, webhook, { status, expectedUntilMs });
  const expectNews = () => {
    setExpectedUntilMs(Date.now() + newsWithinMs);
    queries.invalidateQueries({ queryKey: keys.webhooks(botId) });
  };
  const retry = useMutation({
    mutationFn: ({ eventId }: Delivery) => webhooks.retry(webhook.id, eventId),
    onSuccess: () => {
      setShown(undefined);
      expectNews();
      notify(webhook.isEnabled ? 'The event is being sent again.' : 'The event is sent when the webhook is on again.');
    },
  });
  const skip = useMutation({
    mutationFn: ({ eventId }: Delivery) => webhooks.skip(webhook.id, eventId),
    onSuccess: () => {
      setShown(undefined);
      expectNews();
      notify('The event was skipped.');
    },
  });
  const retryFailed = useMutation({
    mutationFn: () => webhooks.retryFailed(webhook.id),
    // The failure of a single one, which is among these, is in the past.
    onMutate: () => retry.reset(),
    onSuccess: ({ data: { count } }) => {
      expectNews();
      const failed = counted(count, 'failed delivery', 'failed deliveries');
      if (count === 0) notify('No failed deliveries.');
      else
        notify(webhook.isEnabled ? `Retrying ${failed}.` : `${failed} will be retried when the webhook is on again.`);
    },
  });
  const open = (delivery: Delivery) => {
    retry.reset();
    skip.reset();
    setShown(delivery);
  };
  const failure = retry.error ?? retryFailed.error;
  return (
    <Panel
      title="Deliveries"
      lead={`Events of the last ${limits.deliveryDays} days, newest first.`}
      isFlush
      actions={
        <>
          <NativeSelect
            aria-label="Status of deliveries"
            size="xs"
            data={[{ value: '', label: 'All deliveries' }, ...Object.entries(statusLabels).map(toChoice)]}
            value={status ?? ''}
            onChange={({ currentTarget: { value } }) =>
              navigate(linkTo(['bots', botId, 'webhooks', webhook.id], { status: value }))
            }
          />
          <Button variant="default" size="xs" loading={retryFailed.isPending} onClick={() => retryFailed.mutate()}>
            Retry all failed
          </Button>
          {canManage && (
            <Button variant="default" size="xs" onClick={() => setIsReplaying(true)}>
              Replay…
            </Button>
          )}
        </>
      }
    >
      {failure !== null && shown === undefined && (
        <div className={classes.failure}>
          <FailureNote error={failure} />
        </div>
      )}
      <Loaded query={deliveries}>
        {(listed) =>
          listed.length === 0 ? (
            <EmptyState icon="webhook" title={status === undefined ? 'No deliveries yet' : `No ${status} deliveries`}>
              <p>
                {status === undefined
                  ? 'Events sent to your receiver appear here, with its responses.'
                  : 'Choose another status to see the others.'}
              </p>
            </EmptyState>
          ) : (
            <DeliveryTable
              botId={botId}
              deliveries={listed}
              retrying={retry.isPending ? retry.variables.eventId : undefined}
              onOpen={open}
              onRetry={(delivery) => retry.mutate(delivery)}
            />
          )
        }
      </Loaded>
      <MoreButton query={deliveries} />
      {shown && (
        <DeliveryDetails
          botId={botId}
          // What the list knows of it by now. It is not in the list of a status that it had.
          delivery={deliveries.data?.find(({ eventId }) => eventId === shown.eventId) ?? shown}
          webhookId={webhook.id}
          retry={{ ...retry, start: () => retry.mutate(shown) }}
          skip={{ ...skip, start: () => skip.mutate(shown) }}
          onClose={() => setShown(undefined)}
        />
      )}
      {isReplaying && (
        <Confirm
          title="Replay events?"
          confirmLabel="Replay events"
          isHarmless
          onClose={() => setIsReplaying(false)}
          onConfirm={() => webhooks.replay(webhook.id)}
          onDone={() => {
            setIsReplaying(false);
            expectNews();
            notify(
              webhook.isEnabled ? 'Events are being sent again.' : 'Events are sent when the webhook is on again.',
            );
          }}
        >
          <p>
            All events that this server keeps are sent to it again, oldest first, including those that were delivered.
            By default, these are the events of the last 30 days.
          </p>
          <p>
            Messages keep their <code>webhook-id</code>, so that a receiver can skip those that it already has. To send
            a single event again, open its delivery.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

function toChoice([value, label]: [string, string]) {
  return { value, label };
}
