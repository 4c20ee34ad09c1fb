// The steps after a file is chosen: columns, dry run, and the start of the import.
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Attribute } from '@roster/client';
import { type AttributeDefinition, rejectedFileName, splitTags } from '@roster/contact-files';
import { limits } from '@roster/contract/limits';
import { useMemo, useState } from 'react';
import { Icon } from '../components/icons.tsx';
import { count, counted } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { saveBlob } from '../download.ts';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { useStartTask } from '../tasks/use-start-task.ts';
import { columnsToKeep, guessChoices, newAttribute, readChoices } from './column-choices.ts';
import { ColumnMapping } from './column-mapping.tsx';
import type { CsvFile } from './csv-file.ts';
import { FileFailure } from './file-failure.tsx';
import classes from './import.module.css';
import { ImportOutcome } from './import-outcome.tsx';
import { noProgress, runImport } from './run-import.ts';
import { useCheck } from './use-check.ts';
import { useSurvey } from './use-survey.ts';

const typingPauseMs = 300;

interface ImportStepsProps {
  botId: string;
  file: CsvFile;
  samples: readonly (readonly string[])[];
  /** Of the bot. */
  attributes: readonly Attribute[];
  onAnother(): void;
}

export function ImportSteps({ botId, file, samples, attributes, onAnother }: ImportStepsProps) {
  const { connection } = useSignedIn();
  const startTask = useStartTask(botId);
  const { header } = file;
  // Those that there were when the file was chosen.
  const [definitions] = useState(attributes);
  const [choices, setChoices] = useState(() => guessChoices(header, definitions));
  const [empty, setEmpty] = useState<'keep' | 'clear'>('keep');
  const [dropBadCells, setDropBadCells] = useState(false);
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
    return { mapping, values, empty, dropBadCells, addedTags: splitTags(typedTags) };
  }, [columns, empty, dropBadCells, typedTags]);
  const created = columns?.created;
  const known: AttributeDefinition[] = [...definitions, ...(created?.definitions ?? [])];
  const { state, progress, share, error } = useCheck(file, rules, known);
  const { counts, rejected } = progress;
  const isTooMany = (created?.definitions.length ?? 0) > 0 && known.length > limits.attributesPerBot;
  const hasEmail = choices.includes('email');
  const toKeep = columnsToKeep(header, choices);
  const start = () => {
    if (rules === undefined) return;
    const taskId = startTask({
      kind: 'import',
      title: file.name,
      progress: noProgress,
      async work(signal, report, contacts) {
        for (const { key, type, label } of created?.definitions ?? []) {
          await connection.attributesOf(botId).define(key, { type, label });
        }
        // The check has counted the rows.
        const onProgress = (now: typeof progress) => report(now, now.counts.rows / counts.rows);
        await runImport({ file, rules, definitions: known, contacts, signal, onProgress });
      },
    });
    navigate(linkTo(['tasks', taskId]));
  };
  return (
    <>
      <Panel
        title="1. Columns"
        lead={`${file.name}, ${file.description}. Contacts are matched by email: those that exist are updated.`}
        isFlush
        actions={
          <Button variant="default" size="xs" onClick={onAnother}>
            Choose another file
          </Button>
        }
      >
        <ColumnMapping
          header={header}
          samples={samples}
          choices={choices}
          definitions={definitions}
          created={created}
          onChange={setChoices}
        />
        <div className={classes.options}>
          {toKeep.length > 0 && (
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
              New attributes are created with the import. We guess the type, and it can’t be changed later. To choose
              it, create the attribute first under <a href={linkTo(['bots', botId, 'attributes'])}>Attributes</a>.
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
            onChange={(event) => setTags(event.currentTarget.value)}
          />
          <Checkbox
            label="Empty cells clear existing values"
            description="Otherwise, existing values stay. Names are never cleared."
            checked={empty === 'clear'}
            onChange={(event) => setEmpty(event.currentTarget.checked ? 'clear' : 'keep')}
          />
          <Checkbox
            label="Leave out invalid cells"
            description="Their rows are imported without them, instead of being rejected. Names and emails must be valid."
            checked={dropBadCells}
            onChange={(event) => setDropBadCells(event.currentTarget.checked)}
          />
        </div>
      </Panel>
      <Panel title="2. Check and import">
        {hasEmail ? (
          <ImportOutcome progress={progress} share={state === 'checking' ? share : undefined} isCheck />
        ) : (
          <p className={classes.note}>Choose the column with the email.</p>
        )}
        {isTooMany && (
          <p role="alert">
            A bot has at most {limits.attributesPerBot} attributes, and this import would make it {known.length}. Skip
            some columns.
          </p>
        )}
        {error !== undefined && <FileFailure error={error} />}
        <div className={classes.actions}>
          {state === 'checked' && hasEmail && (
            <Button onClick={start} disabled={counts.imported === 0 || isTooMany || tags !== typedTags}>
              Import {counted(counts.imported - counts.merged, 'contact')}
            </Button>
          )}
          {rejected && (
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => saveBlob(rejectedFileName(file.name), rejected)}
            >
              Rejected rows as CSV
            </Button>
          )}
        </div>
      </Panel>
    </>
  );
}
