// A file of contacts, read, mapped and judged as the command line and the console do before they send it.
import { guessColumns, type Row, type RowRules, spanOf, validateRow } from '@roster/contact-files';
import { type Contact, contactFields, operations } from '@roster/contract';
import { headOf, linesOf } from '../../../cli/src/export/contact-lines.ts';
import { CliError } from '../../../cli/src/failure.ts';
import { openCsv } from '../../../cli/src/import/csv-rows.ts';
import type { RequestPlan } from './plans.ts';

export interface ReadContacts {
  contacts: Record<string, unknown>[];
  faults: string[];
}

/** The console's sources are type-checked with a browser's types, so its reader is described here. */
const consoleReader = '../../../console/src/import/csv-file.ts';
interface ConsoleReader {
  openCsvFile(file: File): Promise<{ header: string[]; rows(): AsyncGenerator<Row> }>;
  CsvFileError: new () => Error;
}

/** The rows that may be sent. A file that cannot be read has none, if that is said in a sentence for its user. */
export async function readContacts(text: string): Promise<ReadContacts> {
  const faults: string[] = [];
  const { openCsvFile, CsvFileError } = (await import(consoleReader)) as ConsoleReader;
  const byCommandLine = await attempt(CliError, () => readByCommandLine(text), faults);
  const byConsole = await attempt(
    CsvFileError,
    async () => {
      const { header, rows } = await openCsvFile(new File([text], 'fuzz.csv'));
      return validRows(header, rows());
    },
    faults,
  );
  // What an export writes, an import reads as it was.
  const stored = byCommandLine.map(asStored);
  const again = await attempt(CliError, () => readByCommandLine(asFile(stored)), faults);
  const isSame = JSON.stringify(again.map(asStored)) === JSON.stringify(stored);
  if (!isSame) faults.push(`an export is read differently: ${JSON.stringify(stored)} as ${JSON.stringify(again)}`);
  return { contacts: [...byCommandLine, ...byConsole], faults };
}

type Contacts = Record<string, unknown>[];

async function attempt(
  forUsers: new (...args: never[]) => Error,
  readFile: () => Promise<Contacts>,
  faults: string[],
): Promise<Contacts> {
  try {
    return await readFile();
  } catch (error) {
    if (!(error instanceof forUsers)) faults.push(`the file is not read: ${(error as Error).stack}`);
    return [];
  }
}

async function readByCommandLine(text: string): Promise<Contacts> {
  const { header, rows } = await openCsv('fuzz.csv', inPieces(text));
  return validRows(header, rows);
}

async function validRows(header: string[], rows: AsyncIterable<Row>): Promise<Contacts> {
  const rules: RowRules = { mapping: guessColumns(header), columns: spanOf(header), empty: 'keep', isGuarded: true };
  const contacts: Contacts = [];
  for await (const row of rows) {
    const validation = validateRow(row, rules);
    if (validation.kind === 'valid') contacts.push({ ...validation.contact });
  }
  return contacts;
}

async function* inPieces(text: string): AsyncGenerator<string> {
  const bare = text.replace(/^\ufeff/, '').toWellFormed();
  yield bare.slice(0, 7);
  yield bare.slice(7);
}

const noTime = '2026-11-14T09:30:00.123Z';

function asStored(contact: Record<string, unknown>): Contact {
  const fields = contactFields.map((field) => [field, contact[field] ?? (field === 'name' ? 'Fuzz' : '')]);
  return { id: '', createdAt: noTime, updatedAt: noTime, ...Object.fromEntries(fields) } as Contact;
}

function asFile(contacts: readonly Contact[]): string {
  const options = { format: 'csv', separator: ',', isRaw: false, hasMark: false } as const;
  return headOf(options) + linesOf(contacts, options);
}

/** The server must take all of them: names are given, which only its data could make unnecessary. */
export function upsertOf(contacts: readonly Record<string, unknown>[]): RequestPlan {
  return {
    operation: operations.upsertContacts,
    method: operations.upsertContacts.method,
    target: operations.upsertContacts.path.replace('{botId}', '~botId.0~'),
    credential: 'own',
    kind: 'secret',
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify({ data: contacts.map((contact) => ({ name: 'Fuzz', ...contact })) })),
    isChunked: false,
  };
}
