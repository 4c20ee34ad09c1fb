// Writes contacts as CSV, a page at a time. Loaded on the first export.
import type { Contact } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import { exportedCells, exportedColumns } from '@roster/contact-files';
import Papa from 'papaparse';
import { openDownload } from '../download.ts';

const contactsPerWrite = 1000;
const lineEnd = '\r\n';

interface Export {
  contacts: Contacts;
  query: string;
  fileName: string;
  signal: AbortSignal;
  onProgress(progress: { written: number; total: number }): void;
}

/** 'undone' when the user has closed the file dialog. */
export async function exportContacts({
  contacts,
  query,
  fileName,
  signal,
  onProgress,
}: Export): Promise<'done' | 'undone'> {
  // First of all, because browsers show the file dialog only right after a click.
  const download = await openDownload(fileName, 'text/csv;charset=utf-8');
  if (download === undefined) return 'undone';
  try {
    const { pagination } = await contacts.search({ query, limit: 1 }, { signal });
    let written = 0;
    let gathered: Contact[] = [];
    const flush = async () => {
      if (gathered.length > 0) await download.write(lines(gathered.map((contact) => exportedCells(contact))));
      written += gathered.length;
      gathered = [];
      onProgress({ written, total: Math.max(pagination.total, written) });
    };
    // Spreadsheets recognise UTF-8 by the byte order mark.
    await download.write(`\ufeff${lines([[...exportedColumns]])}`);
    for await (const contact of contacts.exportAll({ query }, { signal })) {
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

function lines(rows: string[][]): string {
  return `${Papa.unparse(rows, { newline: lineEnd })}${lineEnd}`;
}
