// Runs an import: first a dry run over every row, then the import itself; with counts, rejected rows and progress.
import type { Contacts } from '@roster/client/parts';
import {
  type ImportCounts,
  ImportRun,
  noCounts,
  RejectedRows,
  type Rejection,
  type RowRules,
  spanOf,
} from '@roster/contact-files';
import Papa from 'papaparse';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type CsvFile, CsvFileError } from './csv-file.ts';
import { withPauses } from './with-pauses.ts';

/** All of them are in the file of rejected rows. */
const problemsShown = 50;
const progressPauseMs = 80;

export type ImportRules = Pick<RowRules, 'mapping' | 'values' | 'addedTags' | 'empty'>;

export interface ImportState {
  kind: 'checking' | 'checked' | 'importing' | 'imported' | 'failed';
  counts: Readonly<ImportCounts>;
  /** The first rejected rows. */
  problems: readonly Rejection[];
  /** The progress, from 0 to 1. */
  share: number;
  isStopped: boolean;
  error?: unknown;
  refused?: Blob;
}

const start: ImportState = { kind: 'checking', counts: noCounts, problems: [], share: 0, isStopped: false };

/** Starts a dry run whenever the rules change; `begin` starts the import. Without rules, it waits for them. */
export function useImport(file: CsvFile, rules: ImportRules | undefined, contacts: Contacts) {
  const [state, setState] = useState<ImportState>(start);
  const stop = useRef(() => {});

  const run = useCallback(
    async (target: Contacts | undefined) => {
      if (rules === undefined) return;
      stop.current();
      let isStopped = false;
      /** A dry run that another one replaces must not change the state any more. */
      let isAbandoned = false;
      stop.current = () => {
        isStopped = true;
        // An import that is stopped still counts its requests in flight, so that the summary is correct.
        isAbandoned = target === undefined;
      };
      const problems: Rejection[] = [];
      const parts: Blob[] = [];
      let readBytes = 0;
      let reportedAtMs = 0;
      const report = (kind: ImportState['kind'], more: Partial<ImportState> = {}) => {
        if (isAbandoned) return;
        const share = file.sizeBytes === 0 ? 1 : readBytes / file.sizeBytes;
        setState({ kind, counts: { ...importRun.counts }, problems: [...problems], share, isStopped, ...more });
      };
      const busy = target === undefined ? 'checking' : 'importing';
      const rowRules: RowRules = { ...rules, columns: spanOf(file.header), isGuarded: true };
      const importRun = new ImportRun({
        rows: withPauses(
          file.rows((bytes) => {
            readBytes = bytes;
          }),
        ),
        rules: rowRules,
        contacts: target,
        rejected: new RejectedRows({
          header: file.header,
          unit: 'line',
          rules: rowRules,
          isGuarded: true,
          write: (rows) => parts.push(new Blob([`${Papa.unparse(rows, { newline: '\r\n' })}\r\n`])),
        }),
        onRejection(rejection) {
          if (problems.length < problemsShown) problems.push(rejection);
        },
        onProgress() {
          if (performance.now() - reportedAtMs < progressPauseMs) return;
          reportedAtMs = performance.now();
          report(busy);
        },
        isStopped: () => isStopped,
      });
      report(busy);
      const refused = () => new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' });
      try {
        await importRun.run();
        report(target === undefined ? 'checked' : 'imported', { share: 1, isStopped, refused: refused() });
      } catch (error) {
        report('failed', { error, refused: refused() });
        if (!(error instanceof CsvFileError)) throw error;
      }
    },
    [file, rules],
  );

  useEffect(() => {
    setState(start);
    if (rules !== undefined && rules.mapping.email.length > 0) run(undefined).catch(() => {});
    return () => stop.current();
  }, [run, rules]);

  return { state, begin: () => run(contacts), stop: () => stop.current() };
}
