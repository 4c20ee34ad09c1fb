// A banner while the browser is offline. Loaded data stays visible.
import { useSyncExternalStore } from 'react';
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
  return (
    <div role="status" aria-live="polite">
      {!isOnline && (
        <div className={classes.banner}>
          You are offline. What you see may be out of date, and nothing can be changed.
        </div>
      )}
    </div>
  );
}
