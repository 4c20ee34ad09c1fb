// Leaving the organization.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../components/confirm.tsx';
import danger from '../components/danger.module.css';
import { Panel } from '../components/page.tsx';
import { navigate } from '../router.ts';
import { useSessionChange, useSignedIn } from '../session.tsx';

export function LeavePanel() {
  const { connection, session } = useSignedIn();
  const changeSession = useSessionChange();
  const [isLeaving, setIsLeaving] = useState(false);
  const { name } = session.organization;
  return (
    <Panel
      title="Leave the organization"
      lead={`You lose access to ${name}. The last owner can't leave.`}
      actions={
        <Button variant="default" className={danger.item ?? ''} onClick={() => setIsLeaving(true)}>
          Leave…
        </Button>
      }
    >
      {isLeaving && (
        <Confirm
          title={`Leave ${name}?`}
          confirmLabel="Leave"
          onClose={() => setIsLeaving(false)}
          onConfirm={() => connection.call('leaveOrganization', {})}
          onDone={() => {
            navigate('#/', { isReplacing: true });
            changeSession(null);
          }}
        >
          <p>Your sessions end. To come back, you need a new invitation from an owner.</p>
        </Confirm>
      )}
    </Panel>
  );
}
