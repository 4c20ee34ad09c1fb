// The running server's side of the operator's socket. Only the user of the server, and root, can reach it: that is its
// whole authentication, so nothing but the operator's operations may ever be answered here.
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { version } from '../version.ts';
import { isOperation } from './inputs.ts';
import { OperatorError, type Perform } from './operator.ts';
import {
  type Hello,
  type Line,
  protocolHeader,
  protocolVersion,
  socketAddress,
  socketFile,
  toSent,
} from './protocol.ts';

/** A bot with all its origins takes a third of it. */
const inputBytesMax = 64 * 1024;

export interface OperatorSocket {
  /** Refuses new requests, breaks off backups, and waits for the rest, but not longer than this. */
  close(deadlineMs: number): Promise<void>;
}

export interface OperatorSocketSettings {
  /** Taken by this process already: a socket that is there is one that a killed server left. */
  dataDir: string;
  perform: Perform;
  logger: Logger;
}

/** Undefined, and a line in the log, when there can be no socket: the service itself does not depend on it. */
export async function listenForOperator(settings: OperatorSocketSettings): Promise<OperatorSocket | undefined> {
  const { dataDir, perform, logger } = settings;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answered = answer(request, response, { perform, logger, stopping: stopping.signal }).catch((error) => {
      // The connection broke, or our own code did: nobody is left to tell.
      logger.warn({ err: error }, 'an operator was not answered');
      response.destroy();
    });
    underWay.add(answered);
    answered.finally(() => underWay.delete(answered));
  });
  try {
    const address = socketAddress(dataDir);
    if (address === undefined) throw new Error(`${socketFile(dataDir)} is too long a path for a socket`);
    removeStale(address);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, resolve);
    });
    chmodSync(address, 0o600);
  } catch (error) {
    server.close();
    logger.warn({ err: error }, 'no operator’s socket: commands for a running server will not reach this one');
    return undefined;
  }
  return {
    async close(deadlineMs) {
      stopping.abort();
      server.close();
      server.closeIdleConnections();
      await Promise.race([Promise.allSettled(underWay), delay(deadlineMs, undefined, { ref: false })]);
      server.closeAllConnections();
    },
  };
}

/** Nothing but a socket: another file of that name is somebody's. */
function removeStale(address: string): void {
  if (lstatSync(address, { throwIfNoEntry: false })?.isSocket()) rmSync(address);
}

interface Answering extends Pick<OperatorSocketSettings, 'perform' | 'logger'> {
  stopping: AbortSignal;
}

async function answer(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  const { perform, logger, stopping } = answering;
  const send = (line: Line) => response.write(`${JSON.stringify(line)}\n`);
  const { method, url = '/' } = request;
  response.setHeader('content-type', 'application/x-ndjson');
  response.setHeader('connection', 'close');
  if (method === 'GET' && url === '/') {
    const hello: Hello = { service: 'roster', protocol: protocolVersion, version };
    response.end(JSON.stringify(hello));
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const name = url.slice(1);
    if (request.headers[protocolHeader] !== String(protocolVersion) || method !== 'POST' || !isOperation(name)) {
      throw new OperatorError('refused', `The running server (version ${version}) does not know this operation.`);
    }
    const value = await perform(name, (await readInput(request)) as never, {
      onProgress: (done, total) => send({ kind: 'progress', done, total }),
      signal: AbortSignal.any([gone.signal, stopping]),
    });
    send({ kind: 'answer', value });
  } catch (error) {
    const sent = toSent(error);
    if (sent === undefined) logger.error({ err: error }, 'an operation of the operator failed');
    send({ kind: 'error', error: sent ?? { kind: 'internal', message: 'The server failed; its log says why.' } });
  }
  response.end();
}

async function readInput(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // What is left is read and dropped, so that the answer is seen.
    if (bytes <= inputBytesMax) chunks.push(chunk);
  }
  if (bytes > inputBytesMax) throw new OperatorError('invalid', `The input is larger than ${inputBytesMax} bytes.`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw new OperatorError('invalid', 'The input is not JSON.', { cause });
  }
}
