// The frame of the pages before the sign-in.
import { type ReactNode, useEffect } from 'react';
import classes from './gate.module.css';
import { Logo } from './icons.tsx';

interface GateProps {
  /** Empty: nothing is known yet, and nothing is said. */
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
}

export function Gate({ title, lead, children }: GateProps) {
  useEffect(() => {
    document.title = title === '' || title === 'Roster' ? 'Roster' : `${title} · Roster`;
  }, [title]);
  return (
    <main className={classes.gate}>
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
