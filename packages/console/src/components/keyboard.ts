// When a key is a shortcut of the page, and when it belongs to what has the focus.

export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Whether the key is one without modifiers that no field, dialog or menu takes. Shift is part of keys like `?`. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !isTyping(event.target) && document.querySelector('[role=dialog], [role=menu]') === null;
}

/** A box to check takes no text, and has its place in a row. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('textarea, select, input:not([type=checkbox])') || target.isContentEditable;
}
