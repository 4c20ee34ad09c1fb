// Which contacts are selected: rows of the page that is shown, or explicitly all that match. Another search, filter, order
// or page begins with none, so that nothing is selected that cannot be seen.
import type { Contact } from '@roster/client';
import { useState } from 'react';

export interface Selection {
  /** Of the page that is shown. */
  ids: ReadonlySet<string>;
  /** All that match, on every page. */
  isAll: boolean;
  /** Of a range, every row from the one before to this one becomes as this one. */
  toggle(id: string, isRange: boolean): void;
  /** All rows of the page, or none. */
  togglePage(): void;
  selectAll(): void;
  clear(): void;
}

interface State {
  list: string;
  ids: ReadonlySet<string>;
  isAll: boolean;
  /** The row that was toggled last, where a range begins. */
  last?: string;
}

/** `list` tells lists apart. */
export function useSelection(list: string, shown: readonly Contact[]): Selection {
  const empty: State = { list, ids: new Set(), isAll: false };
  const [state, setState] = useState(empty);
  const current = state.list === list ? state : empty;
  const shownIds = shown.map(({ id }) => id);
  // A contact that another member has deleted is not on the page any more.
  const ids = new Set(current.isAll ? shownIds : shownIds.filter((id) => current.ids.has(id)));
  const rangeTo = (id: string) => {
    const [from, to] = [shownIds.indexOf(current.last ?? ''), shownIds.indexOf(id)] as const;
    return from === -1 ? [id] : shownIds.slice(Math.min(from, to), Math.max(from, to) + 1);
  };
  return {
    ids,
    isAll: current.isAll && ids.size > 0,
    toggle(id, isRange) {
      const changed = isRange ? rangeTo(id) : [id];
      const others = [...ids].filter((each) => !changed.includes(each));
      setState({ list, ids: new Set(ids.has(id) ? others : [...others, ...changed]), isAll: false, last: id });
    },
    togglePage: () => setState({ list, ids: new Set(ids.size < shownIds.length ? shownIds : []), isAll: false }),
    selectAll: () => setState({ list, ids, isAll: true }),
    clear: () => setState(empty),
  };
}
