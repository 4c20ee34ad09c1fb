// How the HTTP server itself behaves: timeouts that fire, sizes, and answers to what is not even HTTP.
import { randomBytes } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';
import { ApiError, invalidRequest } from './api-error.ts';
import { endLingering, type HttpSocket } from './lingering-close.ts';
import { noSuchPath, sendProblem } from './problem.ts';
import { trustHops } from './proxies.ts';
import { parseQueryString } from './query-string.ts';
import { securityHeaders } from './security-headers.ts';

/** Node looks for slow clients only so often; its default of 30 seconds would make short timeouts late. */
const timeoutCheckMs = 1000;

export function serverOptions({ timeouts, config }: Deps): FastifyHttpOptions<Server> {
  const makeRequestId = requestIdSource();
  const headers = securityHeaders(config);
  return {
    routerOptions: { maxParamLength: 512, querystringParser: parseQueryString },
    http: {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.idleMs,
      connectionsCheckingInterval: Math.min(timeoutCheckMs, timeouts.headersMs, timeouts.requestMs),
      // Without this Node answers a missing Host by itself, in a shape of its own.
      requireHostHeader: false,
    },
    // Fastify sets both on the server after creating it, so they have to be said here too.
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionTimeout: timeouts.stalledMs,
    trustProxy: config.trustProxy !== false && trustHops(config.trustProxy),
    genReqId: makeRequestId,
    requestIdHeader: false,
    // Fastify's own lines hold addresses, and those hold tokens and names. We write ours (http/traffic.ts).
    logger: false,
    // The contract's schemas validate and describe. Fastify's own compilers would be loaded for nothing, at every start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Requests that arrive while stopping get our 503, not Fastify's.
    return503OnClosing: false,
    clientErrorHandler(error, socket) {
      const end = (lastBytes?: string) => endLingering(socket, timeouts.requestMs, lastBytes);
      const endAfter = (earlier: ServerResponse) =>
        earlier.once('close', () => {
          const next = earlierAnswer(socket);
          if (next === undefined) end();
          else endAfter(next);
        });
      const earlier = earlierAnswer(socket);
      if (earlier !== undefined) endAfter(earlier);
      else if (isAnswered(socket)) end();
      else if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else end(clientErrorAnswer(error, { ...headers, 'x-request-id': makeRequestId() }));
    },
    // Only an address that cannot be decoded gets here, before any hook: no path of ours.
    frameworkErrors(_error, request, reply) {
      reply.headers(headers).header('x-request-id', request.id);
      sendProblem(reply as FastifyReply, noSuchPath());
    },
  };
}

function noSchemas(): never {
  throw new Error('A route has a schema of Fastify. Declare it on the operation.');
}

/** Ids of our own making only: a client's could carry personal data into the log. */
function requestIdSource(): () => string {
  const process = randomBytes(6).toString('hex');
  let count = 0;
  return () => `req-${process}-${(++count).toString(36)}`;
}

/**
 * The answer to an earlier request of the connection that is still to come, or one that has begun to go out, if any: an
 * answer now would be taken for it, or for a part of it.
 */
function earlierAnswer({ _httpMessage: answer }: HttpSocket): ServerResponse | undefined {
  return answer?.req.complete || answer?.headersSent ? answer : undefined;
}

/** Whether a request whose body turns out to be malformed is answered already, as by operations that ignore bodies. */
function isAnswered({ _httpMessage: answer, parser }: HttpSocket): boolean {
  return parser?.incoming?.complete === false && !answer;
}

type AnswerHeaders = Record<string, string> & { 'x-request-id': string };

function clientErrorAnswer(error: NodeJS.ErrnoException, headers: AnswerHeaders): string {
  const problem = clientError(error.code);
  const document = problem.toProblem(headers['x-request-id']);
  const body = JSON.stringify(document);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${problem.status} ${document.title}\r\n${lines.join('')}Content-Type: application/problem+json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

function clientError(code: string | undefined): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request took too long to arrive. Try again.');
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', 'The request line and headers together must not exceed 16 KiB.');
    default:
      return invalidRequest([{ field: 'request', message: 'is not valid HTTP/1.1' }]);
  }
}
