// What the command line asks of the operator's operations: a method for each, over any way to send a request. The
// contract has the paths, the inputs and the answers.
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type BackupLine, operatorOperations, type Problem, type Role } from '@roster/contract';
import type { Send, Sent } from '@roster/server/in-process';
import { BackupError, StoreUnavailableError } from '@roster/server/operator';
import { OperatorError } from './operator-error.ts';

export type OnProgress = (done: number, total: number) => void;

export interface BackupWatch {
  onProgress?: OnProgress | undefined;
  /** All pages are copied, and the copy is checked. */
  onChecking?: (() => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface OperatorSettings {
  /** Whether a running server does the work, or this process opened the store itself. */
  via: 'server' | 'store';
  /** PostgreSQL has its own tools for backups. */
  hasBackups: boolean;
  send: Send;
  close(): Promise<void>;
}

type Operations = typeof operatorOperations;
type Name = keyof Operations;
type BodyOf<Op> = Op extends { body: { schema: { _zod: { input: infer Body } } } } ? Body : undefined;
type AnswerOf<Op> = Op extends { answer: { schema: { _zod: { output: { data: infer Data } } } } } ? Data : undefined;

interface Input<Op> {
  params?: Record<string, string>;
  query?: Record<string, string | undefined>;
  body?: BodyOf<Op>;
}

/** What is an organization's, as lists and answers have it. */
interface Owned {
  id: string;
  organizationId: string;
}

export type Operator = ReturnType<typeof makeOperator>;

export function makeOperator({ via, hasBackups, send, close }: OperatorSettings) {
  const ask = async <N extends Name>(name: N, input: Input<Operations[N]> = {}): Promise<AnswerOf<Operations[N]>> => {
    const { status, body } = await send(requestOf(name, input));
    const answer = await readText(body);
    if (status >= 400) throw errorOf(JSON.parse(answer) as Problem);
    return (answer === '' ? undefined : JSON.parse(answer).data) as AnswerOf<Operations[N]>;
  };

  /** On the account of an organization, which is then named beside the answer. */
  const askOf = async <N extends Name>(organizationId: string, name: N, input: Input<Operations[N]> = {}) => {
    const answer = await ask(name, { ...input, params: { ...input.params, organizationId } });
    return { ...answer, organizationId };
  };

  return {
    via,
    provision: (body: BodyOf<Operations['operatorProvision']>) => ask('operatorProvision', { body }),
    listOrganizations: () => ask('operatorListOrganizations'),
    createOrganization: (name: string) => ask('operatorCreateOrganization', { body: { name } }),
    renameOrganization: (organizationId: string, name: string) =>
      ask('updateOrganizationAsOperator', { params: { organizationId }, body: { name } }),
    /** Of one organization, or of all. */
    listBots: (organizationId?: string) => ask('operatorListBots', { query: { organizationId } }),
    createBot: (organizationId: string, body: BodyOf<Operations['createBotAsOperator']>) =>
      askOf(organizationId, 'createBotAsOperator', { body }),
    /** Settings left out keep their value. */
    updateBot: ({ id: botId, organizationId }: Owned, body: BodyOf<Operations['updateBotAsOperator']>) =>
      askOf(organizationId, 'updateBotAsOperator', { params: { botId }, body }),
    deleteBot: ({ id: botId, organizationId }: Owned) =>
      ask('deleteBotAsOperator', { params: { organizationId, botId } }),
    /** Of one organization, or of all; revoked and expired ones too. */
    listSecrets: (organizationId?: string) => ask('operatorListSecrets', { query: { organizationId } }),
    createSecret: (organizationId: string, body: BodyOf<Operations['createSecretAsOperator']>) =>
      askOf(organizationId, 'createSecretAsOperator', { body }),
    renameSecret: ({ id: secretId, organizationId }: Owned, name: string) =>
      askOf(organizationId, 'updateSecretAsOperator', { params: { secretId }, body: { name } }),
    revokeSecret: ({ id: secretId, organizationId }: Owned) =>
      ask('revokeSecretAsOperator', { params: { organizationId, secretId } }),
    /** Of one organization, or of all. */
    listMembers: (organizationId?: string) => ask('operatorListMembers', { query: { organizationId } }),
    inviteMember: (organizationId: string, body: BodyOf<Operations['createInvitationAsOperator']>) =>
      askOf(organizationId, 'createInvitationAsOperator', { body }),
    changeRole: ({ id: memberId, organizationId }: Owned, role: Role) =>
      askOf(organizationId, 'updateMemberAsOperator', { params: { memberId }, body: { role } }),
    /** Newest first, without those that have ended. */
    listSessions: ({ id: memberId, organizationId }: Owned) =>
      ask('listSessionsAsOperator', { params: { organizationId, memberId } }),
    endSession: ({ id: memberId, organizationId }: Owned, sessionId: string) =>
      ask('endSessionAsOperator', { params: { organizationId, memberId, sessionId } }),
    endSessions: ({ id: memberId, organizationId }: Owned) =>
      ask('signOutEverywhereAsOperator', { params: { organizationId, memberId } }),
    resetPassword: ({ id: memberId, organizationId }: Owned) =>
      ask('operatorCreatePasswordReset', { params: { organizationId, memberId } }),
    removeMember: ({ id: memberId, organizationId }: Owned, { revokeSecrets = false, disableWebhooks = false } = {}) =>
      ask('removeMemberAsOperator', {
        params: { organizationId, memberId },
        query: { revokeSecrets: String(revokeSecrets), disableWebhooks: String(disableWebhooks) },
      }),

    /** Of a server on PostgreSQL too: it reads this when it purges next. */
    purge: () => ask('operatorPurge'),

    /**
     * A consistent and checked copy of the SQLite database while it is being written; refuses an existing file. `done`
     * and `total` count pages of the database. Aborted by the signal, it leaves nothing behind; a running server cleans up by
     * itself, after this has rejected.
     */
    async backup(file: string, { onProgress, onChecking, signal }: BackupWatch = {}): Promise<{ bytes: number }> {
      if (!hasBackups) {
        throw new OperatorError(
          'refused',
          'This command backs up SQLite. For PostgreSQL, run pg_dump "$DATABASE_URL" --format=custom --file=FILE. See docs/operations/scale-out.md.',
        );
      }
      signal?.throwIfAborted();
      // The server's working folder is another one.
      const request = requestOf('operatorBackUp', { body: { file: resolve(file) } });
      const { status, body } = await send({ ...request, signal });
      if (status >= 400) throw errorOf(JSON.parse(await readText(body)) as Problem);
      for await (const line of linesOf(body)) {
        if ('progress' in line && line.progress.phase === 'checking') onChecking?.();
        else if ('progress' in line) onProgress?.(line.progress.done, line.progress.total);
        else if ('data' in line) return line.data;
        else throw line.problem.code === 'unavailable' ? new BackupError(line.problem.detail) : errorOf(line.problem);
      }
      throw stoppedMeanwhile();
    },

    close,
  };
}

function requestOf<N extends Name>(name: N, { params = {}, query = {}, body }: Input<Operations[N]>): Sent {
  const { method, path } = operatorOperations[name];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter) => encodeURIComponent(params[parameter] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][];
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return { method, path: `${filled}${search}`, body: body === undefined ? undefined : JSON.stringify(body) };
}

async function readText(body: Readable): Promise<string> {
  try {
    return await text(body);
  } catch (error) {
    throw stoppedMeanwhile(error);
  }
}

/** Not by node:readline, which waits forever when the connection breaks. */
async function* linesOf(body: Readable): AsyncGenerator<BackupLine> {
  let rest = '';
  try {
    for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as BackupLine;
    }
  } catch (error) {
    throw stoppedMeanwhile(error);
  }
}

function stoppedMeanwhile(cause?: unknown): StoreUnavailableError {
  const message =
    'The server stopped before it responded. Check whether the change was made, then run the command again.';
  return new StoreUnavailableError(message, { cause });
}

/** The API's advice for members is in words of the console. */
const lastOwner =
  'This is the last owner of the organization. Add another owner first: "roster member set MEMBER --role owner" or "roster member invite EMAIL --role owner".';

function errorOf({ code, detail, errors = [] }: Problem): Error {
  if (code === 'unavailable') return new StoreUnavailableError(detail);
  if (code === 'internal') return new Error(detail);
  if (code === 'last_owner') return new OperatorError(code, lastOwner);
  const faults = errors.map(({ field, message }) => `${field} ${message}`);
  return new OperatorError(code, faults.length > 0 ? `${faults.join('; ')}.` : detail);
}
