// The contacts of a bot: search as you type, pages, and actions on one or several contacts.
import { Button, Menu, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { botQuery, keys } from '../api/queries.ts';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { counted } from '../components/moment.tsx';
import { Page, Panel } from '../components/page.tsx';
import { ContactForm } from '../contacts/contact-form.tsx';
import { ContactTable } from '../contacts/contact-table.tsx';
import { DeleteContacts } from '../contacts/delete-contacts.tsx';
import { ExportDialog } from '../contacts/export-dialog.tsx';
import { NoContacts } from '../contacts/no-contacts.tsx';
import { Pager, pagingParameters, readPaging } from '../contacts/pager.tsx';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './contacts.module.css';

const typingPauseMs = 200;

export default function ContactsPage({ botId, parameters }: { botId: string; parameters: URLSearchParams }) {
  const { connection, canWrite } = useSignedIn();
  const query = parameters.get('query') ?? '';
  const { page, limit } = readPaging(parameters);
  const contacts = useMemo(() => connection.contactsOf(botId), [connection, botId]);
  const { data: bot } = useQuery(botQuery(connection, botId));
  // The key contains the query, so a late response is never shown for another query.
  const found = useQuery({
    queryKey: [...keys.contacts(botId), { query, page, limit }],
    queryFn: ({ signal }) => contacts.search({ query, page, limit }, { signal }),
    placeholderData: keepPreviousData,
  });
  const move = (to: { query?: string; page?: number; limit?: number }, isReplacing = false) => {
    const next = { query, page, limit, ...to };
    navigate(linkTo(['bots', botId, 'contacts'], { query: next.query, ...pagingParameters(next) }), { isReplacing });
  };

  const [typed, setTyped] = useState(query);
  const [settled] = useDebouncedValue(typed, typingPauseMs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing changes the route here.
  useEffect(() => {
    if (settled !== query) move({ query: settled, page: 1 }, true);
  }, [settled]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the route changes the text here.
  useEffect(() => {
    if (query !== settled) setTyped(query);
  }, [query]);

  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'create' | 'delete' | 'export'>();
  const close = () => setDialog(undefined);
  const total = found.isPlaceholderData ? undefined : found.data?.pagination.total;
  const totalText =
    total === undefined ? 'Searching …' : query === '' ? counted(total, 'contact') : counted(total, 'match', 'matches');
  const isEmpty = total === 0 && query === '';
  return (
    <Page
      title="Contacts"
      lead={bot && `Of ${bot.name}. People you know, whom the widget greets by name.`}
      actions={
        canWrite && (
          <>
            <MoreActions botId={botId} onExport={() => setDialog('export')} />
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog('create')}>
              New contact
            </Button>
          </>
        )
      }
    >
      <Panel isFlush>
        {!isEmpty && (
          <div className={classes.tools}>
            <TextInput
              className={classes.search ?? ''}
              aria-label="Search contacts"
              placeholder="Name, email, phone, id …"
              type="search"
              leftSection={<Icon name="search" size={16} />}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <span className={classes.total} role="status">
              {totalText}
            </span>
            {selected.size > 0 && (
              <Button
                variant="default"
                size="xs"
                leftSection={<Icon name="trash" size={15} />}
                onClick={() => setDialog('delete')}
              >
                Delete {counted(selected.size, 'contact')}…
              </Button>
            )}
          </div>
        )}
        <Loaded query={found} lines={8}>
          {({ data, pagination }) =>
            isEmpty ? (
              <NoContacts botId={botId} onCreate={() => setDialog('create')} />
            ) : (
              <>
                <ContactTable
                  botId={botId}
                  contacts={data}
                  isOutdated={found.isPlaceholderData}
                  query={query}
                  selected={selected}
                  onSelect={canWrite ? setSelected : undefined}
                />
                <Pager pagination={pagination} shown={data.length} onMove={move} />
              </>
            )
          }
        </Loaded>
      </Panel>
      {dialog === 'create' && <ContactForm botId={botId} contacts={contacts} onClose={close} />}
      {dialog === 'export' && <ExportDialog bot={bot} contacts={contacts} query={query} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteContacts
          botId={botId}
          contacts={contacts}
          ids={[...selected]}
          onClose={(left) => {
            setSelected(left);
            close();
          }}
        />
      )}
    </Page>
  );
}

function MoreActions({ botId, onExport }: { botId: string; onExport: () => void }) {
  return (
    <Menu position="bottom-end" withinPortal={false} transitionProps={{ duration: 100 }}>
      <Menu.Target>
        <Button variant="default">Import &amp; export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={linkTo(['bots', botId, 'import'])}
          leftSection={<Icon name="upload" size={16} />}
        >
          Import a CSV…
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="download" size={16} />} onClick={onExport}>
          Export as CSV…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
