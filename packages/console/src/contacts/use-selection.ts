// Which contacts are selected: rows of the page that is shown, or explicitly all that match. Another search, filter, order
// or page begins with none, so that nothing is selected that cannot be seen.
import type { Contact } from '@roster/client';
import { useState } from 'react';

export interface Selection {
  /** Of the page that is shown. */
  ids: ReadonlySet<string>;
  /** All that match, on every page. */
  isAll: boolean;
  select(ids: ReadonlySet<string>): void;
  selectAll(): void;
  clear(): void;
}

interface State {
  list: string;
  ids: ReadonlySet<string>;
  isAll: boolean;
}

/** `list` tells lists apart. */
export function useSelection(list: string, shown: readonly Contact[]): Selection {
  const empty: State = { list, ids: new Set(), isAll: false };
  const [state, setState] = useState(empty);
  const current = state.list === list ? state : empty;
  const shownIds = shown.map(({ id }) => id);
  // A contact that another member has deleted is not on the page any more.
  const ids = new Set(current.isAll ? shownIds : shownIds.filter((id) => current.ids.has(id)));
  return {
    ids,
    isAll: current.isAll && ids.size > 0,
    select: (next) => setState({ list, ids: next, isAll: false }),
    selectAll: () => setState({ list, ids, isAll: true }),
    clear: () => setState(empty),
  };
}
