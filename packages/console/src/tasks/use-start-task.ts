// Starts a task on the contacts of a bot. Its requests name it, for the audit log. When it ends, the pages read anew what it has
// changed.
import type { Contacts } from '@roster/client/parts';
import type { TaskKind } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { isSessionOver } from '../api/failure.ts';
import { keys } from '../api/queries.ts';
import { endSession, useSignedIn } from '../session.tsx';
import { type NewTask, type Progress, startTask } from './tasks.ts';

interface ContactTask<Of extends Progress> extends Omit<NewTask<Of>, 'work'> {
  kind: TaskKind;
  /** Of the attribute that it sets or clears. */
  key?: string | undefined;
  /** As that of any task. */
  work(...args: [...Parameters<NewTask<Of>['work']>, contacts: Contacts]): Promise<void>;
}

/** Characters of a file's name that are sent. The audit log keeps as many. */
const nameMax = 200;

export function useStartTask(botId: string): <Of extends Progress>(task: ContactTask<Of>) => string {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  return ({ kind, key = '', title, progress, work }) => {
    const name = kind === 'import' ? title.slice(0, nameMax) : key;
    const contacts = connection.contactsOf(botId, { kind, id: makeTaskId(), name });
    return startTask(botId, {
      title,
      progress,
      async work(...args) {
        try {
          await work(...args, contacts);
        } catch (error) {
          if (isSessionOver(error)) endSession(queries);
          throw error;
        } finally {
          const ofBot = [keys.contacts, keys.contact, keys.events, keys.attributes, keys.tags].map((key) => key(botId));
          for (const queryKey of [...ofBot, keys.bots, keys.audit]) queries.invalidateQueries({ queryKey });
        }
      },
    });
  };
}

/** Browsers offer random UUIDs over HTTPS alone. */
function makeTaskId(): string {
  return ['task', ...crypto.getRandomValues(new Uint32Array(4))].join('-');
}
