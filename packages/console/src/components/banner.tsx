// A banner above every page: while the browser is offline, or the server's disk is full. What can be read stays visible.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { readOnlyQuery } from '../api/queries.ts';
import { useIsSignedIn } from '../session.tsx';
import classes from './banner.module.css';

const texts = {
  offline: 'You’re offline. What you see may be out of date.',
  'disk-full':
    'The server’s disk is full. You can read everything, but changes aren’t stored until your server admin frees some space.',
};

const subscribe = (onChange: () => void) => {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
};

function useBanner(): keyof typeof texts | undefined {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const isReadOnly = useQuery({ ...readOnlyQuery, enabled: useIsSignedIn() }).data === true;
  if (!isOnline) return 'offline';
  return isReadOnly ? 'disk-full' : undefined;
}

export function Banner() {
  const shown = useBanner();
  // The sticky parts of the layout stay below it.
  useEffect(() => {
    if (shown === undefined) return;
    document.documentElement.dataset['banner'] = shown;
    return () => document.documentElement.removeAttribute('data-banner');
  }, [shown]);
  return (
    <div role="status" aria-live="polite" className={classes.place}>
      {shown && <div className={classes.banner}>{texts[shown]}</div>}
    </div>
  );
}
