// The empty state of a list: what belongs here, and how to add it.
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { Icon, type IconName } from './icons.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children: ReactNode;
}

export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <span className={classes.icon}>
        <Icon name={icon} size={24} />
      </span>
      <h3 className={classes.title}>{title}</h3>
      <div className={classes.text}>{children}</div>
    </div>
  );
}
