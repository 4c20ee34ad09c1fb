// The webhooks of a bot: where its events are sent to.
import { Anchor, Button, Table } from '@mantine/core';
import type { Webhook } from '@roster/client';
import { useQuery } from '@tanstack/react-query';
import { serviceUrl } from '../api/connection.ts';
import { botQuery } from '../api/queries.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { Page, Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { useKept } from '../kept-state.ts';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { EventTypes } from '../webhooks/event-types.tsx';
import { WebhookState } from '../webhooks/state-badge.tsx';
import { useCanManageWebhooks } from '../webhooks/use-can-manage-webhooks.ts';
import { WebhookForm } from '../webhooks/webhook-form.tsx';
import { webhooksQuery } from '../webhooks/webhook-queries.ts';
import classes from '../webhooks/webhooks.module.css';

export default function WebhooksPage({ botId }: { botId: string }) {
  const { connection } = useSignedIn();
  const canManage = useCanManageWebhooks();
  const { data: bot } = useQuery(botQuery(connection, botId));
  const query = useQuery(webhooksQuery(connection, botId));
  const [isCreating, setIsCreating] = useKept('is creating', false);
  const create = canManage && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsCreating(true)}>
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead={bot && `Roster sends the events of ${bot.name} to these URLs as they happen.`}
      actions={query.data?.length !== 0 && create}
    >
      <Panel isFlush>
        <Loaded query={query}>
          {(webhooks) =>
            webhooks.length === 0 ? (
              <EmptyState icon="webhook" title="No webhooks yet" level={2}>
                <p>
                  A webhook tells your server about each change to a contact within seconds, so that a CRM or a
                  newsletter stays up to date.{' '}
                  <Anchor href={`${serviceUrl}/docs/guide/webhooks`} target="_blank" inherit>
                    How to receive events
                  </Anchor>
                </p>
                {create}
              </EmptyState>
            ) : (
              <WebhookTable botId={botId} webhooks={webhooks} />
            )
          }
        </Loaded>
      </Panel>
      {isCreating && <WebhookForm botId={botId} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function WebhookTable({ botId, webhooks }: { botId: string; webhooks: readonly Webhook[] }) {
  return (
    <TableScroll label="Table of webhooks">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>URL</Table.Th>
          <Table.Th>Events</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {webhooks.map((webhook) => (
          <Table.Tr key={webhook.id}>
            <Table.Td className={classes.url ?? ''}>
              <a href={linkTo(['bots', botId, 'webhooks', webhook.id])}>{webhook.url}</a>
              {webhook.description && <div className={classes.small}>{webhook.description}</div>}
            </Table.Td>
            <Table.Td data-label="Events">
              <EventTypes types={webhook.types} />
            </Table.Td>
            <Table.Td>
              <WebhookState webhook={webhook} />
            </Table.Td>
            <Table.Td data-label="Created" className={classes.when ?? ''}>
              <Moment at={webhook.createdAt} isDate />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableScroll>
  );
}
