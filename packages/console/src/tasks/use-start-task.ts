// Starts a task on the contacts of a bot. When it ends, the pages read anew what it has changed.
import { useQueryClient } from '@tanstack/react-query';
import { isSessionOver } from '../api/failure.ts';
import { keys } from '../api/queries.ts';
import { endSession } from '../session.tsx';
import { type NewTask, type Progress, startTask } from './tasks.ts';

export function useStartTask(botId: string): <Of extends Progress>(task: NewTask<Of>) => string {
  const queries = useQueryClient();
  return (task) =>
    startTask(botId, {
      ...task,
      async work(...args) {
        try {
          await task.work(...args);
        } catch (error) {
          if (isSessionOver(error)) endSession(queries);
          throw error;
        } finally {
          for (const queryKey of [keys.contacts(botId), keys.attributes(botId), keys.tags(botId), keys.bots]) {
            queries.invalidateQueries({ queryKey });
          }
        }
      },
    });
}
