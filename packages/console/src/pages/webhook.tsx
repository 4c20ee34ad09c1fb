// A webhook: its settings, what can be done to it, and its deliveries.
import { Button, Menu } from '@mantine/core';
import type { Webhook } from '@roster/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { actorOf } from '../audit/describe-entry.ts';
import { CopyIcon } from '../components/copy.tsx';
import danger from '../components/danger.module.css';
import { Detail, Details, NoValue } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { Icon } from '../components/icons.tsx';
import { LoadingSkeleton } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { useKept } from '../kept-state.ts';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { EventTypes } from '../webhooks/event-types.tsx';
import { WebhookState } from '../webhooks/state-badge.tsx';
import { TestMessage } from '../webhooks/test-message.tsx';
import { TroubleNote } from '../webhooks/trouble-note.tsx';
import { useCanManageWebhooks } from '../webhooks/use-can-manage-webhooks.ts';
import { type WebhookAction, WebhookDialog } from '../webhooks/webhook-dialog.tsx';
import { webhookQuery } from '../webhooks/webhook-queries.ts';
import { hostOf } from '../webhooks/webhook-state.ts';
import classes from '../webhooks/webhooks.module.css';

interface WebhookPageProps {
  botId: string;
  webhookId: string;
  parameters: URLSearchParams;
}

export default function WebhookPage({ botId, webhookId, parameters }: WebhookPageProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const query = useQuery(webhookQuery(connection, botId, webhookId));
  const [dialog, setDialog] = useKept<WebhookAction | undefined>('dialog', undefined);
  const webhooks = connection.webhooksOf(botId);
  const test = useMutation({
    mutationFn: async () => (await webhooks.test(webhookId)).data,
    // After a success, what failed is being sent.
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.webhooks(botId) }),
  });
  const switchOn = useMutation({
    mutationFn: () => webhooks.update(webhookId, { isEnabled: true }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: keys.webhooks(botId) });
      notify('Turned on. Pending events are being sent.');
    },
  });
  const back = { href: linkTo(['bots', botId, 'webhooks']), label: 'Webhooks' };
  const webhook = query.data;
  if (webhook === undefined) {
    return (
      <Page title="Webhook" back={back}>
        {query.isError ? <FailureNote error={query.error} onRetry={() => query.refetch()} /> : <LoadingSkeleton />}
      </Page>
    );
  }
  return (
    <Page
      title={hostOf(webhook)}
      back={back}
      actions={
        <>
          <Actions webhook={webhook} onAct={setDialog} onSwitchOn={() => switchOn.mutate()} />
          <Button variant="default" onClick={() => setDialog('edit')}>
            Edit
          </Button>
          <Button loading={test.isPending} onClick={() => test.mutate()}>
            Send test message
          </Button>
        </>
      }
    >
      {query.isError && <FailureNote error={query.error} onRetry={() => query.refetch()} />}
      {switchOn.error !== null && <FailureNote error={switchOn.error} />}
      <TroubleNote webhook={webhook} isPending={switchOn.isPending} onSwitchOn={() => switchOn.mutate()} />
      <TestMessage test={{ ...test, error: test.error }} />
      <WebhookDetails webhook={webhook} />
      <Deliveries botId={botId} webhook={webhook} parameters={parameters} />
      {dialog && <WebhookDialog botId={botId} webhook={webhook} action={dialog} onClose={() => setDialog(undefined)} />}
    </Page>
  );
}

interface ActionsProps {
  webhook: Webhook;
  onAct(action: WebhookAction): void;
  onSwitchOn(): void;
}

function Actions({ webhook, onAct, onSwitchOn }: ActionsProps) {
  const canManage = useCanManageWebhooks();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="down" size={15} />}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {webhook.isEnabled ? (
          <Menu.Item onClick={() => onAct('switch off')}>Turn off…</Menu.Item>
        ) : (
          <Menu.Item onClick={onSwitchOn}>Turn on</Menu.Item>
        )}
        {canManage && <Menu.Item onClick={() => onAct('rotate')}>Rotate secret…</Menu.Item>}
        <Menu.Item className={danger.item ?? ''} onClick={() => onAct('delete')}>
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { id, url, types, description, createdAt, createdBy, changedBy } = webhook;
  return (
    <Panel title="Details">
      <Details>
        <Detail label="URL" isWide>
          {url} <CopyIcon text={url} label="Copy URL" />
        </Detail>
        <Detail label="State">
          <WebhookState webhook={webhook} />
        </Detail>
        <Detail label="Events">
          <EventTypes types={types} />
        </Detail>
        <Detail label="Description">{description || <NoValue />}</Detail>
        <Detail label="Created">
          <Moment at={createdAt} />
          {createdBy && <div className={classes.small}>{actorOf({ actor: createdBy })}</div>}
        </Detail>
        {changedBy && <Detail label="Last changed by">{actorOf({ actor: changedBy })}</Detail>}
        <Detail label="ID" isWide>
          <code>{id}</code> <CopyIcon text={id} label="Copy ID" />
        </Detail>
      </Details>
    </Panel>
  );
}
