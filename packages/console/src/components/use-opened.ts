// The state of a menu or form that was loaded because its button was pressed.
import { type ButtonHTMLAttributes, cloneElement, type ReactElement, useEffect, useState } from 'react';

export type ButtonElement = ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;

/** Opened after the first rendering, when the button has the focus back, which returns there when it is closed. */
export function useOpened(button: ButtonElement) {
  const [isOpened, setIsOpened] = useState(false);
  useEffect(() => setIsOpened(true), []);
  return { isOpened, setIsOpened, focusedButton: cloneElement(button, { autoFocus: true }) };
}
