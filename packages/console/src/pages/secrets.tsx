// The organization's secrets, by which its servers call the API. Each is shown once, when it is created.
import { ActionIcon, Badge, Button, Menu, Table, VisuallyHidden } from '@mantine/core';
import type { AccountBot, SecretState } from '@roster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { botsQuery, keys, secretsQuery } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import danger from '../components/danger.module.css';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { useKept } from '../kept-state.ts';
import { createdWith } from '../secrets/created-with.ts';
import { ScopeSummary } from '../secrets/scope-summary.tsx';
import { CreateSecret, RenameSecret } from '../secrets/secret-forms.tsx';
import { stateOf } from '../secrets/secret-state.ts';
import { useSignedIn } from '../session.tsx';
import classes from './secrets.module.css';

type DialogShown = { kind: 'create' } | { kind: 'rename' | 'revoke'; secret: SecretState };

export default function SecretsPage() {
  const { connection, isOwner } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const secrets = useQuery(secretsQuery(connection));
  const bots = useQuery(botsQuery(connection));
  const [dialog, setDialog] = useKept<DialogShown | undefined>('dialog', undefined);
  const close = () => setDialog(undefined);
  const create = isOwner && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ kind: 'create' })}>
      New secret
    </Button>
  );
  return (
    <Page
      title="Secrets"
      lead="Your servers call the API with a secret. Give each one only the permissions and bots that it needs, and keep it out of browsers and repositories."
      actions={secrets.data?.length !== 0 && create}
    >
      <Panel isFlush>
        <Loaded query={secrets}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon="key" title="No secrets yet" level={2}>
                <p>
                  {isOwner
                    ? 'Create one for each server, so that you can revoke each on its own.'
                    : 'An owner can create one.'}
                </p>
                {create}
              </EmptyState>
            ) : (
              <TableScroll label="Table of secrets">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Permissions</Table.Th>
                    <Table.Th>Created</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    {isOwner && (
                      <Table.Th>
                        <VisuallyHidden>Actions</VisuallyHidden>
                      </Table.Th>
                    )}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {all.map((secret) => (
                    <SecretRow
                      key={secret.id}
                      secret={secret}
                      bots={bots.data}
                      isOwner={isOwner}
                      onAct={(kind) => setDialog({ kind, secret })}
                    />
                  ))}
                </Table.Tbody>
              </TableScroll>
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Rotate without downtime">
        <ol className={classes.steps}>
          <li>Create a second secret, named after the server that will use it.</li>
          <li>Deploy it to your servers one by one. Both secrets work in the meantime.</li>
          <li>
            Watch <em>Last used</em> of the old secret. Once it stops changing, nothing uses it anymore.
          </li>
          <li>Revoke the old secret. This server rejects it immediately, and all others within a second.</li>
        </ol>
        <p className={classes.leak}>Did a secret leak? Revoke it first, then rotate.</p>
      </Panel>
      {dialog?.kind === 'create' && <CreateSecret onClose={close} />}
      {dialog?.kind === 'rename' && <RenameSecret secret={dialog.secret} onClose={close} />}
      {dialog?.kind === 'revoke' && (
        <Confirm
          title={`Revoke ${dialog.secret.name}?`}
          confirmLabel="Revoke"
          onClose={close}
          onConfirm={() => connection.call('revokeSecret', { path: { secretId: dialog.secret.id } })}
          onDone={() => {
            close();
            queries.invalidateQueries({ queryKey: keys.secrets });
            notify(`${dialog.secret.name} was revoked.`);
          }}
        >
          <p>Requests with it are rejected from now on. This can’t be undone.</p>
          <CreatedWith secrets={createdWith(secrets.data ?? [], dialog.secret.id, Date.now())} />
        </Confirm>
      )}
    </Page>
  );
}

function CreatedWith({ secrets }: { secrets: readonly SecretState[] }) {
  if (secrets.length === 0) return null;
  return <p>Secrets created with it are revoked too: {secrets.map(({ name }) => name).join(', ')}.</p>;
}

interface SecretRowProps {
  secret: SecretState;
  bots: readonly AccountBot[] | undefined;
  isOwner: boolean;
  onAct(kind: 'rename' | 'revoke'): void;
}

function SecretRow({ secret, bots, isOwner, onAct }: SecretRowProps) {
  const { name, prefix, createdBy, createdAt, lastUsedAt } = secret;
  const { label, color, at } = stateOf(secret, Date.now());
  const isLive = secret.revokedAt === null;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.name}>{name}</div>
        {prefix !== '' && <code className={classes.prefix}>{prefix}…</code>}
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color} className={classes.badge ?? ''}>
          {label}
        </Badge>
        {at !== null && (
          <div className={classes.small}>
            <Moment at={at} isDate />
          </div>
        )}
      </Table.Td>
      <Table.Td data-label="Permissions">
        <ScopeSummary secret={secret} bots={bots} />
      </Table.Td>
      <Table.Td data-label="Created">
        <Moment at={createdAt} isDate /> <div className={classes.small}>by {createdBy ?? 'the operator'}</div>
      </Table.Td>
      <Table.Td data-label="Last used">{lastUsedAt === null ? 'Never' : <Moment at={lastUsedAt} />}</Table.Td>
      {isOwner && (
        <Table.Td className={classes.actions ?? ''} data-corner>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
                <Icon name="dots" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onAct('rename')}>Rename…</Menu.Item>
              {isLive && (
                <Menu.Item className={danger.item ?? ''} onClick={() => onAct('revoke')}>
                  Revoke…
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </Table.Td>
      )}
    </Table.Tr>
  );
}
