// A banner while the browser is offline. Loaded data stays visible.
import { useEffect, useSyncExternalStore } from 'react';
import classes from './connection-banner.module.css';

const subscribe = (onChange: () => void) => {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
};

export function ConnectionBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  // The sticky parts of the layout stay below it.
  useEffect(() => {
    document.documentElement.toggleAttribute('data-offline', !isOnline);
  }, [isOnline]);
  return (
    <div role="status" aria-live="polite" className={classes.place}>
      {!isOnline && <div className={classes.banner}>You’re offline. What you see may be out of date.</div>}
    </div>
  );
}
