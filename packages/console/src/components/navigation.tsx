// The navigation: bots with their pages, the organization's pages, and the account menu.
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { botsQuery, segmentsQuery, segmentTotalQuery } from '../api/queries.ts';
import { roleNames } from '../members/role-names.ts';
import { linkTo, type Route } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { Icon, type IconName } from './icons.tsx';
import { isApple } from './keyboard.ts';
import { count } from './moment.tsx';
import classes from './navigation.module.css';
import { PopupButton } from './popup-button.tsx';

const AccountMenu = lazy(() => import('./account-menu.tsx'));

/** Further bots are shown on request. */
const botsShown = 8;
/** All of them are on the page of attributes. Each that is shown is counted. */
const segmentsShown = 8;

interface NavigationProps {
  route: Route;
  onJump(): void;
  /** Shows the keyboard's shortcuts. Left out: on a phone. */
  onShortcuts?: () => void;
}

export function Navigation({ route, onJump, onShortcuts }: NavigationProps) {
  const { session, connection, isOwner, canWrite } = useSignedIn();
  const { data: bots = [] } = useQuery(botsQuery(connection));
  const [first = '', botId] = route.segments;
  const current = bots.find(({ id }) => id === botId);
  const [isExpanded, setIsExpanded] = useState(false);
  const shown = isExpanded ? [...bots] : bots.slice(0, botsShown);
  if (current !== undefined && !shown.includes(current)) shown.push(current);
  return (
    <nav className={classes.nav} aria-label="Console">
      <div className={classes.organization} title={session.organization.name}>
        {session.organization.name}
      </div>
      <ul className={classes.list}>
        <li>
          <UnstyledButton className={classes.item ?? ''} aria-keyshortcuts="Meta+K Control+K" onClick={onJump}>
            <Icon name="search" />
            <span className={classes.label}>Go to…</span>
            <kbd className={classes.total}>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
          </UnstyledButton>
        </li>
        <Item href="#/" icon="home" label="Home" isCurrent={route.segments.length === 0} />
        <Item href="#/bots" icon="bot" label="All bots" isCurrent={first === 'bots' && botId === undefined} />
        {shown.map(({ id, name, color }) => (
          <li key={id}>
            <a
              className={classes.item}
              href={linkTo(['bots', id, 'contacts'])}
              aria-current={id === botId ? 'true' : undefined}
            >
              <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
                <circle cx="9" cy="9" r="5" fill={color} />
              </svg>
              <span className={classes.label}>{name}</span>
            </a>
            {id === botId && <BotItems botId={id} route={route} />}
          </li>
        ))}
        {bots.length > botsShown && (
          <li>
            <UnstyledButton
              className={classes.item ?? ''}
              aria-expanded={isExpanded}
              onClick={() => setIsExpanded(!isExpanded)}
            >
              <Icon name={isExpanded ? 'up' : 'down'} />
              <span className={classes.label}>
                {isExpanded ? 'Show fewer' : `Show ${count(bots.length - shown.length)} more`}
              </span>
            </UnstyledButton>
          </li>
        )}
      </ul>
      <div className={classes.heading}>Organization</div>
      <ul className={classes.list}>
        <Item href="#/secrets" icon="key" label="Secrets" isCurrent={first === 'secrets'} />
        <Item href="#/members" icon="team" label="Members" isCurrent={first === 'members'} />
        {canWrite && (
          <Item href="#/tasks" icon="upload" label="Imports and bulk actions" isCurrent={first === 'tasks'} />
        )}
        {isOwner && <Item href="#/audit" icon="log" label="Audit log" isCurrent={first === 'audit'} />}
        {/* In other tabs: they are no pages of the console. */}
        <Item href={`${serviceUrl}/docs/guide`} icon="book" label="Guide" isCurrent={false} target="_blank" />
        <Item
          // Its examples have the id of the bot.
          href={`${serviceUrl}/docs${current === undefined ? '' : `?bot=${current.id}`}`}
          icon="code"
          label="API reference"
          isCurrent={false}
          target="_blank"
        />
      </ul>
      <div className={classes.foot}>
        <AccountButton onShortcuts={onShortcuts} />
      </div>
    </nav>
  );
}

function AccountButton({ onShortcuts }: { onShortcuts: (() => void) | undefined }) {
  const { name, role } = useSignedIn().session.member;
  const button = (
    <UnstyledButton className={classes.member ?? ''}>
      <span className={classes.initial} aria-hidden="true">
        {Array.from(name)[0]?.toUpperCase()}
      </span>
      <span className={classes.memberText}>
        <span className={classes.memberName}>{name}</span>
        <span className={classes.memberRole}>{roleNames[role]}</span>
      </span>
    </UnstyledButton>
  );
  return (
    <PopupButton kind="menu" button={button}>
      {(opened) => <AccountMenu button={opened} onShortcuts={onShortcuts} />}
    </PopupButton>
  );
}

function BotItems({ botId, route }: { botId: string; route: Route }) {
  const { connection, canWrite } = useSignedIn();
  const { data: segments = [] } = useQuery(segmentsQuery(connection, botId));
  const part = route.segments[2];
  const segment = part === 'contacts' ? (route.parameters.get('segment') ?? undefined) : undefined;
  return (
    <ul className={classes.sublist}>
      <Item
        href={linkTo(['bots', botId, 'contacts'])}
        icon="contacts"
        label="Contacts"
        isCurrent={(part === 'contacts' && segment === undefined) || part === 'import'}
      />
      {segments.slice(0, segmentsShown).map(({ key, label }) => (
        <SegmentItem key={key} botId={botId} segment={key} label={label} isCurrent={key === segment} />
      ))}
      <Item
        href={linkTo(['bots', botId, 'activity'])}
        icon="activity"
        label="Activity"
        isCurrent={part === 'activity'}
      />
      <Item
        href={linkTo(['bots', botId, 'attributes'])}
        icon="columns"
        label="Attributes"
        isCurrent={part === 'attributes'}
      />
      <Item href={linkTo(['bots', botId, 'settings'])} icon="widget" label="Widget" isCurrent={part === 'settings'} />
      {canWrite && (
        <Item
          href={linkTo(['bots', botId, 'webhooks'])}
          icon="webhook"
          label="Webhooks"
          isCurrent={part === 'webhooks'}
        />
      )}
    </ul>
  );
}

interface SegmentItemProps {
  botId: string;
  segment: string;
  label: string;
  isCurrent: boolean;
}

function SegmentItem({ botId, segment, label, isCurrent }: SegmentItemProps) {
  const { connection } = useSignedIn();
  const { data, isError } = useQuery(segmentTotalQuery(connection, botId, segment));
  // It cannot be counted any more when an attribute that it uses was deleted.
  const total = isError ? undefined : data;
  const href = linkTo(['bots', botId, 'contacts'], { segment });
  return <Item href={href} icon="filter" label={label} isCurrent={isCurrent} total={total} />;
}

interface ItemProps {
  href: string;
  icon: IconName;
  label: string;
  isCurrent: boolean;
  /** How many contacts it leads to. */
  total?: number | undefined;
  target?: string;
}

function Item({ href, icon, label, isCurrent, total, target }: ItemProps) {
  return (
    <li>
      <a className={classes.item} href={href} target={target} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={icon} />
        <span className={classes.label}>{label}</span>{' '}
        {total !== undefined && <span className={classes.total}>{count(total)}</span>}
      </a>
    </li>
  );
}
