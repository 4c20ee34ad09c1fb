// The command line's side of the operator's socket: finds the running server of a data folder, and asks it. It must not
// load the web framework.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { operatorOperations } from '@roster/contract';
import type { Send, Sent } from '@roster/server/in-process';
import { StoreUnavailableError, socketAddress } from '@roster/server/operator';
import { OperatorError } from './operator-error.ts';

/** A server answers within milliseconds, on a busy machine within seconds; one that does not is stuck or suspended. */
const answerWithinMs = 20_000;

/** There is no socket, a killed server left it, or it is no socket at all. */
const notListening = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENOTSOCK'];

export interface FoundServer {
  version: string;
  send: Send;
}

/** Undefined when no server listens there. */
export async function findServer(dataDir: string): Promise<FoundServer | undefined> {
  const socketPath = socketAddress(dataDir);
  const version = socketPath === undefined ? undefined : await readVersion(socketPath);
  if (socketPath === undefined || version === undefined) return undefined;
  return { version, send: (sent) => sendOrExplain(socketPath, sent) };
}

async function readVersion(socketPath: string): Promise<string | undefined> {
  const { method, path } = operatorOperations.operatorDescribeServer;
  const signal = AbortSignal.timeout(answerWithinMs);
  try {
    const response = await send(socketPath, { method, path, body: undefined, signal });
    const answer = await text(response);
    if (response.statusCode === 200) return (JSON.parse(answer) as { data: { version: string } }).data.version;
    // A server that is about to stop refuses every request, and its socket goes next.
    if (response.statusCode === 503) return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (notListening.includes(code ?? '')) return undefined;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new OperatorError(
        'refused',
        `You don't have permission to use ${socketPath}. Run the command as the user that runs the server.`,
      );
    }
    // It was about to stop.
    if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
    throw new StoreUnavailableError(
      `The server at ${socketPath} does not respond. Check its log, then run the command again.`,
      { cause: error },
    );
  }
  throw new OperatorError(
    'refused',
    `The running server at ${socketPath} has a version that this command does not support. Use the command of that version, or restart the server with this version.`,
  );
}

async function sendOrExplain(socketPath: string, sent: Sent) {
  try {
    const response = await send(socketPath, sent);
    return { status: response.statusCode ?? 0, body: response };
  } catch (cause) {
    const isUnsent = notListening.includes((cause as NodeJS.ErrnoException).code ?? '');
    const advice = isUnsent
      ? 'Nothing was changed. Run the command again.'
      : 'Check whether the change was made, then run the command again.';
    throw new StoreUnavailableError(`The server stopped before it responded. ${advice}`, { cause });
  }
}

async function send(socketPath: string, { method, path, body, signal }: Sent): Promise<IncomingMessage> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request({ socketPath, method, path, headers, agent: false, ...(signal && { signal }) });
  // A failure before the answer is thrown by `once`; one after it is an error of the answer's stream.
  sent.on('error', () => {});
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
