// Turns an operation of the contract and its handler into a route: credential, body, input, handler, answer, in this
// order. Only this file answers a success; http/problem.ts answers the rest.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { anonymousCredentials, headersOf, namesUnknown, type Operation } from '@roster/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chain } from '../store/maybe-promise.ts';
import { type Access, type AccessChecks, organizationOf } from './access.ts';
import type { HeavyCalls } from './heavy-calls.ts';
import { isLongAnswer, toJson } from './json-steps.ts';
import type { Answer, AnswerHead, Call, Handler } from './operation-types.ts';
import type { TimeSlices } from './time-slices.ts';
import { prefersStrict, prepareUnknown, toHeader, unknownRefused, validate } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    isPreflight?: boolean;
  }
  interface FastifyRequest {
    access: Access;
    /** The response to this request. It is closed when the client has read it, or has left. */
    answer: ServerResponse;
    /** Id of the valid secret that the request came with, even if the request is refused. */
    secretId?: string;
  }
}

const jsonType = 'application/json; charset=utf-8';

/** A JSON answer that is longer is as good as a file: it may not fit into the buffers of a socket. */
const fileLength = 64 * 1024;

export interface Mounting {
  http: FastifyInstance;
  /** Check every answer against the contract. */
  isStrict: boolean;
  accessChecks: AccessChecks;
  /** How organizations share what costs most. */
  heavyReads: HeavyCalls;
  timeSlices: TimeSlices;
  /** Called before an answer with a file is sent to a caller without a credential. */
  onFile(reply: FastifyReply): void;
}

