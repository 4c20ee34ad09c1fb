// The data of a query: a skeleton while it loads, and an error with a retry button when it fails.
import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { FailureNote } from './failure-note.tsx';
import classes from './loaded.module.css';

interface LoadedProps<Data> {
  query: { data: Data | undefined; isError: boolean; error: Error | null; refetch(): unknown };
  /** Lines of the skeleton. */
  lines?: number;
  children(data: Data): ReactNode;
}

export function Loaded<Data>({ query, lines = 4, children }: LoadedProps<Data>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && (
          <div className={classes.inset}>
            <FailureNote error={query.error} onRetry={() => query.refetch()} />
          </div>
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) {
    return (
      <div className={classes.inset}>
        <FailureNote error={query.error} onRetry={() => query.refetch()} />
      </div>
    );
  }
  return <LoadingSkeleton lines={lines} />;
}

export function LoadingSkeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className={classes.inset} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <Skeleton key={line} height={14} width={`${90 - ((line * 23) % 45)}%`} my="md" />
      ))}
    </div>
  );
}
