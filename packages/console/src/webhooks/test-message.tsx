// How the receiver of a webhook responded to a test message.
import { Alert } from '@mantine/core';
import type { WebhookTest } from '@roster/client';
import { FailureNote } from '../components/failure-note.tsx';
import { Icon } from '../components/icons.tsx';
import { LoadingSkeleton } from '../components/loaded.tsx';
import { count } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { ReceiverResponse } from './receiver-response.tsx';
import classes from './webhooks.module.css';

interface TestMessageProps {
  test: { data: WebhookTest | undefined; error: Error | null; isPending: boolean };
}

export function TestMessage({ test: { data, error, isPending } }: TestMessageProps) {
  if (!isPending && data === undefined && error === null) return null;
  return (
    <Panel title="Test message" lead="It’s sent once, with the type webhook.test, and isn’t listed below.">
      {isPending && <LoadingSkeleton lines={1} />}
      {error !== null && <FailureNote error={error} />}
      {data && (
        <div role="status" className={classes.details}>
          <Alert
            variant="light"
            color={data.status === 'succeeded' ? 'pine' : 'red'}
            icon={<Icon name={data.status === 'succeeded' ? 'check' : 'warning'} />}
            title={data.status === 'succeeded' ? 'The receiver accepted it' : 'The receiver didn’t accept it'}
          >
            {data.statusCode === null
              ? `No response. Roster gave up after ${count(data.durationMs)} ms.`
              : `Status ${data.statusCode} after ${count(data.durationMs)} ms.`}
          </Alert>
          <ReceiverResponse of={data} />
        </div>
      )}
    </Panel>
  );
}
