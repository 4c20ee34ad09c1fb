// The contacts of a bot: search as you type, filters, order, columns and pages; and actions on one or several contacts.
import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ContactInclude } from '@roster/client';
import type { IncludingContact } from '@roster/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { attributesQuery, botsQuery, keys, segmentsQuery, tagsQuery } from '../api/queries.ts';
import { missingAttributes } from '../attributes/missing-attributes.ts';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { counted } from '../components/moment.tsx';
import { Page, Panel } from '../components/page.tsx';
import { PopupButton } from '../components/popup-button.tsx';
import type { Chosen } from '../contacts/bulk.ts';
import { BulkBar } from '../contacts/bulk-bar.tsx';
import { columnsOf, includeFor, useColumnKeys } from '../contacts/columns.ts';
import { ContactTable } from '../contacts/contact-table.tsx';
import { FilterBar } from '../contacts/filter-bar.tsx';
import type { DialogShown } from '../contacts/list-dialog.tsx';
import {
  contactLink,
  filterOf,
  isNarrowed,
  type ListState,
  listLink,
  readList,
  writeList,
} from '../contacts/list-state.ts';
import { Pager } from '../contacts/pager.tsx';
import { linkOfContact, useListKeys } from '../contacts/use-list-keys.ts';
import { useSelection } from '../contacts/use-selection.ts';
import { useKept } from '../kept-state.ts';
import { navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { hasUnsaved } from '../unsaved.ts';
import classes from './contacts.module.css';

// What a list of contacts does not show at first.
const BrokenSegment = lazy(() => import('../contacts/broken-segment.tsx'));
const ContactPeek = lazy(() => import('../contacts/contact-peek.tsx'));
const ColumnMenu = lazy(() => import('../contacts/column-menu.tsx'));
const FilesMenu = lazy(() => import('../contacts/files-menu.tsx'));
const ListDialog = lazy(() => import('../contacts/list-dialog.tsx'));
const UnknownFilters = lazy(() => import('../contacts/unknown-filters.tsx'));
const NoContacts = lazy(() => import('../contacts/no-contacts.tsx'));

const typingPauseMs = 150;
/** Where there is no room for a panel beside the list, a row opens the page of its contact. */
const isNarrow = matchMedia('(max-width: 44rem)');

export default function ContactsPage({ botId, parameters }: { botId: string; parameters: URLSearchParams }) {
  const { connection, canWrite } = useSignedIn();
  const { unknown, ...list } = readList(parameters);
  const { query, segment, conditions, sort, page, limit } = list;
  const address = writeList(list);
  const contacts = useMemo(() => connection.contactsOf(botId), [connection, botId]);
  const { data: bots } = useQuery(botsQuery(connection));
  const bot = bots?.find(({ id }) => id === botId);
  const { data: knownAttributes } = useQuery(attributesQuery(connection, botId));
  const attributes = knownAttributes ?? [];
  const { data: tags = [] } = useQuery(tagsQuery(connection, botId));
  const { data: segments = [] } = useQuery(segmentsQuery(connection, botId));
  const [columnKeys, setColumnKeys] = useColumnKeys(botId);
  const include = includeFor(columnKeys);
  const shownSegment = segments.find(({ key }) => key === segment);
  const missing = shownSegment === undefined ? [] : missingAttributes(shownSegment, knownAttributes);
  const search = { query, segment, filter: filterOf(conditions) };
  // The key contains the whole list, so a late response is never shown for another one.
  const found = useQuery({
    queryKey: [...keys.contacts(botId), { address, include }],
    queryFn: async ({ signal }) => {
      // Members may include more than the client's types know.
      const included = include as ContactInclude[];
      const answer = await contacts.search({ ...search, sort, page, limit, include: included }, { signal });
      return { pagination: answer.pagination, data: answer.data as IncludingContact[] };
    },
    placeholderData: keepPreviousData,
    enabled: unknown.length === 0,
  });
  const peeked = parameters.get('peek') ?? undefined;
  const change = (changes: Partial<ListState>, isReplacing = false) =>
    navigate(listLink(botId, writeList({ ...list, page: 1, ...changes }), peeked), { isReplacing });
  const peek = (id: string | undefined) => {
    const isPage = id !== undefined && isNarrow.matches;
    const link = isPage ? contactLink(botId, id, address) : listLink(botId, address, id);
    // By a link the member is asked about what they have typed in the panel.
    if (hasUnsaved()) {
      location.hash = link;
      return;
    }
    // Going back closes the panel, however many contacts it has shown.
    navigate(link, { isReplacing: !isPage && peeked !== undefined });
    // The contact may be none of the rows: the list has moved on, or another page of it is shown.
    if (id === undefined && peeked !== undefined) (linkOfContact(peeked) ?? searchField.current)?.focus();
  };

  const [typed, setTyped] = useState(query);
  const [settled] = useDebouncedValue(typed, typingPauseMs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing changes the route here.
  useEffect(() => {
    if (settled !== query) change({ query: settled }, true);
  }, [settled]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the route changes the text here.
  useEffect(() => {
    if (query !== settled) setTyped(query);
  }, [query]);

  // Without the unknown filters the address is that of another list, whose contacts may be in the cache.
  const hasUnknown = unknown.length > 0;
  const current = hasUnknown || found.isPlaceholderData ? undefined : found.data;
  const total = current?.pagination.total;
  const pageCount = current?.pagination.totalPages ?? page;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page past the end leads to the last one.
  useEffect(() => {
    if (page > Math.max(pageCount, 1)) change({ page: Math.max(pageCount, 1) }, true);
  }, [page, pageCount]);

  const shown = hasUnknown ? [] : (found.data?.data ?? []);
  const selection = useSelection(`${botId} ${address}`, shown);
  const [dialog, setDialog] = useKept<DialogShown | undefined>('dialog', undefined);
  const isNew = parameters.has('new');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the address asks for the form.
  useEffect(() => {
    if (!isNew) return;
    if (canWrite) setDialog({ kind: 'create' });
    change({}, true);
  }, [isNew]);
  const all: Chosen = { search, total: total ?? 0, first: shown };
  const chosen: Chosen = selection.isAll ? all : { contacts: shown.filter(({ id }) => selection.ids.has(id)) };
  const searchField = useRef<HTMLInputElement>(null);
  useListKeys({ search: searchField, peeked, onPeek: peek, onToggle: canWrite ? selection.toggle : undefined });
  const peekedAt = shown.findIndex(({ id }) => id === peeked);

  const hasFilters = isNarrowed(list);
  const isEmpty = total === 0 && !hasFilters;
  const columns = columnsOf(attributes);
  const hasFailed = found.isError && found.data === undefined;
  return (
    <Page
      title={shownSegment?.label ?? bot?.name ?? 'Contacts'}
      lead={shownSegment === undefined ? 'Contacts that the widget greets by name.' : bot && `Segment of ${bot.name}`}
      isWide
      actions={
        canWrite &&
        !hasFailed &&
        !isEmpty && (
          <>
            {!hasUnknown && (
              <PopupButton kind="menu" button={<Button variant="default">Import &amp; export</Button>}>
                {(button) => (
                  <FilesMenu
                    button={button}
                    botId={botId}
                    onExport={() => setDialog({ kind: 'export', chosen: all })}
                  />
                )}
              </PopupButton>
            )}
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ kind: 'create' })}>
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
              ref={searchField}
              className={classes.search ?? ''}
              aria-label="Search contacts"
              placeholder="Name, email, phone, ID …"
              type="search"
              leftSection={<Icon name="search" size={16} />}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <span className={classes.total} role="status">
              {totalText(total, hasFilters, found.isFetching)}
            </span>
            <div className={classes.columns}>
              <PopupButton
                kind="menu"
                button={
                  <Button variant="default" size="xs" leftSection={<Icon name="columns" size={15} />}>
                    Columns
                  </Button>
                }
              >
                {(button) => (
                  <ColumnMenu button={button} columns={columns} chosen={columnKeys} onChoose={setColumnKeys} />
                )}
              </PopupButton>
            </div>
            <div className={classes.filters}>
              <FilterBar
                botId={botId}
                list={list}
                attributes={attributes}
                tags={tags}
                segments={segments}
                onChange={change}
                onSave={
                  canWrite && segment === undefined && conditions.length > 0
                    ? () => setDialog({ kind: 'save segment' })
                    : undefined
                }
              />
            </div>
          </div>
        )}
        {selection.ids.size > 0 && (
          <BulkBar
            chosen={chosen}
            totalToChoose={!selection.isAll && total !== undefined && total > shown.length ? total : undefined}
            hasTags={tags.length > 0}
            hasAttributes={attributes.length > 0}
            onChooseAll={selection.selectAll}
            onClear={selection.clear}
            onAct={(kind) => setDialog({ kind, chosen })}
          />
        )}
        {shownSegment && missing.length > 0 && (
          <BrokenSegment
            missing={missing}
            onEdit={canWrite ? () => setDialog({ kind: 'edit segment', segment: shownSegment }) : undefined}
          />
        )}
        {hasUnknown && <UnknownFilters names={unknown} onRemove={() => change({ page }, true)} />}
        {missing.length === 0 && !hasUnknown && (
          <Loaded query={found} lines={8}>
            {({ data, pagination }) =>
              isEmpty ? (
                <NoContacts botId={botId} onCreate={() => setDialog({ kind: 'create' })} />
              ) : (
                <>
                  {data.length === 0 ? (
                    <p className={classes.none}>{noneText(query, hasFilters)}</p>
                  ) : (
                    <ContactTable
                      botId={botId}
                      contacts={data}
                      columns={columns.filter(({ key }) => columnKeys.includes(key))}
                      sort={sort ?? shownSegment?.sort ?? '-createdAt'}
                      onSort={(next) => change({ sort: next })}
                      list={address}
                      isOutdated={found.isPlaceholderData}
                      selection={canWrite ? selection : undefined}
                      peeked={peeked}
                      onPeek={peek}
                    />
                  )}
                  <Pager
                    pagination={pagination}
                    shown={data.length}
                    onMove={(to) => {
                      change(to);
                      scrollTo(0, 0);
                    }}
                  />
                </>
              )
            }
          </Loaded>
        )}
      </Panel>
      {peeked !== undefined && (
        <Suspense>
          <ContactPeek
            botId={botId}
            contactId={peeked}
            name={shown[peekedAt]?.name}
            list={address}
            previous={shown[peekedAt - 1]?.id}
            next={shown[peekedAt + 1]?.id}
            onPeek={peek}
            onDeleted={() => navigate(listLink(botId, address), { isReplacing: true })}
          />
        </Suspense>
      )}
      {dialog && (
        <Suspense>
          <ListDialog
            bot={bot}
            botId={botId}
            contacts={contacts}
            dialog={dialog}
            list={list}
            attributes={attributes}
            tags={tags}
            segments={segments}
            onClose={(isDone) => {
              setDialog(undefined);
              if (isDone) selection.clear();
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** Nothing when it is not known, and nothing is on the way. */
function totalText(total: number | undefined, hasFilters: boolean, isFetching: boolean): string {
  if (total === undefined) return isFetching ? 'Searching…' : '';
  return hasFilters ? counted(total, 'match', 'matches') : counted(total, 'contact');
}

function noneText(query: string, hasFilters: boolean): string {
  if (query !== '') return `No contacts match “${query}”.`;
  return hasFilters ? 'No contacts match these filters.' : 'There are no contacts on this page.';
}
