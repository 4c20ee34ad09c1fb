// The import of a CSV: choosing the file, then its columns, a dry run and the import itself.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { attributesQuery } from '../api/queries.ts';
import { Loaded } from '../components/loaded.tsx';
import { Page, Panel } from '../components/page.tsx';
import { type CsvFile, openCsvFile } from '../import/csv-file.ts';
import { FileDrop } from '../import/file-drop.tsx';
import { FileFailure } from '../import/file-failure.tsx';
import { ImportSteps } from '../import/import-steps.tsx';
import { ViewerNote } from '../members/viewer-note.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';

const rowsSampled = 3;

interface Chosen {
  file: CsvFile;
  samples: string[][];
}

export default function ImportPage({ botId }: { botId: string }) {
  const { connection, canWrite } = useSignedIn();
  const attributes = useQuery(attributesQuery(connection, botId));
  const [chosen, setChosen] = useState<Chosen>();
  const open = useMutation({ mutationFn: readFile, onSuccess: setChosen });
  return (
    <Page
      title="Import contacts"
      lead="From a CSV file with a header row. You see what’s wrong with it before anything is imported."
      back={{ href: linkTo(['bots', botId, 'contacts']), label: 'Contacts' }}
    >
      {!canWrite ? (
        <Panel>
          <ViewerNote />
        </Panel>
      ) : chosen === undefined ? (
        <Panel>
          <FileDrop onFile={(file) => open.mutate(file)} />
          {open.error !== null && <FileFailure error={open.error} />}
        </Panel>
      ) : (
        <Loaded query={attributes}>
          {(known) => (
            <ImportSteps
              key={`${chosen.file.name} ${chosen.file.sizeBytes}`}
              botId={botId}
              attributes={known}
              {...chosen}
              onAnother={() => setChosen(undefined)}
            />
          )}
        </Loaded>
      )}
    </Page>
  );
}

async function readFile(file: File): Promise<Chosen> {
  const csv = await openCsvFile(file);
  const samples: string[][] = csv.header.map(() => []);
  let taken = 0;
  for await (const { cells } of csv.rows()) {
    for (const [column, values] of samples.entries()) values.push(String(cells[column] ?? ''));
    if (++taken === rowsSampled) break;
  }
  return { file: csv, samples };
}
