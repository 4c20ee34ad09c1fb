// The command line's side of the operator's socket: finds the running server of a data folder, and asks it.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Member } from '../store/account-store.ts';
import { type SecretState, StoreUnavailableError } from '../store/store.ts';
import { type OperationName, type Operations, OperatorError, type Perform, type Watch } from './operator.ts';
import { fromSent, type Hello, type Line, protocolHeader, protocolVersion, socketAddress } from './protocol.ts';

/** A server that is busy answers within milliseconds; one that does not is stuck or suspended. */
const helloWithinMs = 5000;

/** There is no socket, a killed server left it, or it is no socket at all. */
const nobodyListens = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENOTSOCK'];

export interface FoundServer {
  version: string;
  perform: Perform;
}

/** Undefined when no server listens there. */
export async function findServer(dataDir: string): Promise<FoundServer | undefined> {
  const socketPath = socketAddress(dataDir);
  const hello = socketPath === undefined ? undefined : await greet(socketPath);
  if (socketPath === undefined || hello === undefined) return undefined;
  if (hello.protocol !== protocolVersion) {
    throw new OperatorError(
      'refused',
      `The running server is version ${hello.version}, which this version of the command cannot talk to. Use that version, or restart the server with this one.`,
    );
  }
  return { version: hello.version, perform: (name, input, watch) => ask(socketPath, name, input, watch) };
}

async function greet(socketPath: string): Promise<Hello | undefined> {
  try {
    const response = await send(socketPath, { method: 'GET', path: '/', signal: AbortSignal.timeout(helloWithinMs) });
    return JSON.parse(await text(response)) as Hello;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (nobodyListens.includes(code ?? '')) return undefined;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new OperatorError('refused', `This user may not use ${socketPath}. Run the command as the server's user.`);
    }
    // It was about to stop.
    if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
    throw new StoreUnavailableError(`The server at ${socketPath} does not answer`, { cause: error });
  }
}

async function ask<Name extends OperationName>(
  socketPath: string,
  name: Name,
  input: Operations[Name]['input'],
  { onProgress, signal }: Watch = {},
): Promise<Operations[Name]['answer']> {
  try {
    const response = await send(socketPath, { method: 'POST', path: `/${name}`, body: JSON.stringify(input), signal });
    for await (const line of linesOf(response)) {
      if (line.kind === 'progress') onProgress?.(line.done, line.total);
      else if (line.kind === 'error') throw new Answered(fromSent(line.error));
      else return withUndefined(name, line.value) as Operations[Name]['answer'];
    }
  } catch (error) {
    if (error instanceof Answered) throw error.error;
    throw lost(error);
  }
  throw lost(undefined);
}

/** Not by node:readline, which waits forever when the connection breaks. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<Line> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}

/** Tells an error that the server sent from one on the way to it. */
class Answered {
  readonly error: Error;

  constructor(error: Error) {
    this.error = error;
  }
}

function lost(cause: unknown): Error {
  const isUnsent = nobodyListens.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
  const what = isUnsent ? 'Nothing was done' : 'Look whether it was done';
  return new StoreUnavailableError(`The server stopped meanwhile. ${what}, and run the command again.`, { cause });
}

interface Sending {
  method: string;
  path: string;
  body?: string;
  signal?: AbortSignal | undefined;
}

async function send(socketPath: string, { method, path, body, signal }: Sending): Promise<IncomingMessage> {
  const headers = { [protocolHeader]: protocolVersion };
  const sent = request({ socketPath, method, path, headers, agent: false, ...(signal && { signal }) });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** JSON has no undefined; these members are always there. */
function withUndefined(name: OperationName, value: unknown): unknown {
  const complete = (state: SecretState): SecretState => ({
    ...state,
    createdBy: state.createdBy,
    expiresAtMs: state.expiresAtMs,
    revokedAtMs: state.revokedAtMs,
    lastUsedAtMs: state.lastUsedAtMs,
  });
  if (name === 'listSecrets') return (value as SecretState[]).map(complete);
  if (name === 'listMembers') {
    return (value as Member[]).map((member) => ({ ...member, lastSignInAtMs: member.lastSignInAtMs }));
  }
  if (name !== 'createSecret') return value;
  const { secret, state } = value as Operations['createSecret']['answer'];
  return { secret, state: complete(state) };
}
