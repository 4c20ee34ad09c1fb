// Edits that were not saved. Forms report theirs here; dialogs, the router and the browser ask before they are lost.
import { createContext, use, useEffect } from 'react';

const unsaved = new Set<symbol>();

/** The edits of the forms in a dialog. */
export const DialogEdits = createContext<Set<symbol> | undefined>(undefined);

const warn = (event: BeforeUnloadEvent) => {
  if (hasUnsaved()) event.preventDefault();
};

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

/** They are the edits of another member, or of a page that the user has decided to leave. */
export function forgetUnsaved(): void {
  unsaved.clear();
}

export function useUnsaved(isUnsaved: boolean): void {
  const dialogEdits = use(DialogEdits);
  useEffect(() => {
    if (!isUnsaved) return;
    const edit = Symbol('edit');
    unsaved.add(edit);
    dialogEdits?.add(edit);
    addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(edit);
      dialogEdits?.delete(edit);
      // Without edits there must be no listener: browsers keep no page with one for the way back.
      if (unsaved.size === 0) removeEventListener('beforeunload', warn);
    };
  }, [isUnsaved, dialogEdits]);
}
