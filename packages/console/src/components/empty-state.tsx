// The empty state of a list: what belongs here, and how to add it.
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { Icon, type IconName } from './icons.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  /** 2 on a page whose list has no heading of its own. */
  level?: 2 | 3;
  children: ReactNode;
}

export function EmptyState({ icon, title, level = 3, children }: EmptyStateProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={classes.empty}>
      <span className={classes.icon}>
        <Icon name={icon} size={24} />
      </span>
      <Heading className={classes.title}>{title}</Heading>
      <div className={classes.text}>{children}</div>
    </div>
  );
}
