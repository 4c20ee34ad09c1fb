// The keyboard of the contact list: / searches, j and k move, x selects, the space bar opens the panel of a contact. Enter opens
// its page, because its link has the focus. While the panel is open, moving shows the next contact in it.
import { type RefObject, useEffect } from 'react';
import { isShortcut } from '../components/keyboard.ts';

interface ListKeys {
  search: RefObject<HTMLInputElement | null>;
  /** The contact in the panel. */
  peeked: string | undefined;
  onPeek(id: string | undefined): void;
  /** Left out: contacts cannot be selected. */
  onToggle: ((id: string, isRange: boolean) => void) | undefined;
}

export const linkOfContact = (id: string) => document.querySelector<HTMLElement>(`a[data-contact="${CSS.escape(id)}"]`);

export function useListKeys({ search, peeked, onPeek, onToggle }: ListKeys): void {
  useEffect(() => {
    const links = () => [...document.querySelectorAll<HTMLElement>('a[data-contact]')];
    const current = (all: HTMLElement[]) => {
      const row = document.activeElement?.closest('tr');
      return all.findIndex((link) => (row ? row.contains(link) : link.dataset['contact'] === peeked));
    };
    const move = (step: number) => {
      const all = links();
      const at = current(all);
      const next = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)];
      if (peeked === undefined) next?.focus();
      else if (next !== undefined) {
        next.scrollIntoView({ block: 'nearest' });
        // The focus stays in the panel, or goes along in the list.
        if (document.activeElement?.closest('tr')) next.focus();
        onPeek(next.dataset['contact']);
      }
    };
    const toggle = (isRange: boolean) => {
      const all = links();
      const id = all[current(all)]?.dataset['contact'];
      if (id !== undefined) onToggle?.(id, isRange);
    };
    const actions: Record<string, () => void> = {
      '/': () => search.current?.focus(),
      j: () => move(1),
      k: () => move(-1),
      x: () => toggle(false),
      X: () => toggle(true),
      ...(peeked !== undefined && {
        ArrowDown: () => move(1),
        ArrowUp: () => move(-1),
        Escape: () => onPeek(undefined),
      }),
    };
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      // What is below the heading of the panel scrolls by them, and has choices that move by them.
      if (event.key.startsWith('Arrow') && document.activeElement?.closest('[data-takes-arrows]')) return;
      // Elsewhere the space bar scrolls, or presses what has the focus.
      const named = document.activeElement?.closest<HTMLElement>('a[data-contact]');
      const act = event.key === ' ' && named ? () => onPeek(named.dataset['contact']) : actions[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [search, peeked, onPeek, onToggle]);
}
