// The steps after a file is chosen: columns, dry run, import and summary.
import { Button, Checkbox, Progress } from '@mantine/core';
import type { Contacts } from '@roster/client/parts';
import { guessColumns, rejectedFileName } from '@roster/contact-files';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../api/queries.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { Icon } from '../components/icons.tsx';
import { count, counted } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { saveBlob } from '../download.ts';
import { linkTo } from '../router.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { type CsvFile, CsvFileError } from './csv-file.ts';
import classes from './import.module.css';
import { ProblemList } from './problem-list.tsx';
import { type ImportState, useImport } from './use-import.ts';

interface ImportStepsProps {
  botId: string;
  file: CsvFile;
  samples: readonly (readonly string[])[];
  contacts: Contacts;
  onAnother(): void;
}

export function ImportSteps({ botId, file, samples, contacts, onAnother }: ImportStepsProps) {
  const queries = useQueryClient();
  const [rules, setRules] = useState(() => ({ mapping: guessColumns(file.header), empty: 'keep' as 'keep' | 'clear' }));
  const { state, begin, stop } = useImport(file, rules, contacts);
  const [error, setError] = useState<unknown>();
  const hasEmail = rules.mapping.email.length > 0;
  const isFixed = state.kind !== 'checking' && state.kind !== 'checked';
  const write = async () => {
    try {
      await begin();
    } catch (thrown) {
      setError(thrown);
    } finally {
      queries.invalidateQueries({ queryKey: keys.contacts(botId) });
      queries.invalidateQueries({ queryKey: keys.bots });
    }
  };
  return (
    <>
      <Panel
        title="1. Columns"
        lead={`${file.name}, ${file.description}. Contacts are matched by email: those that exist are updated.`}
        isFlush
        actions={
          !isFixed && (
            <Button variant="default" size="xs" onClick={onAnother}>
              Choose another file
            </Button>
          )
        }
      >
        <ColumnMapping
          header={file.header}
          samples={samples}
          mapping={rules.mapping}
          isDisabled={isFixed}
          onChange={(mapping) => setRules({ ...rules, mapping })}
        />
        <div className={classes.options}>
          <Checkbox
            label="Empty cells clear existing values"
            description="Otherwise, existing values stay. Names are never cleared."
            checked={rules.empty === 'clear'}
            disabled={isFixed}
            onChange={(event) => setRules({ ...rules, empty: event.currentTarget.checked ? 'clear' : 'keep' })}
          />
        </div>
      </Panel>
      <Panel title="2. Check and import">
        {hasEmail ? <Outcome state={state} /> : <p className={classes.note}>Choose the column with the email.</p>}
        {error !== undefined && <FailureNote error={error} />}
        {state.error instanceof CsvFileError && <p role="alert">{state.error.message}</p>}
        <div className={classes.actions}>
          {state.kind === 'checked' && hasEmail && (
            <Button onClick={write} disabled={state.counts.imported === 0}>
              Import {counted(state.counts.imported - state.counts.merged, 'contact')}
            </Button>
          )}
          {state.kind === 'importing' && (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          )}
          {isFixed && state.kind !== 'importing' && (
            <>
              <Button component="a" href={linkTo(['bots', botId, 'contacts'])}>
                View contacts
              </Button>
              <Button variant="default" onClick={onAnother}>
                Choose another file
              </Button>
            </>
          )}
          {state.refused !== undefined && state.counts.rejected > 0 && (
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => saveBlob(rejectedFileName(file.name), state.refused as Blob)}
            >
              Rejected rows as CSV
            </Button>
          )}
        </div>
      </Panel>
    </>
  );
}

function Outcome({ state }: { state: ImportState }) {
  const { counts, problems, kind, share } = state;
  const isBusy = kind === 'checking' || kind === 'importing';
  const hasWritten = kind === 'importing' || kind === 'imported' || kind === 'failed';
  const entries = [
    ['rows', counts.rows],
    [hasWritten ? 'imported' : 'ready', counts.imported],
    ['refused', counts.rejected],
    ...(counts.blank > 0 ? [['blank', counts.blank] as const] : []),
  ] as const;
  return (
    <>
      {isBusy && (
        <Progress
          className={classes.progress ?? ''}
          value={share * 100}
          aria-label={kind === 'checking' ? 'Checked so far' : 'Imported so far'}
        />
      )}
      <div role={isBusy ? undefined : 'status'}>
        <dl className={classes.counts}>
          {entries.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd className={label === 'refused' && value > 0 ? classes.bad : undefined}>{count(value)}</dd>
            </div>
          ))}
        </dl>
      </div>
      {kind === 'checked' && counts.nameless > 0 && (
        <p className={classes.note}>
          {counted(counts.nameless, 'row')} without a name: each is imported only if a contact already has its email.
        </p>
      )}
      {hasWritten && counts.imported > 0 && (
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
      {state.isStopped && kind === 'imported' && (
        <p className={classes.note}>
          Stopped. What was imported stays. It’s safe to import the file again: no contact is added twice.
        </p>
      )}
      {kind === 'failed' && (
        <p className={classes.note}>What was imported before the failure stays. It’s safe to import the file again.</p>
      )}
      {problems.length > 0 && <ProblemList problems={problems} total={counts.rejected} />}
    </>
  );
}
