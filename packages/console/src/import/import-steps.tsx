// The steps after a file is chosen: columns, dry run, import and summary.
import { Button, Checkbox, Progress, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Attribute } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import { type AttributeDefinition, rejectedFileName, splitTags } from '@roster/contact-files';
import { limits } from '@roster/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { keys } from '../api/queries.ts';
import { FailureNote } from '../components/failure-note.tsx';
import { Icon } from '../components/icons.tsx';
import { count, counted } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { saveBlob } from '../download.ts';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { columnsToKeep, guessChoices, newAttribute, readChoices } from './column-choices.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { type CsvFile, CsvFileError } from './csv-file.ts';
import classes from './import.module.css';
import { ProblemList } from './problem-list.tsx';
import { type ImportState, useImport } from './use-import.ts';
import { useSurvey } from './use-survey.ts';

const typingPauseMs = 300;

interface ImportStepsProps {
  botId: string;
  file: CsvFile;
  samples: readonly (readonly string[])[];
  contacts: Contacts;
  /** Of the bot. */
  attributes: readonly Attribute[];
  onAnother(): void;
}

export function ImportSteps({ botId, file, samples, contacts, attributes, onAnother }: ImportStepsProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const { header } = file;
  // Those that there were when the file was chosen: the import itself adds some.
  const [definitions] = useState(attributes);
  const [choices, setChoices] = useState(() => guessChoices(header, definitions));
  const [empty, setEmpty] = useState<'keep' | 'clear'>('keep');
  const [tags, setTags] = useState('');
  const [typedTags] = useDebouncedValue(tags, typingPauseMs);
  const hasNew = choices.includes(newAttribute);
  const survey = useSurvey(file, hasNew);
  const columns = useMemo(
    () => (hasNew && survey === undefined ? undefined : readChoices(header, choices, definitions, survey ?? [])),
    [header, choices, definitions, hasNew, survey],
  );
  const rules = useMemo(() => {
    if (columns === undefined) return undefined;
    const { mapping, values } = columns;
    return { mapping, values, empty, addedTags: splitTags(typedTags) };
  }, [columns, empty, typedTags]);
  const { state, begin, stop } = useImport(file, rules, contacts);
  const [error, setError] = useState<unknown>();
  const created = columns?.created;
  const known: AttributeDefinition[] = [...definitions, ...(created?.definitions ?? [])];
  const isTooMany = (created?.definitions.length ?? 0) > 0 && known.length > limits.attributesPerBot;
  const hasEmail = choices.includes('email');
  const isFixed = state.kind !== 'checking' && state.kind !== 'checked';
  const toKeep = columnsToKeep(header, choices);
  const write = async () => {
    setError(undefined);
    try {
      for (const { key, type, label } of created?.definitions ?? []) {
        await connection.attributesOf(botId).define(key, { type, label });
      }
      await begin();
    } catch (thrown) {
      setError(thrown);
    } finally {
      for (const queryKey of [keys.contacts(botId), keys.attributes(botId), keys.tags(botId), keys.bots]) {
        queries.invalidateQueries({ queryKey });
      }
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
          header={header}
          samples={samples}
          choices={choices}
          definitions={definitions}
          created={created}
          isDisabled={isFixed}
          onChange={setChoices}
        />
        <div className={classes.options}>
          {!isFixed && toKeep.length > 0 && (
            <Button
              variant="default"
              size="xs"
              onClick={() => setChoices(choices.map((each, at) => (toKeep.includes(at) ? newAttribute : each)))}
            >
              Keep skipped columns as attributes
            </Button>
          )}
          {hasNew && (
            <p className={classes.note}>
              New attributes are created with the import. The type is a guess from all values, and can’t be changed
              later. For another one, first create the attribute under{' '}
              <a href={linkTo(['bots', botId, 'attributes'])}>Attributes</a>.
            </p>
          )}
          {created?.tooLong.map(({ key, count: times }) => (
            <p key={key} className={classes.note}>
              {counted(times, 'value')} of {key} {times === 1 ? 'is' : 'are'} longer than{' '}
              {count(limits.attributeTextLength)} characters. {times === 1 ? 'Its row is' : 'Their rows are'} rejected,
              unless you skip the column.
            </p>
          ))}
          <TextInput
            className={classes.tag ?? ''}
            label="Add a tag to every contact"
            description="Tags in a column are separated by semicolons or commas."
            autoComplete="off"
            value={tags}
            disabled={isFixed}
            onChange={(event) => setTags(event.currentTarget.value)}
          />
          <Checkbox
            label="Empty cells clear existing values"
            description="Otherwise, existing values stay. Names are never cleared."
            checked={empty === 'clear'}
            disabled={isFixed}
            onChange={(event) => setEmpty(event.currentTarget.checked ? 'clear' : 'keep')}
          />
        </div>
      </Panel>
      <Panel title="2. Check and import">
        {hasEmail ? (
          <Outcome state={state} definitions={known} />
        ) : (
          <p className={classes.note}>Choose the column with the email.</p>
        )}
        {isTooMany && (
          <p role="alert">
            A bot has at most {limits.attributesPerBot} attributes, and this import would make it {known.length}. Skip
            some columns.
          </p>
        )}
        {error !== undefined && <FailureNote error={error} />}
        {state.error instanceof CsvFileError && <p role="alert">{state.error.message}</p>}
        <div className={classes.actions}>
          {state.kind === 'checked' && hasEmail && (
            <Button onClick={write} disabled={state.counts.imported === 0 || isTooMany || tags !== typedTags}>
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

function Outcome({ state, definitions }: { state: ImportState; definitions: readonly AttributeDefinition[] }) {
  const { counts, problems, kind, share } = state;
  const isBusy = kind === 'checking' || kind === 'importing';
  const hasWritten = kind === 'importing' || kind === 'imported' || kind === 'failed';
  const entries = [
    ['rows', counts.rows],
    [hasWritten ? 'imported' : 'ready', counts.imported],
    ['rejected', counts.rejected],
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
              <dd className={label === 'rejected' && value > 0 ? classes.bad : undefined}>{count(value)}</dd>
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
      {problems.length > 0 && <ProblemList problems={problems} total={counts.rejected} definitions={definitions} />}
    </>
  );
}
