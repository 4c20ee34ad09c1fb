// An error next to what failed: what happened, what to do, and the id of the request in the server's log.
import { Alert, Button } from '@mantine/core';
import { describeFailure } from '../api/failure.ts';
import classes from './failure-note.module.css';
import { Icon } from './icons.tsx';

interface FailureNoteProps {
  error: unknown;
  onRetry?: () => void;
  /** In a form, the fields show their own errors. */
  isAboveFields?: boolean;
}

export function FailureNote({ error, onRetry, isAboveFields = false }: FailureNoteProps) {
  const { title, text, requestId, fields } = describeFailure(error);
  const faults = Object.entries(fields);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={title}
      icon={<Icon name="warning" />}
      className={classes.note}
    >
      {faults.length === 0 && text}
      {faults.length > 0 && !isAboveFields && (
        <ul className={classes.faults}>
          {faults.map(([field, message]) => (
            <li key={field}>
              <strong>{field}</strong>: {message}
            </li>
          ))}
        </ul>
      )}
      {requestId && <div className={classes.request}>Request {requestId}</div>}
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
