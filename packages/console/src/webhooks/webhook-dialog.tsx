// The dialogs of a webhook's page: editing it, switching it off, rotating its secret, deleting it.
import type { Webhook } from '@roster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { useNotify } from '../components/notices.tsx';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { NewWebhookSecret } from './new-webhook-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { hostOf } from './webhook-state.ts';

export type WebhookAction = 'edit' | 'switch off' | 'rotate' | 'delete';

interface WebhookDialogProps {
  botId: string;
  webhook: Webhook;
  action: WebhookAction;
  onClose(): void;
}

export function WebhookDialog({ botId, webhook, action, onClose }: WebhookDialogProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const webhooks = connection.webhooksOf(botId);
  const readAgain = () => queries.invalidateQueries({ queryKey: keys.webhooks(botId) });
  switch (action) {
    case 'edit':
      return <WebhookForm botId={botId} webhook={webhook} onClose={onClose} />;
    case 'rotate':
      return <RotateSecret botId={botId} webhook={webhook} onClose={onClose} />;
    case 'switch off':
      return (
        <Confirm
          title="Turn off this webhook?"
          confirmLabel="Turn off"
          isHarmless
          onClose={onClose}
          onConfirm={() => webhooks.update(webhook.id, { isEnabled: false })}
          onDone={() => {
            onClose();
            readAgain();
            notify('Turned off.');
          }}
        >
          <p>Nothing is sent until you turn it on again. Then it catches up on missed events.</p>
        </Confirm>
      );
    default:
      return (
        <Confirm
          title={`Delete the webhook to ${hostOf(webhook)}?`}
          confirmLabel="Delete webhook"
          onClose={onClose}
          onConfirm={() => webhooks.delete(webhook.id)}
          onDone={() => {
            navigate(linkTo(['bots', botId, 'webhooks']), { isReplacing: true });
            queries.removeQueries({ queryKey: [...keys.webhooks(botId), webhook.id] });
            readAgain();
            notify('The webhook was deleted.');
          }}
        >
          <p>Pending events are no longer sent, and its list of deliveries is deleted too. This can’t be undone.</p>
        </Confirm>
      );
  }
}

/** The new secret is shown once, after the confirmation. */
function RotateSecret({ botId, webhook, onClose }: Omit<WebhookDialogProps, 'action'>) {
  const { connection } = useSignedIn();
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <NewWebhookSecret secret={secret} onClose={onClose} />;
  return (
    <Confirm
      title="Rotate the secret?"
      confirmLabel="Rotate secret"
      isHarmless
      onClose={onClose}
      onConfirm={() => connection.webhooksOf(botId).rotate(webhook.id)}
      onDone={({ data }) => setSecret(data.secret)}
    >
      <p>
        You get a new secret. For 24 hours, messages are signed with both secrets, so that you can deploy the new one to
        your receiver without missing any.
      </p>
    </Confirm>
  );
}
