// What something is, as a list of names and values, side by side where there is room.
import type { ReactNode } from 'react';
import classes from './details.module.css';

/** `isDense`: for short values, of which more stand side by side. */
export function Details({ isDense = false, children }: { isDense?: boolean; children: ReactNode }) {
  return (
    <dl className={classes.details} data-dense={isDense || undefined}>
      {children}
    </dl>
  );
}

interface DetailProps {
  label: string;
  /** Explains the label. */
  title?: string | undefined;
  /** It has a row of its own. */
  isWide?: boolean;
  children: ReactNode;
}

export function Detail({ label, title, isWide = false, children }: DetailProps) {
  return (
    <div data-wide={isWide || undefined}>
      <dt title={title}>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** In place of a value that is empty. */
export function NoValue({ text = 'none' }: { text?: string }) {
  return <span className={classes.none}>{text}</span>;
}
