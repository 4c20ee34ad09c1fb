// Short confirmations of actions, also announced by screen readers.
import { Notification } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { Icon } from './icons.tsx';
import classes from './notices.module.css';

const shownMs = 5000;

interface Notice {
  id: number;
  text: string;
}

const NoticeContext = createContext<(text: string) => void>(() => {});

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<Notice[]>([]);
  const dismiss = useCallback((id: number) => setNotices((shown) => shown.filter((each) => each.id !== id)), []);
  const notify = useMemo(() => {
    let made = 0;
    return (text: string) => {
      const id = ++made;
      setNotices((shown) => [...shown.slice(-2), { id, text }]);
      setTimeout(() => dismiss(id), shownMs);
    };
  }, [dismiss]);
  return (
    <NoticeContext value={notify}>
      {children}
      <div className={classes.notices} role="status" aria-live="polite">
        {notices.map(({ id, text }) => (
          <Notification
            key={id}
            icon={<Icon name="check" size={16} />}
            color="pine"
            onClose={() => dismiss(id)}
            closeButtonProps={{ 'aria-label': 'Dismiss' }}
          >
            {text}
          </Notification>
        ))}
      </div>
    </NoticeContext>
  );
}

export function useNotify(): (text: string) => void {
  return use(NoticeContext);
}
