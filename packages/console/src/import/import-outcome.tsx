// What a check or an import has found and done so far: counts, and the rejected rows.
import { Progress } from '@mantine/core';
import { count, counted } from '../components/moment.tsx';
import classes from './import.module.css';
import { ProblemList } from './problem-list.tsx';
import type { ImportProgress } from './run-import.ts';

interface ImportOutcomeProps {
  progress: ImportProgress;
  /** Of what is not over yet. */
  share: number | undefined;
  /** Nothing is written. */
  isCheck?: boolean;
}

export function ImportOutcome({ progress: { counts, problems, dropped }, share, isCheck = false }: ImportOutcomeProps) {
  const entries = [
    ['rows', counts.rows],
    [isCheck ? 'ready' : 'imported', counts.imported],
    ['rejected', counts.rejected],
    ...(counts.blank > 0 ? [['blank', counts.blank] as const] : []),
  ] as const;
  return (
    <>
      {share !== undefined && (
        <Progress
          className={classes.progress ?? ''}
          value={share * 100}
          aria-label={isCheck ? 'Checked so far' : 'Imported so far'}
        />
      )}
      <div role={share === undefined ? 'status' : undefined}>
        <dl className={classes.counts}>
          {entries.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className={label === 'rejected' && value > 0 ? classes.bad : undefined}>{count(value)}</dd>
            </div>
          ))}
        </dl>
      </div>
      {isCheck && share === undefined && counts.nameless > 0 && (
        <p className={classes.note}>
          {counted(counts.nameless, 'row')} without a name: each is imported only if a contact already has its email.
        </p>
      )}
      {!isCheck && counts.imported > 0 && (
        <p className={classes.note}>
          {count(counts.created)} created, {count(counts.updated)} updated, {count(counts.unchanged)} unchanged.
        </p>
      )}
      {counts.merged > 0 && (
        <p className={classes.note}>
          {counted(counts.merged, 'row is', 'rows are')} merged with an earlier row that has the same email. Later
          values win.
        </p>
      )}
      {problems.length > 0 && <ProblemList label="Rejected rows" groups={problems} />}
      {dropped.length > 0 && <ProblemList label="Cells left out" groups={dropped} />}
    </>
  );
}
