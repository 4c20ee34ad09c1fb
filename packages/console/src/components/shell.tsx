// The layout of the signed-in pages: navigation and the page itself.
import { ActionIcon } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { botsQuery, keys } from '../api/queries.ts';
import { rememberBot } from '../home/recent-bot.ts';
import { linkTo, type Route } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { TaskPill } from '../tasks/task-pill.tsx';
import { Icon, Logo } from './icons.tsx';
import { isShortcut } from './keyboard.ts';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

const CommandPalette = lazy(() => import('./command-palette.tsx'));
const PhoneMenu = lazy(() => import('./phone-menu.tsx'));
const Shortcuts = lazy(() => import('./shortcuts.tsx'));

export function Shell({ route, children }: { route: Route; children: ReactNode }) {
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [isShowingShortcuts, setIsShowingShortcuts] = useState(false);
  const openPalette = () => {
    setIsMenuOpen(false);
    setIsPaletteOpen(true);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '?' && isShortcut(event)) setIsShowingShortcuts(true);
      const isPaletteKey = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey;
      // Another dialog may have edits.
      if (!isPaletteKey || document.querySelector('[role=dialog]') !== null) return;
      event.preventDefault();
      setIsPaletteOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const { data: bots } = useQuery(botsQuery(useSignedIn().connection));
  const bot = bots?.find(({ id }) => id === botIdOf(route));
  const key = route.segments.join('/');
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs on every navigation.
  useEffect(() => {
    setIsMenuOpen(false);
    const botId = botIdOf(route);
    if (botId !== undefined) rememberBot(botId);
    // Another member may have created or renamed a bot.
    queries.refetchQueries({ queryKey: keys.bots, exact: true, type: 'active' }, { cancelRefetch: false });
  }, [key]);
  return (
    <div className={classes.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the page's content, and screen readers list it as a link. */}
      <a
        href="#page"
        className={classes.skip}
        onClick={(event) => {
          // The fragment would be another route of the console.
          event.preventDefault();
          document.querySelector('h1')?.focus();
        }}
      >
        Skip to content
      </a>
      <header className={classes.bar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Open the menu"
          onClick={() => setIsMenuOpen(true)}
        >
          <Icon name="menu" size={22} />
        </ActionIcon>
        <a href="#/" className={classes.home} aria-label={bot && 'Roster'}>
          <Logo size={24} /> {bot === undefined && 'Roster'}
        </a>
        {bot && (
          <a href={linkTo(['bots', bot.id, 'contacts'])} className={classes.botName}>
            {bot.name}
          </a>
        )}
        <span className={classes.task}>
          <TaskPill />
        </span>
      </header>
      <section className={classes.side} aria-label="Sidebar">
        <div className={classes.sidebar}>
          <a href="#/" className={classes.home}>
            <Logo size={26} /> Roster
          </a>
          <Navigation route={route} onJump={openPalette} onShortcuts={() => setIsShowingShortcuts(true)} />
          <TaskPill />
        </div>
      </section>
      {isMenuOpen && (
        <Suspense>
          <PhoneMenu route={route} onJump={openPalette} onClose={() => setIsMenuOpen(false)} />
        </Suspense>
      )}
      <main id="page" className={classes.main}>
        {children}
      </main>
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette botId={botIdOf(route)} onClose={() => setIsPaletteOpen(false)} />
        </Suspense>
      )}
      {isShowingShortcuts && (
        <Suspense>
          <Shortcuts onClose={() => setIsShowingShortcuts(false)} />
        </Suspense>
      )}
    </div>
  );
}

function botIdOf({ segments: [first, id] }: Route): string | undefined {
  return first === 'bots' ? id : undefined;
}
