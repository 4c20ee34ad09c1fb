// An import or an action on many contacts: its progress, and how it ended.
import { Button, Progress } from '@mantine/core';
import { rejectedFileName } from '@roster/contact-files';
import { Icon } from '../components/icons.tsx';
import { count } from '../components/moment.tsx';
import { Page, Panel } from '../components/page.tsx';
import { BulkOutcome } from '../contacts/bulk-outcome.tsx';
import { saveBlob } from '../download.ts';
import { FileFailure } from '../import/file-failure.tsx';
import classes from '../import/import.module.css';
import { ImportOutcome } from '../import/import-outcome.tsx';
import { linkTo } from '../router.ts';
import { stateLabels } from '../tasks/state-labels.ts';
import { isActive, stopTask, type Task, useTask, useTasks } from '../tasks/tasks.ts';

const back = { href: linkTo(['tasks']), label: 'Imports and bulk actions' };

export default function TaskPage({ taskId }: { taskId: string }) {
  const task = useTask(taskId);
  const before = useTasks().filter((each) => isActive(each) && Number(each.id) < Number(taskId)).length;
  if (task === undefined) {
    return (
      <Page title="Not found" back={back}>
        <p>It was started in another tab, or before you signed out.</p>
      </Page>
    );
  }
  const { botId, title, state, share, progress, error } = task;
  const isRunning = isActive(task);
  const isImport = progress.kind === 'import';
  const rejected = isImport ? progress.rejected : undefined;
  return (
    <Page title={title} back={back}>
      <Panel title={stateLabels[state]}>
        {state === 'waiting' && (
          <p className={classes.note}>
            Starts when {before === 1 ? 'the one before it is' : `the ${count(before)} before it are`} done.
          </p>
        )}
        {isImport ? (
          <ImportOutcome progress={progress} share={isRunning ? share : undefined} />
        ) : isRunning ? (
          <Progress className={classes.progress ?? ''} value={share * 100} aria-label="Progress" />
        ) : (
          <BulkOutcome progress={progress} />
        )}
        <Ending task={task} />
        {error !== undefined && <FileFailure error={error} />}
        <div className={classes.actions}>
          {isRunning ? (
            <Button variant="default" onClick={() => stopTask(task)}>
              Stop
            </Button>
          ) : (
            <>
              <Button component="a" href={linkTo(['bots', botId, 'contacts'])}>
                View contacts
              </Button>
              {isImport && (
                <Button component="a" href={linkTo(['bots', botId, 'import'])} variant="default">
                  Import another file
                </Button>
              )}
            </>
          )}
          {rejected && (
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => saveBlob(rejectedFileName(title), rejected)}
            >
              Rejected rows as CSV
            </Button>
          )}
        </div>
      </Panel>
    </Page>
  );
}

/** What stays of a task that has not done everything, and whether it can be repeated. */
function Ending({ task: { state, progress } }: { task: Task }) {
  if (state !== 'stopped' && state !== 'failed') return null;
  return (
    <p className={classes.note}>
      {progress.kind === 'import'
        ? `${state === 'stopped' ? 'Stopped. What' : 'What'} was imported stays. It’s safe to import the file again: no contact is added twice.`
        : 'What was done stays done.'}
    </p>
  );
}
