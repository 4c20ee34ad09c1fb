// Asks before a link or the browser's buttons lead away from a form with unsaved edits.
import { lazy, Suspense, useEffect, useState } from 'react';
import { guardNavigation } from '../router.ts';
import { forgetUnsaved, hasUnsaved } from '../unsaved.ts';

// Each page that has a form has dialogs too, so this needs no server by the time there are edits.
const DiscardEdits = lazy(async () => ({ default: (await import('./confirm.tsx')).DiscardEdits }));

export function LeaveGuard() {
  const [leaving, setLeaving] = useState<{ goOn(): void }>();
  useEffect(
    () =>
      guardNavigation((goOn) => {
        if (hasUnsaved()) setLeaving({ goOn });
        return hasUnsaved();
      }),
    [],
  );
  if (leaving === undefined) return null;
  return (
    <Suspense>
      <DiscardEdits
        onStay={() => setLeaving(undefined)}
        onDiscard={() => {
          setLeaving(undefined);
          forgetUnsaved();
          leaving.goOn();
        }}
      />
    </Suspense>
  );
}
