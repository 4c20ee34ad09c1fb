// The frame of the pages after the sign-in: the way around, who is signed in, and the page itself.
import { ActionIcon, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { Place } from '../router.ts';
import { Icon, Logo } from './icons.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

export function Shell({ place, children }: { place: Place; children: ReactNode }) {
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const key = place.segments.join('/');
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever one goes, the menu has done its work.
  useEffect(() => setIsMenuOpen(false), [key]);
  return (
    <div className={classes.shell}>
      {/* A link by fragment would be another place of the console. */}
      <button type="button" className={classes.skip} onClick={() => document.querySelector('h1')?.focus()}>
        Skip to the page
      </button>
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
        <a href="#/" className={classes.home}>
          <Logo size={24} /> Roster
        </a>
      </header>
      <div className={classes.side}>
        <div className={classes.sidebar}>
          <a href="#/" className={classes.home}>
            <Logo size={26} /> Roster
          </a>
          <Navigation place={place} />
        </div>
      </div>
      <Drawer
        opened={isMenuOpen}
        onClose={() => setIsMenuOpen(false)}
        title="Menu"
        size="17rem"
        lockScroll={false}
        closeButtonProps={{ 'aria-label': 'Close the menu' }}
        classNames={{ body: classes.drawerBody ?? '', content: classes.drawer ?? '', header: classes.drawer ?? '' }}
      >
        <Navigation place={place} />
      </Drawer>
      <main className={classes.main}>{children}</main>
    </div>
  );
}
