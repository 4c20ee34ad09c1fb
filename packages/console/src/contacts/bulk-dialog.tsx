// The dialog of an action on many contacts: who they are, what is done, progress, and a result that adds up. The action is a
// task: it goes on when the dialog is closed. What was done until it is stopped stays done.
import { Button, Group, Progress } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import classes from '../components/confirm.module.css';
import { Dialog } from '../components/confirm.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { count, counted } from '../components/moment.tsx';
import { useKept } from '../kept-state.ts';
import { isActive, stopTask, useTask } from '../tasks/tasks.ts';
import { useStartTask } from '../tasks/use-start-task.ts';
import { type BulkAction, type BulkProgress, type Chosen, countChosen, noResult, runBulk } from './bulk.ts';
import { BulkOutcome } from './bulk-outcome.tsx';

interface BulkDialogProps {
  botId: string;
  chosen: Chosen;
  title: string;
  confirmLabel: string;
  isHarmless?: boolean;
  /** Undefined while the fields are incomplete. */
  action: BulkAction | undefined;
  /** What the list of tasks calls it. */
  taskTitle: string;
  /** What will happen, and the fields that it needs. */
  children: ReactNode;
  onClose(isDone: boolean): void;
}

export function BulkDialog(props: BulkDialogProps) {
  const { botId, chosen, title, confirmLabel, isHarmless = false, action, taskTitle, children } = props;
  const startTask = useStartTask(botId);
  const [taskId, setTaskId] = useKept<string | undefined>('task', undefined);
  const task = useTask(taskId);
  const isRunning = task !== undefined && isActive(task);
  const isOver = task?.state === 'done' || task?.state === 'stopped';
  const close = () => props.onClose(isRunning || isOver);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (action === undefined || isRunning) return;
    const progress: BulkProgress = {
      kind: 'bulk',
      action: action.kind,
      total: countChosen(chosen),
      result: noResult,
    };
    const id = startTask({
      kind: action.kind,
      key: 'key' in action ? action.key : undefined,
      title: taskTitle,
      progress,
      work: (signal, report, contacts) =>
        runBulk({
          contacts,
          chosen,
          action,
          signal,
          onProgress: (result) => report({ ...progress, result }, Math.min(1, result.matched / progress.total)),
        }),
    });
    setTaskId(id);
  };
  const progress = task?.progress.kind === 'bulk' ? task.progress : undefined;
  return (
    <Dialog title={title} onClose={close}>
      <form className={classes.form} onSubmit={submit}>
        {!isOver && (
          <>
            <Who chosen={chosen} />
            {children}
          </>
        )}
        {isRunning && <Running share={task.share} progress={progress} isWaiting={task.state === 'waiting'} />}
        {progress && !isRunning && <BulkOutcome progress={progress} />}
        {task?.error !== undefined && <FailureNote error={task.error} />}
        <Group justify="flex-end">
          {isOver ? (
            <Button onClick={close} data-autofocus>
              Done
            </Button>
          ) : isRunning ? (
            <>
              <Button variant="default" onClick={() => stopTask(task)}>
                Stop
              </Button>
              <Button onClick={close}>Continue in background</Button>
            </>
          ) : (
            <>
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button
                type="submit"
                className={isHarmless ? '' : (classes.danger ?? '')}
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

interface RunningProps {
  share: number;
  progress: BulkProgress | undefined;
  isWaiting: boolean;
}

function Running({ share, progress, isWaiting }: RunningProps) {
  if (progress === undefined) return null;
  return (
    <div>
      <Progress value={share * 100} aria-label="Progress" />
      <p role="status">
        {isWaiting
          ? 'Starts when the imports and actions before it are done.'
          : `${count(progress.result.matched)} of ${counted(progress.total, 'contact')}`}
      </p>
    </div>
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
