// What an action on many contacts has done, and why some failed.
import { counted } from '../components/moment.tsx';
import { type BulkProgress, describeResult } from './bulk.ts';
import classes from './bulk-actions.module.css';

export function BulkOutcome({ progress }: { progress: BulkProgress }) {
  const failed = Object.entries(progress.result.failed);
  return (
    <div role="status" className={classes.text}>
      <p>{describeResult(progress)}</p>
      {failed.length > 0 && (
        <ul>
          {failed.map(([reason, times]) => (
            <li key={reason}>
              {counted(times, 'contact')}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
