// A button whose menu or form is loaded when it is first opened: a page shows many such buttons, and needs none of what
// they open until then.
import { cloneElement, type ReactNode, useState, useTransition } from 'react';
import type { ButtonElement } from './use-opened.ts';

interface PopupButtonProps {
  kind: 'menu' | 'dialog';
  button: ButtonElement;
  /** A lazy component, which shows the button again and opens itself: see `useOpened`. */
  children(button: ButtonElement): ReactNode;
}

export function PopupButton({ kind, button, children }: PopupButtonProps) {
  const [isWanted, setIsWanted] = useState(false);
  // The button stays until its popup has been loaded.
  const [isLoading, startLoading] = useTransition();
  if (isWanted) return children(button);
  return cloneElement(button, {
    onClick: () => startLoading(() => setIsWanted(true)),
    'aria-haspopup': kind,
    'aria-expanded': false,
    'aria-busy': isLoading,
  });
}
