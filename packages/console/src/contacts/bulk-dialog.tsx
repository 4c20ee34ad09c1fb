// The dialog of an action on many contacts: who they are, what is done, progress, and a result that adds up. It can be
// stopped; what was done until then stays done.
import { Button, Group, Progress } from '@mantine/core';
import type { Contacts } from '@roster/client/parts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { keys } from '../api/queries.ts';
import classes from '../components/confirm.module.css';
import { Dialog } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, counted } from '../components/moment.tsx';
import { type BulkAction, type BulkResult, type Chosen, countChosen, noResult, runBulk } from './bulk.ts';

interface BulkDialogProps {
  botId: string;
  contacts: Contacts;
  chosen: Chosen;
  title: string;
  confirmLabel: string;
  isHarmless?: boolean;
  /** What the result says of those that changed, and of those that did not. */
  changedText: string;
  unchangedText: string;
  /** Undefined while the fields are incomplete. */
  action: BulkAction | undefined;
  /** What will happen, and the fields that it needs. */
  children: ReactNode;
  onClose(isDone: boolean): void;
}

export function BulkDialog(props: BulkDialogProps) {
  const { botId, contacts, chosen, title, confirmLabel, isHarmless = false, action, children, onClose } = props;
  const queries = useQueryClient();
  const [result, setResult] = useState<BulkResult>(noResult);
  const abort = useRef(new AbortController());
  const mutation = useMutation({
    mutationFn: async (started: BulkAction) => {
      abort.current = new AbortController();
      setResult(noResult);
      return runBulk({ contacts, chosen, action: started, signal: abort.current.signal, onProgress: setResult });
    },
    onSettled: () => {
      queries.invalidateQueries({ queryKey: keys.contacts(botId) });
      queries.invalidateQueries({ queryKey: keys.tags(botId) });
      queries.invalidateQueries({ queryKey: keys.attributes(botId) });
      queries.invalidateQueries({ queryKey: keys.bots });
    },
  });
  const total = countChosen(chosen);
  const close = () => {
    abort.current.abort();
    onClose(mutation.isSuccess);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (action !== undefined && !mutation.isPending) mutation.mutate(action);
  };
  return (
    <Dialog title={title} onClose={close} isDismissible={!mutation.isPending}>
      <form className={classes.form} onSubmit={submit}>
        {!mutation.isSuccess && (
          <>
            <Who chosen={chosen} />
            {children}
          </>
        )}
        {mutation.isPending && (
          <div>
            <Progress value={Math.min(100, (result.matched / Math.max(total, 1)) * 100)} aria-label="Progress" />
            <p role="status">
              {count(result.matched)} of {counted(total, 'contact')}
            </p>
          </div>
        )}
        {(mutation.isSuccess || mutation.isError) && <Result result={result} {...props} />}
        {mutation.error !== null && <FailureNote error={mutation.error} />}
        <Group justify="flex-end">
          {mutation.isSuccess ? (
            <Button onClick={close} data-autofocus>
              Done
            </Button>
          ) : (
            <>
              <Button variant="default" onClick={mutation.isPending ? () => abort.current.abort() : close}>
                {mutation.isPending ? 'Stop' : 'Cancel'}
              </Button>
              <Button
                type="submit"
                className={isHarmless ? '' : (classes.danger ?? '')}
                loading={mutation.isPending}
                disabled={action === undefined}
              >
                {confirmLabel}
              </Button>
            </>
          )}
        </Group>
      </form>
    </Dialog>
  );
}

const namesShown = 5;

/** Names the contacts, so that nobody acts on others than they mean. */
function Who({ chosen }: { chosen: Chosen }) {
  const first = ('contacts' in chosen ? chosen.contacts : chosen.first).slice(0, namesShown);
  const further = countChosen(chosen) - first.length;
  return (
    <ul className={classes.names} aria-label="Contacts">
      {first.map(({ id, name, email }) => (
        <li key={id}>
          {name} <span className={classes.quiet}>{email}</span>
        </li>
      ))}
      {further > 0 && <li className={classes.quiet}>and {count(further)} more</li>}
    </ul>
  );
}

function Result({ result, changedText, unchangedText }: { result: BulkResult } & BulkDialogProps) {
  const { matched, changed, unchanged, failed } = result;
  return (
    <div role="status" className={classes.text}>
      <p>
        {counted(matched, 'contact')}: {count(changed)} {changedText}
        {unchanged > 0 && `, ${count(unchanged)} ${unchangedText}`}
        {failed.size > 0 && `, ${count([...failed.values()].reduce((sum, times) => sum + times, 0))} failed`}.
      </p>
      {failed.size > 0 && (
        <ul>
          {[...failed].map(([reason, times]) => (
            <li key={reason}>
              {counted(times, 'contact')}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
