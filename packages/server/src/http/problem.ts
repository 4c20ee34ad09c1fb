// Turns every error into an answer of the one error shape.
import { errorHeadersOf, errorsOf, type Operation } from '@roster/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccountError } from '../account/account-error.ts';
import { PasswordsBusyError } from '../account/passwords.ts';
import type { Deps } from '../deps.ts';
import { DatabaseDamagedError, DiskFullError, OutcomeUnknownError, StoreUnavailableError } from '../store/store.ts';
import { ApiError, invalidRequest, outcomeUnknown, unauthorized, unavailable } from './api-error.ts';
import { rateLimited } from './rate-limit.ts';

const storeLineEveryMs = 10_000;

export function handleProblems(
  http: FastifyInstance,
  { logger, isStrict }: Pick<Deps, 'logger' | 'isStrict'>,
  operations: readonly Operation[],
): void {
  let nextStoreLineMs = 0;
  http.setErrorHandler((error: unknown, request, reply) => {
    const { operation } = request.routeOptions.config;
    const problem = toApiError(error);
    // An error that the operation does not declare is a fault of ours: answered with 500, so that a test fails.
    const undeclared = isStrict && operation !== undefined ? undeclaredIn(problem, operation) : undefined;
    if (undeclared !== undefined) {
      logger.error({ requestId: request.id, operation: operation?.id, undeclared }, 'undeclared error');
      sendProblem(reply, new ApiError('internal', `${operation?.id} does not declare ${undeclared}.`));
      return;
    }
    // Refusals under load are counted in the metrics, and a log line for each would add to the load. One every few
    // seconds says why.
    const storeFailure = (problem.cause as Error | undefined)?.cause;
    if (problem.code === 'unavailable' && storeFailure !== undefined && Date.now() >= nextStoreLineMs) {
      nextStoreLineMs = Date.now() + storeLineEveryMs;
      logger.warn({ requestId: request.id, err: storeFailure }, 'the database does not respond');
    }
    if (problem.code === 'internal') {
      logger.error({ requestId: request.id, operation: operation?.id, err: problem.cause ?? problem }, 'failed');
    }
    sendProblem(reply, problem);
  });

  // A path may hold a contact token, so it is neither quoted nor logged.
  const paths = Map.groupBy(operations, ({ path }) => path);
  const known = Array.from(paths, ([path, served]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    allow: [
      ...served.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
      ...(served.some(({ isCrossOrigin }) => isCrossOrigin) ? ['OPTIONS'] : []),
    ],
  }));
  http.setNotFoundHandler((request, reply) => {
    const path = decoded(request.raw.url?.split('?', 1)[0] ?? '');
    // One word may be a path of its own and also stand where another path has an id.
    const allow = new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ allow }) => allow));
    sendProblem(reply, allow.size === 0 ? noSuchPath() : methodNotAllowed([...allow].join(', ')));
  });
}

/** The code of an error, or one of its headers, if the operation does not declare it. */
function undeclaredIn({ code, headers }: ApiError, operation: Operation): string | undefined {
  if (!errorsOf(operation).includes(code)) return code;
  // `connection` belongs to the connection, not to the answer.
  const declared = ['connection', ...errorHeadersOf(operation, code).map((name) => name.toLowerCase())];
  return Object.keys(headers).find((name) => !declared.includes(name));
}

/** The router compares decoded paths. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    // A broken escape matches no path of ours.
    return path;
  }
}

export function sendProblem(reply: FastifyReply, error: ApiError): void {
  reply.code(error.status).headers(error.headers);
  if (error.page !== undefined) {
    reply.headers(error.page.headers).send(error.page.body);
    return;
  }
  reply.type('application/problem+json').send(JSON.stringify(error.toProblem(reply.request.id)));
}

/** JavaScript can throw any value, so nothing is assumed about it. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof AccountError) return toAccountProblem(error);
  if (error instanceof OutcomeUnknownError) return outcomeUnknown(error.message, error);
  if (error instanceof PasswordsBusyError) return unavailable(error.message, error);
  if (error instanceof StoreUnavailableError) return toStoreProblem(error);
  const status = isOfFastify(error) ? error.statusCode : undefined;
  if (status === 415) return new ApiError('unsupported_media_type', 'The Content-Type is invalid.');
  if (status !== undefined && status < 500) return invalidRequest([{ field: 'request', message: 'is not valid' }]);
  return new ApiError('internal', 'Something went wrong on our side. The log has the details under this request id.', {
    cause: error,
  });
}

function toStoreProblem(error: StoreUnavailableError): ApiError {
  if (error instanceof DiskFullError) {
    const detail = 'The server’s disk is full, so this change was not stored. Free some space on it, then try again.';
    return new ApiError('unavailable', detail, { headers: { 'retry-after': '1' }, cause: error });
  }
  if (!(error instanceof DatabaseDamagedError)) return unavailable(error.message, error);
  // Trying again is in vain until a person has done something. The log has the cause, once.
  const remedy = 'The operator of this server must run "roster doctor" and restore a backup.';
  const detail = `The database is damaged. Nothing was changed. ${remedy}`;
  return new ApiError('unavailable', detail, { headers: { 'retry-after': '3600' } });
}

/** Only its errors have a status that means something here. */
function isOfFastify(error: unknown): error is FastifyError {
  return error instanceof Error && String((error as FastifyError).code).startsWith('FST_');
}

function toAccountProblem({ code, message, faults, exceeded, organizations, permission }: AccountError): ApiError {
  if (faults !== undefined) return invalidRequest(faults);
  if (exceeded !== undefined) return rateLimited(exceeded);
  if (organizations !== undefined) return new ApiError(code, message, { organizations });
  if (code === 'unauthorized') return unauthorized();
  if (permission !== undefined) return new ApiError(code, message, { permission });
  // The scheme is our own: browsers ask for no password because of it.
  return new ApiError(code, message, code === 'sign_in_failed' ? { headers: { 'www-authenticate': 'Session' } } : {});
}

export function noSuchPath(): ApiError {
  return new ApiError('not_found', 'This path does not exist. See /docs for the API reference.');
}

function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `This method is not allowed here. Use ${allow}.`, { headers: { allow } });
}

/** For hooks and parsers, which know only the request. */
export function operationOf(request: FastifyRequest): Operation | undefined {
  return request.routeOptions.config.operation;
}
