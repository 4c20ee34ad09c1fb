// Writes contacts as CSV, a page at a time. Loaded on the first export.
import type { Contacts } from '@roster/client/parts';
import { type ExportedValues, exportedCells, exportedTitles } from '@roster/contact-files';
import type { IncludingContact } from '@roster/contract';
import Papa from 'papaparse';
import { isNotFound } from '../api/failure.ts';
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
  const include = [
    ...(values.hasTags ? (['tags'] as const) : []),
    ...(values.attributeKeys.length > 0 ? (['attributes'] as const) : []),
  ];
  if ('search' in chosen) {
    yield* contacts.exportAll({ ...chosen.search, include }, { signal });
    return;
  }
  for (const { id } of chosen.contacts) {
    try {
      yield (await contacts.retrieve(id, { include, signal })).data;
    } catch (error) {
      // Another member has deleted it since the list was read.
      if (!isNotFound(error)) throw error;
    }
  }
}

function lines(rows: string[][]): string {
  return `${Papa.unparse(rows, { newline: lineEnd })}${lineEnd}`;
}