export function mount<Op extends Operation>(
  { http, isStrict, accessChecks, heavyReads, timeSlices, onFile }: Mounting,
  operation: Op,
  handler: Handler<NoInfer<Op>>,
): void {
  const { answer, body, credentials = [], query } = operation;
  const checkAccess = accessChecks(operation);
  const toBody = (request: FastifyRequest): unknown => {
    if (body === undefined || body.isValidatedByHandler) return undefined;
    // Without a body each missing field is named, as with an empty object.
    return validate(body.schema, request.body ?? {}, 'body');
  };

  const isNaming = namesUnknown({ ...operation, credentials });
  const unknownIn = prepareUnknown(operation);

  /** Before anything is done: a caller who prefers so is not to have a part of the request ignored. */
  const handleStrictly = (request: FastifyRequest, reply: FastifyReply): void => {
    const unknown = unknownIn(request);
    if (unknown.size > 0) throw unknownRefused(unknown);
    reply.header('Preference-Applied', 'handling=strict');
  };

  const nameIgnored = (reply: FastifyReply): void => {
    if (body === undefined && !reply.request.raw.url?.includes('?')) return;
    const unknown = unknownIn(reply.request);
    if (unknown.size > 0) reply.header('Roster-Ignored', toHeader(unknown));
  };

  // Most requests have no parameters, so an empty query is validated once.
  const withoutParameters = query?.safeParse({});
  const toQuery = (request: FastifyRequest): unknown => {
    if (query === undefined) return undefined;
    const hasNone = withoutParameters?.success && !request.raw.url?.includes('?');
    return hasNone ? withoutParameters.data : validate(query, request.query, 'query');
  };

  const isPublic = credentials.includes('public');
  const send = (reply: FastifyReply, answered: Answer<Op>, json?: string): FastifyReply => {
    if (isStrict) assertDeclared(operation, answered as AnswerHead & { body?: unknown });
    const isFile = answer.mediaType !== undefined;
    const payload = isFile ? '' : (json ?? JSON.stringify(answered.body));
    // Before the headers of the file are set, which a refusal must not have.
    if (isPublic && (isFile || payload?.length > fileLength)) onFile(reply);
    const status = answered.isChanged ? (answer.changed?.status ?? answer.status) : answer.status;
    reply.code(status);
    if (answered.headers !== undefined) reply.headers(answered.headers);
    if (answered.cookies !== undefined) reply.header('Set-Cookie', answered.cookies);
    if (isNaming) nameIgnored(reply);
    if (answered.body === undefined) return reply.send();
    if (answer.isRevalidated && isUnchanged(reply.request.headers['if-none-match'], answered.headers?.['etag'])) {
      return reply.code(304).send();
    }
    // An answer that is not JSON gets its content type from the handler.
    if (isFile) return sendFile(reply, answered.body as string | Buffer | Readable);
    // Straight to Node: Fastify has nothing left to do with a finished answer, and takes a tenth of the time for it.
    const headers = reply.getHeaders() as OutgoingHttpHeaders;
    headers['content-type'] = jsonType;
    headers['content-length'] = Buffer.byteLength(payload);
    reply.raw.writeHead(status, headers);
    reply.hijack();
    reply.raw.end(payload);
    return reply;
  };

  const admit = (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void): void => {
    const grant = (access: Access) => {
      request.access = access;
      request.answer = reply.raw;
      next();
    };
    try {
      const access = checkAccess(request, reply);
      if (access instanceof Promise) access.then(grant, next);
      else grant(access);
    } catch (error) {
      next(error as Error);
    }
  };

  http.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    onRequest: admit,
    // Receiving a body can take long: the caller may have been removed, revoked or demoted meanwhile, so access is checked again.
    ...(body !== undefined &&
      !credentials.some((credential) => anonymousCredentials.includes(credential)) && { preHandler: admit }),
    handler: (request, reply) => {
      if (isNaming && prefersStrict(request.headers['prefer'])) handleStrictly(request, reply);
      const call = {
        operation,
        params: request.params,
        query: toQuery(request),
        body: toBody(request),
        rawBody: request.body,
        credential: request.access.credential,
        bot: request.access.bot,
        visitor: request.access.visitor,
        session: request.access.session,
        secret: request.access.secret,
        request,
        async checkAccess() {
          await checkAccess(request, reply);
        },
        asHeavy: (work: () => Promise<unknown>) => heavyReads.run(request, work),
        nextSlice: () => timeSlices.next(organizationOf(request.access)),
        inSlices: (steps: Iterator<void>) => timeSlices.inSlices(organizationOf(request.access), steps),
      } as unknown as Call<Op>;
      return chain(handler(call), (answered) => {
        if (!isLongAnswer(answered.body)) return send(reply, answered);
        return call.inSlices(toJson(answered.body)).then((json) => send(reply, answered, json));
      });
    },
  });
}

/** Written at once, a large file would take the main thread for as long as the system takes to copy it. */
function sendFile(reply: FastifyReply, body: string | Buffer | Readable): FastifyReply {
  if (!(body instanceof Buffer) || body.length <= fileLength) return reply.send(body);
  return reply.header('content-length', body.length).send(Readable.from(slicesOf(body), { objectMode: false }));
}

function* slicesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += fileLength) yield body.subarray(at, at + fileLength);
}

/**
 * Whether a client has this version already (RFC 9110, 13.1.2). Compared weakly, as a GET asks for: the compressed and
 * the plain form of a version are the same to a cache.
 */
function isUnchanged(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** An answer that the contract does not declare is a fault of ours, and must not pass a test. */
function assertDeclared(operation: Operation, answered: AnswerHead & { body?: unknown }): void {
  const { schema, mediaType } = operation.answer;
  const declared: readonly string[] = headersOf(operation);
  if (schema !== undefined && mediaType === undefined) schema.parse(JSON.parse(JSON.stringify(answered.body)));
  for (const name of [...Object.keys(answered.headers ?? {}), ...(answered.cookies ?? []).map(() => 'Set-Cookie')]) {
    const isDeclared = declared.includes(name) || mediaType !== undefined;
    if (!isDeclared) throw new Error(`${operation.id} does not declare the header ${name}`);
  }
}
