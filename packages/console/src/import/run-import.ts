// Checks or imports the rows of a file, and counts each; the rejected ones can be had as a file.
import type { Contacts } from '@roster/client/parts';
import {
  type AttributeDefinition,
  type ImportCounts,
  ImportRun,
  noCounts,
  RejectedRows,
  type Rejection,
  type RowRules,
  spanOf,
} from '@roster/contact-files';
import Papa from 'papaparse';
import { labelOf } from './column-choices.ts';
import type { CsvFile } from './csv-file.ts';
import { withPauses } from './with-pauses.ts';

/** All of them are in the file of rejected rows. */
const problemsShown = 50;
const progressPauseMs = 80;

export type ImportRules = Pick<RowRules, 'mapping' | 'values' | 'addedTags' | 'empty'>;

/** One fault of a rejected row. */
export interface Problem {
  line: number;
  /** The label of the field. */
  field: string;
  reason: string;
}

export interface ImportProgress {
  kind: 'import';
  counts: Readonly<ImportCounts>;
  /** Those of the first rejected rows. */
  problems: readonly Problem[];
  /** When it has ended and rows were rejected. */
  rejected?: Blob;
}

export const noProgress: ImportProgress = { kind: 'import', counts: noCounts, problems: [] };

interface ImportRunning {
  file: CsvFile;
  rules: ImportRules;
  definitions: readonly AttributeDefinition[];
  /** Undefined for a dry run. */
  contacts: Contacts | undefined;
  signal: AbortSignal;
  onProgress(progress: ImportProgress, readBytes: number): void;
}

/** When it rejects, the last progress is still correct. */
export async function runImport(options: ImportRunning): Promise<void> {
  const { file, rules, definitions, contacts, signal, onProgress } = options;
  const problems: Problem[] = [];
  const parts: Blob[] = [];
  let readBytes = 0;
  let reportedAtMs = 0;
  let faulty = 0;
  const rowRules: RowRules = { ...rules, columns: spanOf(file.header), isGuarded: true };
  const note = ({ row, faults }: Rejection) => {
    if (faulty++ >= problemsShown) return;
    for (const { field, message } of faults) {
      problems.push({
        line: row.line,
        field: field === undefined ? 'row' : labelOf(field, definitions),
        reason: message,
      });
    }
  };
  const run = new ImportRun({
    rows: withPauses(
      file.rows((bytes) => {
        readBytes = bytes;
      }),
    ),
    rules: rowRules,
    contacts,
    rejected: new RejectedRows({
      header: file.header,
      unit: 'line',
      rules: rowRules,
      isGuarded: true,
      write: (rows) => parts.push(new Blob([`${Papa.unparse(rows, { newline: '\r\n' })}\r\n`])),
    }),
    onRejection: note,
    onProgress() {
      if (performance.now() - reportedAtMs < progressPauseMs) return;
      reportedAtMs = performance.now();
      report();
    },
    isStopped: () => signal.aborted,
  });
  const report = (more: Partial<ImportProgress> = {}) =>
    onProgress({ kind: 'import', counts: { ...run.counts }, problems: [...problems], ...more }, readBytes);
  try {
    await run.run();
  } finally {
    const rejected = new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' });
    report(run.counts.rejected > 0 ? { rejected } : {});
  }
}
