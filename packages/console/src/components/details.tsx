// What something is, as a list of names and values, side by side where there is room.
import type { ReactNode } from 'react';
import classes from './details.module.css';

export function Details({ children }: { children: ReactNode }) {
  return <dl className={classes.details}>{children}</dl>;
}

interface DetailProps {
  label: string;
  /** It has a row of its own. */
  isWide?: boolean;
  children: ReactNode;
}

export function Detail({ label, isWide = false, children }: DetailProps) {
  return (
    <div data-wide={isWide || undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** In place of a value that is empty. */
export function NoValue({ text = 'none' }: { text?: string }) {
  return <span className={classes.none}>{text}</span>;
}
