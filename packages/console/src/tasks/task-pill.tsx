// Shows on every page that a task runs, and how the last one ended that nobody has looked at. It leads to the task.
import { Progress } from '@mantine/core';
import { count } from '../components/moment.tsx';
import { linkTo } from '../router.ts';
import { stateLabels } from './state-labels.ts';
import classes from './task-pill.module.css';
import { isActive, useTasks } from './tasks.ts';

export function TaskPill() {
  const tasks = useTasks();
  const active = tasks.filter(isActive);
  const shown = active[0] ?? tasks.findLast(({ isSeen }) => !isSeen);
  if (shown === undefined) return null;
  const { id, title, state, share } = shown;
  const percent = Math.floor(share * 100);
  return (
    <div role={isActive(shown) ? undefined : 'status'}>
      <a href={linkTo(['tasks', id])} className={classes.pill} data-state={state}>
        <span className={classes.title}>{title}</span>{' '}
        <span className={classes.state}>
          {state === 'running' ? `${percent}%` : stateLabels[state]}
          {active.length > 1 && `, ${count(active.length - 1)} waiting`}
        </span>
        {state === 'running' && <Progress size="xs" value={percent} aria-label={`Progress of ${title}`} />}
      </a>
    </div>
  );
}
