// Follows each request from its head to its end: counts those in flight, sheds load, refuses while stopping, measures
// and logs. A log line holds the operation, the status, and of a caller with a secret its id and IP address; never a path,
// a parameter or a header.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { operations } from '@roster/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KeyedLimit } from '../concurrency/keyed-limit.ts';
import type { Deps } from '../deps.ts';
import type { Logger } from '../log.ts';
import { clientKey, toAddress } from '../network/addresses.ts';
import { invalidRequest, unavailable } from './api-error.ts';
import type { Metrics } from './metrics.ts';
import { operationOf, sendProblem } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

/** At least so long between two looks at all requests: one at 10,000 of them takes a tenth of a millisecond. */
const sweepPauseMs = 10;

/** nginx's number for a client that left before its answer was complete. */
const clientLeftStatus = 499;

export class Traffic {
  readonly #inFlight = new Set<FastifyReply>();
  readonly #unreadFiles: KeyedLimit;
  readonly #unreadMs: number;
  #nextSweepMs = 0;
  readonly #sockets = new Set<Socket>();
  readonly #drain = new AbortController();
  /** Aborted when load balancers are to send no more requests. Those that come are served. */
  readonly draining = this.#drain.signal;
  readonly #stop = new AbortController();
  /** Aborted when the server begins to stop. */
  readonly stopping = this.#stop.signal;

  constructor({ unreadFilesMax, timeouts }: Pick<Deps, 'unreadFilesMax' | 'timeouts'>) {
    this.#unreadFiles = new KeyedLimit(unreadFilesMax);
    this.#unreadMs = timeouts.unreadMs;
  }

  get requestsInFlight(): number {
    return this.#inFlight.size;
  }

  /** From now on the server is not ready, and serves. */
  beginDrain(): void {
    this.#drain.abort();
  }

  /** From now on new requests are refused, and every answer closes its connection. */
  beginStop(): void {
    this.beginDrain();
    this.#stop.abort();
    for (const reply of this.#inFlight) if (!reply.sent) reply.header('connection', 'close');
    // Browsers open connections ahead of need. Node takes those for busy until their first byte.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  /** To be called before a file is sent to an anonymous caller, who is soon cut off if they do not read it. */
  handOverFile(reply: FastifyReply): void {
    const key = clientKey(reply.request);
    if (!this.#unreadFiles.take(key)) throw unavailable('too many downloads to your address are in flight');
    reply.raw.once('close', () => this.#unreadFiles.giveBack(key));
    // The socket of a request from this process itself (`inject`) has no timeout.
    reply.request.raw.socket.setTimeout?.(this.#unreadMs);
  }

  /**
   * Clients that do not read their answers must not keep out others, so requests whose answer is complete do not count. They
   * are only looked for when there are too many requests, and not again for a moment when few were found.
   */
  #isFull(requestsMax: number): boolean {
    if (this.#inFlight.size <= requestsMax) return false;
    const nowMs = performance.now();
    if (nowMs < this.#nextSweepMs) return true;
    for (const reply of this.#inFlight) if (reply.raw.writableEnded) this.#inFlight.delete(reply);
    if (this.#inFlight.size <= requestsMax) return false;
    this.#nextSweepMs = nowMs + sweepPauseMs;
    return true;
  }

  watch(http: FastifyInstance, { config, logger, requestsMax }: Deps, metrics: Metrics): void {
    const headers = securityHeaders(config);
    http.server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // After a close the kernel keeps what the client has not read for minutes; a reset drops it.
    http.server.on('timeout', (socket) => {
      if (socket.writableLength > 0) socket.resetAndDestroy();
      else socket.destroy();
    });
    // An Expect that we do not know is ignored; Node would answer it in a shape of its own.
    http.server.on('checkExpectation', (request, response) => http.server.emit('request', request, response));
    const log = prepareLog(logger);

    http.addHook('onRequest', (request, reply, next) => {
      this.#inFlight.add(reply);
      const startedAtMs = performance.now();
      // Unlike Fastify's onResponse hook, this event also comes for clients that leave early.
      reply.raw.once('close', () => {
        this.#inFlight.delete(reply);
        const status = reply.raw.writableFinished ? reply.statusCode : clientLeftStatus;
        const ms = performance.now() - startedAtMs;
        metrics.observe(operationOf(request)?.id ?? 'none', status, ms / 1000);
        log(request, status, ms);
      });
      reply.headers(headers);
      reply.header('x-request-id', request.id);
      if (this.stopping.aborted) reply.header('connection', 'close');
      if (!hasOneHost(request.raw)) {
        sendProblem(reply, invalidRequest([{ field: 'Host', message: 'must be sent once' }]));
      } else if (operationOf(request) === operations.checkHealth) {
        // A process that is busy or stopping is alive.
        next();
      } else if (this.stopping.aborted) {
        next(unavailable('the server is stopping'));
      } else if (this.#isFull(requestsMax)) {
        next(unavailable('too many requests at once'));
      } else {
        next();
      }
    });
  }
}

/** Two would let a proxy and this server read one request as two different ones (RFC 9112, 3.2). */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at] as string)) count++;
  return count === 1 || (count === 0 && httpVersion === '1.0');
}

/** What a secret changes, exports or is refused is evidence; all other lines help to find a fault. */
function prepareLog(logger: Logger) {
  const levels = { info: logger.isLevelEnabled('info'), debug: logger.isLevelEnabled('debug') };
  return (request: FastifyRequest, status: number, tookMs: number): void => {
    const { id: requestId, secretId } = request;
    const { id: operation = 'none', method, isLogged = method !== 'GET' } = operationOf(request) ?? {};
    const level = secretId !== undefined && (isLogged || status >= 400) ? 'info' : 'debug';
    if (!levels[level]) return;
    const caller = secretId !== undefined && { secretId, address: toAddress(request.ip) || undefined };
    logger[level]({ requestId, operation, status, ms: Math.round(tookMs), ...caller }, 'answered');
  };
}
