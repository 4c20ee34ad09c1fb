// The layout of the pages without a session.
import { type ReactNode, useEffect } from 'react';
import { Logo } from './icons.tsx';
import classes from './signed-out-layout.module.css';

interface SignedOutLayoutProps {
  /** Empty while loading: only the logo is shown. */
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
}

export function SignedOutLayout({ title, lead, children }: SignedOutLayoutProps) {
  useEffect(() => {
    document.title = title === '' || title === 'Roster' ? 'Roster' : `${title} · Roster`;
  }, [title]);
  return (
    <main className={classes.layout}>
      <div className={classes.brand}>
        <Logo size={36} />
        <span>Roster</span>
      </div>
      {title !== '' && (
        <div className={classes.card}>
          <h1 className={classes.title}>{title}</h1>
          {lead && <p className={classes.lead}>{lead}</p>}
          {children}
        </div>
      )}
    </main>
  );
}
