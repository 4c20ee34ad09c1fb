// The button that deletes a contact, after a question.
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import danger from '../components/danger.module.css';
import { useNotify } from '../components/notices.tsx';
import { useKept } from '../kept-state.ts';
import { useContactWrites, type WholeContact } from './whole-contact.ts';

interface DeleteContactProps {
  botId: string;
  contact: WholeContact;
  /** Leaves what shows the contact. */
  onDeleted(): void;
}

export function DeleteContact({ botId, contact: { id, name }, onDeleted }: DeleteContactProps) {
  const { remove } = useContactWrites(botId);
  const queries = useQueryClient();
  const notify = useNotify();
  const [isAsking, setIsAsking] = useKept('deletion', false);
  return (
    <>
      <Button variant="default" className={danger.item ?? ''} onClick={() => setIsAsking(true)}>
        Delete…
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          confirmLabel="Delete contact"
          onClose={() => setIsAsking(false)}
          onConfirm={() => remove(id)}
          onDone={() => {
            onDeleted();
            queries.removeQueries({ queryKey: keys.contact(botId, id) });
            notify(`${name} was deleted.`);
          }}
        >
          <p>Their tokens are deleted too, and the widget no longer recognizes this visitor. This can’t be undone.</p>
        </Confirm>
      )}
    </>
  );
}
