// Tells that a webhook is off or failing, and what happens next.
import { Alert, Button } from '@mantine/core';
import type { Webhook } from '@roster/client';
import callout from '../components/confirm.module.css';
import { Icon } from '../components/icons.tsx';
import { Moment } from '../components/moment.tsx';
import classes from './webhooks.module.css';

interface TroubleNoteProps {
  webhook: Webhook;
  isPending: boolean;
  onSwitchOn(): void;
}

export function TroubleNote({ webhook, isPending, onSwitchOn }: TroubleNoteProps) {
  const { isEnabled, disabledReason, failingSince } = webhook;
  if (isEnabled && failingSince === null) return null;
  return (
    <Alert variant="light" className={callout.callout ?? ''} icon={<Icon name="warning" />}>
      {isEnabled && failingSince !== null ? (
        <>
          Every delivery has failed since <Moment at={failingSince} />. Roster keeps retrying, and turns the webhook off
          after five days of failures.
        </>
      ) : (
        <>
          {disabledReason === 'gone' && 'Roster turned this webhook off because the receiver responded with 410 Gone. '}
          {disabledReason === 'failing' &&
            'Roster turned this webhook off because all deliveries had failed for five days. '}
          {disabledReason === null && 'This webhook is off. '}
          Nothing is sent. New events wait until it’s on again.
          <div className={classes.noteAction}>
            <Button size="xs" variant="default" loading={isPending} onClick={onSwitchOn}>
              Turn on
            </Button>
          </div>
        </>
      )}
    </Alert>
  );
}
