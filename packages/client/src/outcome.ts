// Turns the outcome of one try into the declared data of the operation, or into an error.
import { makeApiError } from './api-errors.ts';
import type { Problem } from './api-types.ts';
import { AbortError, ConnectionError, type RosterError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { Operation } from './operations.ts';
import { codeOf, reasonOf, redactCause } from './redaction.ts';
import { leavesOutcomeUnknown, readRetryAfter, wasNeverSent } from './retry-policy.ts';
import type { TryOutcome } from './try-once.ts';

export interface Answer<Body> {
  status: number;
  /** `null` where the contract has no body. */
  body: Body;
}

/** The context of a call, beside the outcome of its last try. */
export interface About {
  operation: Operation;
  /** Whether an earlier try may have been applied. Once unknown, it stays unknown, whatever later tries return. */
  isOutcomeUnknown: boolean;
  timeoutMs: number;
  origin: string;
  redact: (text: string) => string;
}

type Answered = Extract<TryOutcome, { kind: 'answered' }>;

export function readOutcome<Body>(outcome: TryOutcome, about: About): Answer<Body> | RosterError {
  switch (outcome.kind) {
    case 'answered':
      return outcome.status >= 400 ? readError(outcome, about) : readSuccess<Body>(outcome, about);
    case 'timed out':
      return new TimeoutError(`no answer within ${about.timeoutMs} ms`, detailsOf(about, true));
    case 'aborted':
      return new AbortError('aborted', { ...detailsOf(about, outcome.wasSent), cause: outcome.reason });
    case 'failed': {
      const code = codeOf(outcome.thrown);
      const cause = redactCause(outcome.thrown, about.redact);
      const why = code === undefined ? reasonOf(cause) : about.redact(code);
      const message = `no answer from ${about.origin}${why === undefined ? '' : ` (${why})`}`;
      return new ConnectionError(message, { ...detailsOf(about, !wasNeverSent(code)), cause });
    }
  }
}

function readSuccess<Body>({ status, headers, text }: Answered, about: About): Answer<Body> | RosterError {
  const { operation } = about;
  const unexpected = (what: string) => {
    const message = `${status}, but ${what}. Is baseUrl the address of a Roster server?`;
    // A redirect means that nothing was written.
    return new UnexpectedAnswerError(message, { ...detailsOf(about, status < 300), status });
  };
  if (status >= 300) return unexpected(`redirects are not followed${targetOf(headers)}`);
  if (status !== operation.success && status !== operation.changed)
    return unexpected(`success is ${operation.success}`);
  if (operation.success === 204) return { status, body: null as Body };
  const body = parseObject(text);
  const ignored = headers.get('roster-ignored');
  // A condition that was ignored would pass off contacts for those that the caller meant.
  if (operation.effect === 'read' && ignored !== null) {
    const message = `this server does not know ${about.redact(ignored)}: it is older than this client. Upgrade the server first`;
    return new UnexpectedAnswerError(message, { ...detailsOf(about, false), status });
  }
  return body !== undefined && 'data' in body
    ? { status, body: body as Body }
    : unexpected('the body is not what Roster sends');
}

function readError({ status, headers, text }: Answered, about: About): RosterError {
  const error = readProblem(about.redact(text));
  const requestId = headers.get('x-request-id');
  return makeApiError({
    ...detailsOf(about, leavesOutcomeUnknown(status, { code: error?.code, outcome: headers.get('roster-outcome') })),
    status,
    error,
    requestId: error?.requestId ?? (requestId === null ? undefined : about.redact(requestId)),
    retryAfterMs: readRetryAfter(headers.get('retry-after'), Date.now()),
  });
}

function detailsOf({ operation, isOutcomeUnknown }: About, mayBeApplied: boolean) {
  const isWrite = operation.effect !== 'read';
  return { operation: operation.id, isOutcomeUnknown: isOutcomeUnknown || (isWrite && mayBeApplied) };
}

/** Only the origin of the redirect: its path may contain a contact token. */
function targetOf(headers: Answered['headers']): string {
  const location = headers.get('location') ?? '';
  return URL.canParse(location) ? `, and this one leads to ${new URL(location).origin}` : '';
}

function readProblem(text: string): Problem | undefined {
  const body = parseObject(text);
  const isProblem =
    typeof body?.['status'] === 'number' &&
    ['title', 'code', 'detail', 'requestId'].every((member) => typeof body[member] === 'string');
  return isProblem ? (body as unknown as Problem) : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not JSON, so not from Roster. The caller turns that into an error.
    return undefined;
  }
}
