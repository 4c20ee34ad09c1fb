// Deletes several contacts, a few at a time, with progress; it can be stopped.
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
  /** Receives the ids of contacts that were not deleted. */
  onClose(left: ReadonlySet<string>): void;
}

/** The number of connections that a browser opens to one server over HTTP/1.1. */
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
    const pending = [...left];
    const work = async () => {
      for (let id = pending.pop(); id !== undefined && !signal.aborted; id = pending.pop()) {
        const gone = id;
        await contacts.delete(gone, { signal }).catch((error) => {
          // Another member has deleted it meanwhile, which is the wanted result.
          if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
        });
        setLeft((before) => new Set([...before].filter((each) => each !== gone)));
      }
    };
    try {
      await Promise.all(Array.from({ length: concurrency }, work));
    } finally {
      // When one request fails, the other workers must stop too.
      pending.length = 0;
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
    <Dialog title={`Delete ${counted(ids.length, 'contact')}?`} onClose={close} isDismissible={!mutation.isPending}>
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
