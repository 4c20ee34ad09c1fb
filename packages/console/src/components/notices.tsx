// Short confirmations of actions, also announced by screen readers. They are outside of React's tree, because requests
// dismiss them.
import { Notification } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Icon } from './icons.tsx';
import classes from './notices.module.css';

const shownMs = 5000;
const shownMax = 3;

interface Notice {
  id: number;
  text: string;
}

let notices: readonly Notice[] = [];
let made = 0;
const listeners = new Set<() => void>();

const subscribe = (onChange: () => void) => {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
};

function show(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  show(notices.filter((each) => each.id !== id));
}

function notify(text: string): void {
  const id = ++made;
  show([...notices, { id, text }].slice(-shownMax));
  setTimeout(() => dismiss(id), shownMs);
}

export function dismissNotices(): void {
  if (notices.length > 0) show([]);
}

export function useNotify(): (text: string) => void {
  return notify;
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <div className={classes.notices} role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
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
  );
}
