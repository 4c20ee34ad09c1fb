// Several contacts are deleted, a few at a time, with what was done so far; it can be broken off.
import { Button, Group, Progress } from '@mantine/core';
import { ApiError, type Contacts } from '@roster/client/parts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { keys } from '../api/queries.ts';
import classes from '../components/confirm.module.css';
import { Dialog } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, counted } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';

interface DeleteContactsProps {
  botId: string;
  contacts: Contacts;
  ids: readonly string[];
  /** Told which are still there. */
  onClose(left: ReadonlySet<string>): void;
}

/** As many as a browser keeps connections to one server. */
const concurrency = 6;

export function DeleteContacts({ botId, contacts, ids, onClose }: DeleteContactsProps) {
  const queries = useQueryClient();
  const notify = useNotify();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set(ids));
  const abort = useRef(new AbortController());
  const done = ids.length - left.size;

  const deleteAll = async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const waiting = [...left];
    const work = async () => {
      for (let id = waiting.pop(); id !== undefined && !signal.aborted; id = waiting.pop()) {
        const gone = id;
        await contacts.delete(gone, { signal }).catch((error) => {
          // Somebody else was faster: it is gone, as was asked for.
          if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
        });
        setLeft((before) => new Set([...before].filter((each) => each !== gone)));
      }
    };
    try {
      await Promise.all(Array.from({ length: concurrency }, work));
    } finally {
      // The others stop too when one fails.
      waiting.length = 0;
      await queries.invalidateQueries({ queryKey: keys.contacts(botId) });
      await queries.invalidateQueries({ queryKey: keys.bots });
    }
  };
  const mutation = useMutation({
    mutationFn: deleteAll,
    onSuccess: () => {
      notify(`${counted(ids.length, 'contact')} deleted.`);
      onClose(new Set());
    },
  });
  const close = () => {
    abort.current.abort();
    onClose(left);
  };
  return (
    <Dialog title={`Delete ${counted(ids.length, 'contact')}?`} onClose={close} isInsistent={mutation.isPending}>
      <div className={classes.form}>
        <div className={classes.text}>
          Their tokens go with them: the widget does not recognise them any more. There is no way back.
        </div>
        {(mutation.isPending || done > 0) && (
          <div>
            <Progress value={(done / ids.length) * 100} aria-label="Deleted so far" />
            <p role="status">
              {count(done)} of {counted(ids.length, 'contact')} deleted
            </p>
          </div>
        )}
        {mutation.error !== null && <FailureNote error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {mutation.isPending ? 'Stop' : 'Cancel'}
          </Button>
          <Button className={classes.danger ?? ''} loading={mutation.isPending} onClick={() => mutation.mutate()}>
            {done > 0 ? 'Delete the rest' : 'Delete'}
          </Button>
        </Group>
      </div>
    </Dialog>
  );
}
