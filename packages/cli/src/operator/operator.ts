// What the command line asks of the operator's operations: a method for each, over any way to send a request. The
// contract has the paths, the inputs and the answers.
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type BackupLine, operatorOperations, type Problem } from '@roster/contract';
import type { Send, Sent } from '@roster/server/in-process';
import { BackupError, StoreUnavailableError } from '@roster/server/operator';
import { OperatorError } from './operator-error.ts';

export type OnProgress = (done: number, total: number) => void;

export interface BackupWatch {
  onProgress?: OnProgress | undefined;
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

export type Operator = ReturnType<typeof makeOperator>;

export function makeOperator({ via, hasBackups, send, close }: OperatorSettings) {
  const ask = async <N extends Name>(name: N, input: Input<Operations[N]> = {}): Promise<AnswerOf<Operations[N]>> => {
    const { status, body } = await send(requestOf(name, input));
    const answer = await readText(body);
    if (status >= 400) throw errorOf(JSON.parse(answer) as Problem);
    return (answer === '' ? undefined : JSON.parse(answer).data) as AnswerOf<Operations[N]>;
  };

  return {
    via,
    listOrganizations: () => ask('operatorListOrganizations'),
    createOrganization: (name: string) => ask('operatorCreateOrganization', { body: { name } }),
    renameOrganization: (organizationId: string, name: string) =>
      ask('operatorRenameOrganization', { params: { organizationId }, body: { name } }),
    /** Of one organization, or of all. */
    listBots: (organizationId?: string) => ask('operatorListBots', { query: { organizationId } }),
    createBot: (organizationId: string, body: BodyOf<Operations['operatorCreateBot']>) =>
      ask('operatorCreateBot', { params: { organizationId }, body }),
    /** Settings left out keep their value. */
    updateBot: (botId: string, body: BodyOf<Operations['operatorUpdateBot']>) =>
      ask('operatorUpdateBot', { params: { botId }, body }),
    deleteBot: (botId: string) => ask('operatorDeleteBot', { params: { botId } }),
    /** Of one organization, or of all; revoked and expired ones too. */
    listSecrets: (organizationId?: string) => ask('operatorListSecrets', { query: { organizationId } }),
    createSecret: (organizationId: string, body: BodyOf<Operations['operatorCreateSecret']>) =>
      ask('operatorCreateSecret', { params: { organizationId }, body }),
    renameSecret: (secretId: string, name: string) =>
      ask('operatorRenameSecret', { params: { secretId }, body: { name } }),
    revokeSecret: (secretId: string) => ask('operatorRevokeSecret', { params: { secretId } }),
    /** Of one organization, or of all. */
    listMembers: (organizationId?: string) => ask('operatorListMembers', { query: { organizationId } }),
    inviteMember: (organizationId: string, body: BodyOf<Operations['operatorInvite']>) =>
      ask('operatorInvite', { params: { organizationId }, body }),
    resetPassword: (memberId: string) => ask('operatorCreatePasswordReset', { params: { memberId } }),
    removeMember: (memberId: string) => ask('operatorRemoveMember', { params: { memberId } }),

    /**
     * A consistent copy of the SQLite database while it is being written; refuses an existing file. `done` and `total`
     * count pages of the database. Aborted by the signal, it leaves nothing behind; a running server cleans up by
     * itself, after this has rejected.
     */
    async backup(file: string, { onProgress, signal }: BackupWatch = {}): Promise<{ bytes: number }> {
      if (!hasBackups) {
        throw new OperatorError(
          'refused',
          'PostgreSQL has its own tools for backups: pg_dump "$DATABASE_URL" --format=custom --file=FILE. See docs/operations/scale-out.md.',
        );
      }
      signal?.throwIfAborted();
      // The server's working folder is another one.
      const request = requestOf('operatorBackUp', { body: { file: resolve(file) } });
      const { status, body } = await send({ ...request, signal });
      if (status >= 400) throw errorOf(JSON.parse(await readText(body)) as Problem);
      for await (const line of linesOf(body)) {
        if ('progress' in line) onProgress?.(line.progress.done, line.progress.total);
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
  const message = 'The server stopped meanwhile. Look whether it was done, and run the command again.';
  return new StoreUnavailableError(message, { cause });
}

/** The API's advice for members is to change a role, which no command does. */
const lastOwner =
  'This is the last owner of the organization. Invite another one first: roster member invite EMAIL --role owner.';

function errorOf({ code, detail, errors = [] }: Problem): Error {
  if (code === 'unavailable') return new StoreUnavailableError(detail);
  if (code === 'internal') return new Error(detail);
  if (code === 'last_owner') return new OperatorError(code, lastOwner);
  const faults = errors.map(({ field, message }) => `${field} ${message}`);
  return new OperatorError(code, faults.length > 0 ? `${faults.join('; ')}.` : detail);
}
