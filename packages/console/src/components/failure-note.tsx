// An error next to what failed: what happened, what to do, and after a failure of the server the id of the request.
import { Alert, Button } from '@mantine/core';
import { describeFailure } from '../api/failure.ts';
import classes from './failure-note.module.css';
import { Icon } from './icons.tsx';

interface FailureNoteProps {
  error: unknown;
  onRetry?: () => void;
  /** The fields of a form, which show their own errors. */
  fieldsBelow?: readonly string[];
}

export function FailureNote({ error, onRetry, fieldsBelow = [] }: FailureNoteProps) {
  const { title, text, requestId, fields, canRetry } = describeFailure(error);
  const faults = Object.entries(fields);
  const isBelow = (field: string) => fieldsBelow.some((name) => field === name || field.startsWith(`${name}.`));
  const faultsHere = faults.filter(([field]) => !isBelow(field));
  // No field of a form shows them: those of a filter in the page's address, for example.
  const isAllHere = faults.length > 0 && faultsHere.length === faults.length;
  const hasMore =
    faults.length === 0 || faultsHere.length > 0 || requestId !== undefined || (canRetry && onRetry !== undefined);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={isAllHere ? 'There’s a problem with this request' : title}
      icon={<Icon name="warning" />}
      className={classes.note}
    >
      {/* Without a body, the note has no room for one. */}
      {hasMore ? (
        <>
          {faults.length === 0 && <div>{text}</div>}
          {faultsHere.length > 0 && (
            <ul className={classes.faults}>
              {faultsHere.map(([field, message]) => (
                <li key={field}>
                  <strong>{field}</strong>: {message}
                </li>
              ))}
            </ul>
          )}
          {requestId && <div className={classes.request}>Request {requestId}</div>}
          {canRetry && onRetry && (
            <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
              Try again
            </Button>
          )}
        </>
      ) : null}
    </Alert>
  );
}
