// Whether an answer is one that the contract allows. What is wrong with it comes back as sentences; none means nothing.
import { gunzipSync } from 'node:zlib';
import {
  anonymousCredentials,
  answerHeaders,
  type ErrorCode,
  errorCodes,
  errorHeadersOf,
  errorsOf,
  headersOf,
  type Operation,
  operationsFor,
  portCredentials,
  problemSchema,
} from '@roster/contract';
import type { RequestPlan } from './plans.ts';
import type { WireAnswer } from './wire.ts';

const operations = operationsFor(portCredentials).map(([, operation]) => operation);

/** Outside any operation: before a route is found, or where there is none. */
const errorsOfAnyPath: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
];

export interface JudgeOptions {
  /** Something else keeps the machine busy, so a request may be refused for having waited too long. */
  isMachineBusy?: boolean | undefined;
}

/** `plan` is undefined when the bytes were changed so that it is open what they ask for. */
export function judge(answer: WireAnswer, plan?: RequestPlan, { isMachineBusy = false }: JudgeOptions = {}): string[] {
  const faults: string[] = [];
  const must = (isMet: boolean, fault: string) => {
    if (!isMet) faults.push(fault);
  };
  const operation = plan && askedFor(plan);
  const isHead = plan?.method === 'HEAD';
  const header = (name: string) => answer.headers.get(name) ?? '';

  must(answer.status < 500 || (isMachineBusy && answer.status === 503), `${answer.status}: an error of the server`);
  must(/^req-[\w-]+$/.test(header('x-request-id')), 'x-request-id is missing');
  must(header('x-content-type-options') === 'nosniff', 'x-content-type-options is missing');
  must(
    /frame-ancestors 'none'|sandbox|frame-ancestors 'self'/.test(header('content-security-policy')),
    'no content-security-policy',
  );
  must(header('cache-control') !== '', 'cache-control is missing');
  must(!answer.headers.has('x-injected'), 'a header of the caller is in the answer');
  must(!answer.headers.has('x-powered-by') && !answer.headers.has('server'), 'the answer names its software');

  if (answer.status >= 400) judgeProblem(answer, { isHead, operation, hasRoute: plan !== undefined }, must);
  else if (plan !== undefined) judgeSuccess(answer, plan, operation, must);
  return faults;
}

/**
 * By the contract's list: the plan's own operation, or the one that another method makes of its path, which may be one
 * with a parameter where the plan's has a name.
 */
function askedFor({ operation, method, target }: RequestPlan): Operation | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const candidates = operations.filter((each) => each.method === wanted);
  const path = target.replace(/\?.*/s, '');
  return (
    candidates.find((each) => each.path === operation.path) ??
    candidates.find((each) => new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
  );
}

type Must = (isMet: boolean, fault: string) => void;

function judgeProblem(
  { status, headers, body }: WireAnswer,
  { isHead, operation, hasRoute }: { isHead: boolean; operation: Operation | undefined; hasRoute: boolean },
  must: Must,
): void {
  must(/^application\/problem\+json/.test(headers.get('content-type') ?? ''), `${status} is no problem document`);
  must(headers.get('cache-control') === 'no-store', 'an error may be cached');
  must(status !== 401 || headers.has('www-authenticate'), '401 without WWW-Authenticate');
  must(status !== 405 || headers.has('allow'), '405 without Allow');
  must((status !== 429 && status !== 503) || headers.has('retry-after'), `${status} without Retry-After`);
  if (isHead) return;
  const parsed = problemSchema.safeParse(parseJson(body));
  must(parsed.success, `${status} is malformed: ${parsed.error?.message}`);
  if (!parsed.success) return;
  const { code, title, requestId } = parsed.data;
  must(parsed.data.status === status && errorCodes[code].status === status, `${code} has status ${status}`);
  must(errorCodes[code].title === title, `${code} is titled ${title}`);
  must(requestId === headers.get('x-request-id'), 'the request id of the body is another');
  const isDeclared = errorsOfAnyPath.includes(code) || (operation !== undefined && errorsOf(operation).includes(code));
  must(!hasRoute || isDeclared, `${operation?.id ?? 'no operation'} does not declare ${code}`);
  if (hasRoute && operation !== undefined)
    judgeHeaders(headers, errorHeadersOf(operation, code), `${code} of ${operation.id}`, must);
}

function judgeSuccess(answer: WireAnswer, plan: RequestPlan, operation: Operation | undefined, must: Must): void {
  const { status, headers, body } = answer;
  // A preflight of a browser is no operation.
  if (plan.method === 'OPTIONS' && status === 204) return;
  must(operation !== undefined, `${status} for ${plan.method} ${plan.operation.path}, which no operation is`);
  if (operation === undefined) return;
  const { id, answer: declared, credentials } = operation;
  const isUnchanged = status === 304 && declared.isRevalidated === true;
  const statuses: (number | undefined)[] = [declared.status, declared.changed?.status];
  must(statuses.includes(status) || isUnchanged, `${id} does not declare ${status}`);
  const isOpen = credentials.some((credential) => anonymousCredentials.includes(credential));
  // Another method of the path may take the other kind of credential.
  const isOwn = plan.credential === 'own' || (plan.credential === 'otherKind' && operation.id !== plan.operation.id);
  must(isOwn || isOpen, `${id} let a caller in whose credential is ${plan.credential}`);
  judgeHeaders(headers, headersOf(operation), id, must);
  must(
    operation.isCrossOrigin === true || declared.mediaType !== undefined || !headers.has('access-control-allow-origin'),
    `${id} is open to pages of other origins`,
  );
  if (plan.method === 'HEAD' || isUnchanged) return;
  if (declared.schema !== undefined) {
    const decoded = headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body;
    const parsed = declared.schema.safeParse(parseJson(decoded));
    must(parsed.success, `${id} answers off its schema: ${parsed.error?.message}`);
  }
  must(declared.schema !== undefined || declared.mediaType !== undefined || body.length === 0, `${id} has a body`);
}

function judgeHeaders(headers: WireAnswer['headers'], allowed: readonly string[], what: string, must: Must): void {
  for (const name of Object.keys(answerHeaders)) {
    must(!headers.has(name.toLowerCase()) || allowed.includes(name), `${what} does not declare the header ${name}`);
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The schemas refuse it, and say so.
    return undefined;
  }
}
