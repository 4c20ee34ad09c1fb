// The navigation: bots with their pages, the organization's pages, and the account menu.
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { botsQuery } from '../api/queries.ts';
import { linkTo, type Route } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Icon, type IconName } from './icons.tsx';
import { count } from './moment.tsx';
import classes from './navigation.module.css';

/** Further bots are shown on request. */
const botsShown = 8;

export function Navigation({ route }: { route: Route }) {
  const { session, connection, isOwner } = useSignedIn();
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
        <Item href="#/" icon="bot" label="All bots" isCurrent={route.segments.length === 0} />
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
            {id === botId && <BotItems botId={id} part={route.segments[2]} />}
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
        {isOwner && <Item href="#/audit" icon="log" label="Audit log" isCurrent={first === 'audit'} />}
        <Item
          // In another tab: it is no page of the console. Its examples have the id of the bot.
          href={`${serviceUrl}/docs${current === undefined ? '' : `?bot=${current.id}`}`}
          icon="code"
          label="API reference"
          isCurrent={false}
          target="_blank"
        />
      </ul>
      <div className={classes.foot}>
        <AccountMenu />
      </div>
    </nav>
  );
}

function BotItems({ botId, part }: { botId: string; part: string | undefined }) {
  return (
    <ul className={classes.sublist}>
      <Item
        href={linkTo(['bots', botId, 'contacts'])}
        icon="contacts"
        label="Contacts"
        isCurrent={part === 'contacts' || part === 'import'}
      />
      <Item href={linkTo(['bots', botId, 'settings'])} icon="widget" label="Widget" isCurrent={part === 'settings'} />
    </ul>
  );
}

interface ItemProps {
  href: string;
  icon: IconName;
  label: string;
  isCurrent: boolean;
  target?: string;
}

function Item({ href, icon, label, isCurrent, target }: ItemProps) {
  return (
    <li>
      <a className={classes.item} href={href} target={target} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={icon} />
        <span className={classes.label}>{label}</span>
      </a>
    </li>
  );
}
