// Asks before a link or the browser's buttons lead away from a form with unsaved edits.
import { useEffect, useState } from 'react';
import { guardNavigation } from '../router.ts';
import { forgetUnsaved, hasUnsaved } from '../unsaved.ts';
import { DiscardEdits } from './confirm.tsx';

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
    <DiscardEdits
      onStay={() => setLeaving(undefined)}
      onDiscard={() => {
        setLeaving(undefined);
        forgetUnsaved();
        leaving.goOn();
      }}
    />
  );
}
