// Writes contacts as CSV, a page at a time. Loaded on the first export.
import type { ContactInclude } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import { type ExportedValues, exportedCells, exportedTitles } from '@roster/contact-files';
import type { IncludingContact } from '@roster/contract';
import Papa from 'papaparse';
import { openDownload } from '../download.ts';
import { type Chosen, countChosen } from './bulk.ts';

const contactsPerWrite = 1000;
const lineEnd = '\r\n';

interface Export {
  contacts: Contacts;
  chosen: Chosen;
  values: ExportedValues;
  fileName: string;
  signal: AbortSignal;
  onProgress(progress: { written: number; total: number }): void;
}

/** 'undone' when the user has closed the file dialog. */
export async function exportContacts(given: Export): Promise<'done' | 'undone'> {
  const { chosen, values, fileName, onProgress } = given;
  // First of all, because browsers show the file dialog only right after a click.
  const download = await openDownload(fileName, 'text/csv;charset=utf-8');
  if (download === undefined) return 'undone';
  try {
    let written = 0;
    let gathered: IncludingContact[] = [];
    const flush = async () => {
      if (gathered.length > 0) await download.write(lines(gathered.map((contact) => exportedCells(contact, values))));
      written += gathered.length;
      gathered = [];
      onProgress({ written, total: Math.max(countChosen(chosen), written) });
    };
    // Spreadsheets recognise UTF-8 by the byte order mark.
    await download.write(`\ufeff${lines([exportedTitles(values)])}`);
    for await (const contact of contactsToExport(given)) {
      if (gathered.push(contact) === contactsPerWrite) await flush();
    }
    await flush();
    await download.complete();
    return 'done';
  } catch (error) {
    await download.discard();
    throw error;
  }
}

async function* contactsToExport({ contacts, chosen, values, signal }: Export): AsyncGenerator<IncludingContact> {
  // Members may include more than the client's types know.
  const include = [
    ...(values.hasLastSeen ? ['lastSeenAt'] : []),
    ...(values.hasTags ? ['tags'] : []),
    ...(values.attributeKeys.length > 0 ? ['attributes'] : []),
  ] as ContactInclude[];
  if ('search' in chosen) {
    yield* contacts.exportAll({ ...chosen.search, include }, { signal });
    return;
  }
  // By the operation of an export too, so that it asks for the password and is in the audit log as one.
  for (const { id, email } of chosen.contacts) {
    for await (const contact of contacts.exportAll({ filter: { email }, include }, { signal })) {
      // Another member may have deleted it since the list was read, and another contact may have the email.
      if (contact.id === id) yield contact;
    }
  }
}

function lines(rows: string[][]): string {
  return `${Papa.unparse(rows, { newline: lineEnd })}${lineEnd}`;
}
