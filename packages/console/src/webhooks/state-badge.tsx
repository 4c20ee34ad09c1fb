// The state of a webhook, or of one of its deliveries.
import { Badge } from '@mantine/core';
import type { Delivery, Webhook } from '@roster/client';
import { Moment } from '../components/moment.tsx';
import { stateOf } from './webhook-state.ts';
import classes from './webhooks.module.css';

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { label, color, at, reason } = stateOf(webhook);
  return (
    <>
      <Badge variant="light" color={color} className={`${classes.badge} ${color === 'amber' ? classes.retrying : ''}`}>
        {label}
      </Badge>
      {at !== null && (
        <div className={classes.small}>
          <Moment at={at} />
        </div>
      )}
      {reason !== null && <div className={classes.small}>{reason}</div>}
    </>
  );
}

export const statusLabels = {
  pending: 'Pending',
  succeeded: 'Succeeded',
  failed: 'Failed',
  skipped: 'Skipped',
} as const;
const colors = { pending: 'gray', succeeded: 'pine', failed: 'red', skipped: 'gray' } as const;

export function DeliveryState({ delivery: { status, attempts } }: { delivery: Pick<Delivery, 'status' | 'attempts'> }) {
  const isRetrying = status === 'pending' && attempts > 0;
  return (
    <Badge variant="light" color={colors[status]} className={`${classes.badge} ${isRetrying ? classes.retrying : ''}`}>
      {isRetrying ? 'Retrying' : statusLabels[status]}
    </Badge>
  );
}
