// The frame of a page: its title, what it is for, what one can do, and where the focus goes when one arrives.
import { Anchor } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** One or two sentences: what is here. */
  lead?: ReactNode;
  /** Where one came from. */
  back?: { href: string; label: string };
  actions?: ReactNode;
  children: ReactNode;
}

/** The first page of a visit leaves the focus where the browser puts it. */
let hasArrived = false;

export function Page({ title, lead, back, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Roster`;
  }, [title]);
  useEffect(() => {
    // Otherwise a screen reader says nothing when the page changes, and the keyboard stays in the menu.
    if (hasArrived) heading.current?.focus({ preventScroll: true });
    hasArrived = true;
    scrollTo(0, 0);
  }, []);
  return (
    <div className={classes.page}>
      {back && (
        <Anchor href={back.href} className={classes.back} size="sm">
          <Icon name="left" size={15} /> {back.label}
        </Anchor>
      )}
      <header className={classes.head}>
        <div className={classes.words}>
          <h1 ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </h1>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** For tables, which reach the edges. */
  isFlush?: boolean;
  children?: ReactNode;
}

export function Panel({ title, lead, actions, isFlush = false, children }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      {(title || actions) && (
        <div className={classes.panelHead}>
          <div className={classes.words}>
            {title && <h2 className={classes.panelTitle}>{title}</h2>}
            {lead && <p className={classes.panelLead}>{lead}</p>}
          </div>
          {actions && <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      {children && <div className={isFlush ? classes.flush : classes.body}>{children}</div>}
    </section>
  );
}
