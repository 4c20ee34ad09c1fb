// What a secret may do, in a row of the list.
import type { AccountBot, SecretState } from '@roster/contract';
import classes from './scope.module.css';

interface ScopeSummaryProps {
  secret: Pick<SecretState, 'permissions' | 'bots'>;
  /** Undefined while they are loading. */
  bots: readonly AccountBot[] | undefined;
}

export function ScopeSummary({ secret: { permissions, bots: reached }, bots }: ScopeSummaryProps) {
  const nameOf = (id: string) =>
    bots?.find((bot) => bot.id === id)?.name ?? (bots === undefined ? id : 'a deleted bot');
  return (
    <>
      <span className={classes.permissions}>
        {permissions.map((name) => (
          <code key={name}>{name}</code>
        ))}
      </span>
      <span className={classes.bots}>{reached === null ? 'All bots' : `Only ${reached.map(nameOf).join(', ')}`}</span>
    </>
  );
}
