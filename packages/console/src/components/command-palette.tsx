// Goes to a page, a bot, a segment or a contact by a part of its name, and to the form of a new contact: ⌘K, or Ctrl+K.
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { botsQuery, keys, segmentsQuery } from '../api/queries.ts';
import { contactLink, newContactLink } from '../contacts/list-state.ts';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './command-palette.module.css';
import { Dialog } from './confirm.tsx';
import { Icon, type IconName } from './icons.tsx';

interface Entry {
  href: string;
  icon: IconName;
  label: string;
  /** What it belongs to. */
  detail: string;
}

const typingPauseMs = 150;
const botsShown = 5;
const segmentsShown = 5;
const contactsShown = 5;

interface CommandPaletteProps {
  /** Its contacts are searched. Left out: those of the first bot. */
  botId: string | undefined;
  onClose(): void;
}

export default function CommandPalette({ botId, onClose }: CommandPaletteProps) {
  const { connection, isOwner, canWrite } = useSignedIn();
  const { data: bots = [] } = useQuery(botsQuery(connection));
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const query = typed.trim();
  const [settled] = useDebouncedValue(query, typingPauseMs);
  const bot = bots.find(({ id }) => id === botId) ?? bots[0];
  const found = useQuery({
    queryKey: [...keys.contacts(bot?.id ?? ''), 'palette', settled],
    queryFn: async ({ signal }) => {
      const contacts = connection.contactsOf(bot?.id ?? '');
      return (await contacts.search({ query: settled, limit: contactsShown }, { signal })).data;
    },
    enabled: bot !== undefined && settled !== '',
    placeholderData: keepPreviousData,
  });
  const { data: segments = [] } = useQuery({
    ...segmentsQuery(connection, bot?.id ?? ''),
    enabled: bot !== undefined,
  });
  const has = (text: string) => text.toLowerCase().includes(query.toLowerCase());
  const isNamed = ({ label }: Entry) => has(label);
  const contacts = query === '' ? [] : (found.data ?? []);
  const entries: Entry[] = [
    ...(bot === undefined ? [] : pagesOfBot(bot, canWrite)).filter(({ label, detail }) => has(`${label} ${detail}`)),
    ...segments
      .map(({ key, label }): Entry => {
        return {
          href: linkTo(['bots', bot?.id ?? '', 'contacts'], { segment: key }),
          icon: 'filter',
          label,
          detail: 'Segment',
        };
      })
      .filter(isNamed)
      .slice(0, segmentsShown),
    ...pagesOfOrganization(isOwner, canWrite).filter(isNamed),
    ...bots
      .map(
        ({ id, name }): Entry => ({ href: linkTo(['bots', id, 'contacts']), icon: 'bot', label: name, detail: 'Bot' }),
      )
      .filter(isNamed)
      .slice(0, botsShown),
    ...contacts.map(({ id, name, email }): Entry => {
      return { href: contactLink(bot?.id ?? '', id), icon: 'team', label: name, detail: email };
    }),
  ];
  const current = Math.min(chosen, entries.length - 1);
  const listId = useId();
  const idOf = (at: number) => `${listId}-${at}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setChosen((current + step + entries.length) % entries.length);
    }
    const entry = entries[current];
    if (event.key === 'Enter' && entry !== undefined) {
      event.preventDefault();
      onClose();
      location.hash = entry.href;
    }
  };
  const isSearching = query !== '' && (query !== settled || found.isFetching);
  return (
    <Dialog title="Go to" onClose={onClose}>
      <TextInput
        data-autofocus
        aria-label="Page, bot, segment or contact"
        placeholder="Page, bot, segment or contact"
        autoComplete="off"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? idOf(current) : undefined}
        leftSection={<Icon name="search" size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" aria-busy={isSearching} className={classes.list}>
        {entries.map(({ href, icon, label, detail }, at) => (
          <a
            key={`${href} ${label}`}
            id={idOf(at)}
            role="option"
            tabIndex={-1}
            aria-selected={at === current}
            href={href}
            className={classes.entry}
            onClick={onClose}
          >
            <Icon name={icon} size={16} />
            <span className={classes.label}>{label}</span> <span className={classes.detail}>{detail}</span>
          </a>
        ))}
      </div>
      {entries.length === 0 && !isSearching && (
        <p role="status" className={classes.none}>
          No results for “{query}”.
        </p>
      )}
    </Dialog>
  );
}

function pagesOfBot({ id, name }: { id: string; name: string }, canWrite: boolean): Entry[] {
  const webhooks = {
    href: linkTo(['bots', id, 'webhooks']),
    icon: 'webhook',
    label: 'Webhooks',
    detail: name,
  } as const;
  const newContact = { href: newContactLink(id), icon: 'plus', label: 'New contact', detail: name } as const;
  return [
    { href: linkTo(['bots', id, 'contacts']), icon: 'contacts', label: 'Contacts', detail: name },
    { href: linkTo(['bots', id, 'import']), icon: 'upload', label: 'Import contacts', detail: name },
    ...(canWrite ? [newContact] : []),
    { href: linkTo(['bots', id, 'activity']), icon: 'activity', label: 'Activity', detail: name },
    { href: linkTo(['bots', id, 'attributes']), icon: 'columns', label: 'Attributes and tags', detail: name },
    { href: linkTo(['bots', id, 'settings']), icon: 'widget', label: 'Widget', detail: name },
    ...(canWrite ? [webhooks] : []),
  ];
}

function pagesOfOrganization(isOwner: boolean, canWrite: boolean): Entry[] {
  const detail = 'Organization';
  return [
    { href: '#/', icon: 'home', label: 'Home', detail },
    { href: '#/bots', icon: 'bot', label: 'All bots', detail },
    { href: '#/secrets', icon: 'key', label: 'Secrets', detail },
    { href: '#/members', icon: 'team', label: 'Members', detail },
    ...(canWrite ? [{ href: '#/tasks', icon: 'upload', label: 'Imports and bulk actions', detail } as const] : []),
    ...(isOwner ? [{ href: '#/audit', icon: 'log', label: 'Audit log', detail } as const] : []),
    { href: '#/account', icon: 'gear', label: 'Your account', detail: 'Account' },
  ];
}
