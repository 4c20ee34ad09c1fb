// The layout of a page: title, lead, actions, and the focus when the page changes.
import { Anchor } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** One or two sentences about the page. */
  lead?: ReactNode;
  /** The parent page. */
  back?: { href: string; label: string };
  actions?: ReactNode;
  /** As wide as the window: a table with many columns. */
  isWide?: boolean;
  children: ReactNode;
}

/** The first page after loading keeps the browser's own focus. */
let hasShownPage = false;

export function Page({ title, lead, back, actions, isWide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Roster`;
  }, [title]);
  useEffect(() => {
    // Without it, a screen reader would not announce the new page, and the keyboard would stay in the menu.
    if (hasShownPage) heading.current?.focus({ preventScroll: true });
    hasShownPage = true;
    scrollTo(0, 0);
  }, []);
  return (
    <div className={classes.page} data-wide={isWide || undefined}>
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
  /** Without padding, for tables. */
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
      {children && (
        <div className={isFlush ? classes.flush : classes.body} data-flush={isFlush || undefined}>
          {children}
        </div>
      )}
    </section>
  );
}
