// Describes an error to the user: what happened and what to do next; for a failure of the server also the id of the
// request, by which its log shows the cause.
import { AbortError, ApiError, ConnectionError } from '@roster/client/parts';
import type { ErrorCode } from '@roster/contract';

export interface Failure {
  title: string;
  /** What happened, and what to do. */
  text: string;
  /** Only of unexpected failures: what the user can put right needs no look into the log. */
  requestId: string | undefined;
  /** By the field's name. That of a list's entry is like `allowedOrigins.0`. */
  fields: Readonly<Record<string, string>>;
  canRetry: boolean;
}

/** Titles and advice that the server's message does not contain. */
const hints: Partial<Record<ErrorCode, { title: string; text?: string }>> = {
  unauthorized: { title: 'Your session has ended', text: 'Sign in again to continue.' },
  forbidden: {
    title: 'You don’t have permission to do this',
    text: 'Ask an owner of the organization, or reload the page.',
  },
  password_required: { title: 'Confirm your password', text: 'Try again, and enter your password when asked.' },
  not_found: { title: 'Not found' },
  last_owner: { title: 'An organization needs an owner', text: 'Make another member an owner first.' },
  member_exists: { title: 'This person is already a member' },
  email_taken: { title: 'This email is taken' },
  limit_reached: { title: 'Limit reached' },
  precondition_failed: { title: 'Changed meanwhile', text: 'Somebody else changed this contact. Try again.' },
  rate_limited: { title: 'Too many attempts' },
  unavailable: { title: 'The server is busy or restarting', text: 'Nothing was lost. Try again in a moment.' },
  internal: {
    title: 'Something went wrong on the server',
    text: 'Try again. If it keeps happening, send the request number to your server admin. The log has the details.',
  },
};

export function describeFailure(error: unknown): Failure {
  const failure: Failure = {
    title: 'Something went wrong',
    text: 'Reload the page and try again.',
    requestId: undefined,
    fields: {},
    canRetry: true,
  };
  if (error instanceof AbortError) return { ...failure, title: 'Canceled', text: 'Nothing more was sent.' };
  if (error instanceof ConnectionError) {
    return {
      ...failure,
      title: 'Can’t reach the server',
      text: error.isOutcomeUnknown
        ? 'Check your connection. This may or may not have gone through: check before you try again.'
        : 'Check your connection, then try again.',
    };
  }
  if (!(error instanceof ApiError)) return failure;
  const { code, requestId, status } = error;
  const detail = error.error?.detail;
  const faults = error.error?.errors ?? [];
  const hint = namesRemedy(error) ? { title: 'The server can’t do this now', text: detail } : hints[code as ErrorCode];
  const fields = Object.fromEntries(faults.map(({ field, message }) => [field, sentence(field, message)]));
  if (code === 'email_taken') fields['email'] = 'Another contact has this email.';
  // It says in a few words what is wrong, and there is nothing to add.
  if (code === 'sign_in_failed' && detail !== undefined) {
    return { ...failure, title: detail.replace(/\.$/, ''), text: 'Try again.', canRetry: false };
  }
  return {
    title: hint?.title ?? (faults.length > 0 ? 'Fix the highlighted fields' : failure.title),
    text: error.isOutcomeUnknown
      ? 'This may or may not have gone through: check before you try again.'
      : (hint?.text ?? detail ?? failure.text),
    requestId: status >= 500 ? requestId : undefined,
    fields,
    canRetry: status >= 500 || status === 429,
  };
}

/** A full disk or a damaged database, where trying again is in vain until whoever runs the server has done something. */
function namesRemedy({ code, error }: ApiError): boolean {
  return code === 'unavailable' && error?.detail?.startsWith('The service is unavailable:') === false;
}

/** What to enter into a field that is empty. */
const wanted: Record<string, string> = {
  name: 'Enter a name.',
  label: 'Enter a name.',
  email: 'Enter an email.',
  password: 'Enter a password.',
  organizationName: 'Enter a name.',
  url: 'Enter a URL.',
};

/** The contract's messages follow a field's name: "must be a number". */
function sentence(field: string, message: string): string {
  const [, choice] = /^must name at least one (\w+)$/.exec(message) ?? [];
  if (choice !== undefined) return `Choose at least one ${choice}.`;
  if (/^(?:must not be empty|is required)$/.test(message)) return wanted[field] ?? 'Fill in this field.';
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** The password must be confirmed first: the server has done nothing yet. */
export function isPasswordRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'password_required';
}

/** Can’t reach the server, or is restarting: the same request may succeed in a moment. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.status === 503);
}

/** Somebody else changed the contact after it was read. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'precondition_failed';
}

/** The session is over: signed out, expired, or the member was removed. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unauthorized';
}
