// What a receiver responded, or why there is no response.
import type { Delivery } from '@roster/client';
import classes from './webhooks.module.css';

export function ReceiverResponse({ of: { error, response } }: { of: Pick<Delivery, 'error' | 'response'> }) {
  return (
    <>
      {error !== null && (
        <div className={classes.outcome}>
          <h3>Error</h3>
          {error}
        </div>
      )}
      {response !== null && response !== '' && (
        <div className={classes.outcome}>
          <h3>Response</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by the keyboard too. */}
          {/* biome-ignore lint/a11y/useSemanticElements: nothing here is filled in. */}
          <pre className={classes.response} tabIndex={0} role="group" aria-label="Response of the receiver">
            {response}
          </pre>
        </div>
      )}
    </>
  );
}
