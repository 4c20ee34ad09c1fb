// The keyboard of the contact list: / searches, j and k move, x selects. Enter opens a contact, because its link has
// the focus.
import { type RefObject, useEffect } from 'react';

interface ListKeys {
  search: RefObject<HTMLInputElement | null>;
  /** Left out: contacts cannot be selected. */
  onToggle: ((id: string) => void) | undefined;
}

export function useListKeys({ search, onToggle }: ListKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasOverlay()) return;
      const act = actions[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    const links = () => [...document.querySelectorAll<HTMLElement>('a[data-contact]')];
    const current = (all: HTMLElement[]) => {
      const row = document.activeElement?.closest('tr');
      return row ? all.findIndex((link) => row.contains(link)) : -1;
    };
    const move = (step: number) => {
      const all = links();
      const at = current(all);
      const next = at === -1 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
      all[next]?.focus();
    };
    const actions: Record<string, () => void> = {
      '/': () => search.current?.focus(),
      j: () => move(1),
      k: () => move(-1),
      x: () => {
        const all = links();
        const id = all[current(all)]?.dataset['contact'];
        if (id !== undefined) onToggle?.(id);
      },
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [search, onToggle]);
}

/** A box to check takes no text, and has its place in a row. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('textarea, select, input:not([type=checkbox])') || target.isContentEditable;
}

function hasOverlay(): boolean {
  return document.querySelector('[role=dialog], [role=menu]') !== null;
}
