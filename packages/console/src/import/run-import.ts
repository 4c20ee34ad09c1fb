// Checks or imports the rows of a file, and counts each; the rejected ones can be had as a file.
import type { Contacts } from '@roster/client/parts';
import {
  type AttributeDefinition,
  type FaultGroup,
  FaultGroups,
  type ImportCounts,
  ImportRun,
  noCounts,
  RejectedRows,
  type RowRules,
  spanOf,
} from '@roster/contact-files';
import Papa from 'papaparse';
import { labelOf } from './column-choices.ts';
import type { CsvFile } from './csv-file.ts';
import { withPauses } from './with-pauses.ts';

const progressPauseMs = 80;

export type ImportRules = Pick<RowRules, 'mapping' | 'values' | 'addedTags' | 'empty' | 'dropBadCells'>;

export interface ImportProgress {
  kind: 'import';
  counts: Readonly<ImportCounts>;
  /** What is wrong with the rejected rows, and with the cells that were left out. Each field is the label of one. */
  problems: readonly FaultGroup[];
  dropped: readonly FaultGroup[];
  /** When it has ended and rows were rejected. */
  rejected?: Blob;
}

export const noProgress: ImportProgress = { kind: 'import', counts: noCounts, problems: [], dropped: [] };

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
  const parts: Blob[] = [];
  let readBytes = 0;
  let reportedAtMs = 0;
  const rowRules: RowRules = { ...rules, columns: spanOf(file.header), isGuarded: true };
  const problems = new FaultGroups(rowRules);
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
    onRejection: ({ row, faults }) => problems.note(row, faults),
    onProgress() {
      if (performance.now() - reportedAtMs < progressPauseMs) return;
      reportedAtMs = performance.now();
      report();
    },
    isStopped: () => signal.aborted,
  });
  const labeled = ({ all }: FaultGroups) =>
    all.map((group) => (group.field === undefined ? group : { ...group, field: labelOf(group.field, definitions) }));
  const report = (more: Partial<ImportProgress> = {}) => {
    const counts = { ...run.counts };
    onProgress(
      { kind: 'import', counts, problems: labeled(problems), dropped: labeled(run.dropped), ...more },
      readBytes,
    );
  };
  try {
    await run.run();
  } finally {
    const rejected = new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' });
    report(run.counts.rejected > 0 ? { rejected } : {});
  }
}
