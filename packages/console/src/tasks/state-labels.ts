// The states of tasks, as the console shows them.
import type { Task } from './tasks.ts';

export const stateLabels: Record<Task['state'], string> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  stopped: 'Stopped',
  failed: 'Failed',
};
