// Opens a file as rows: text first, then the format that is asked for, or that its name or its first bytes suggest.
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { type CsvOptions, openCsv } from './csv-rows.ts';
import { type JsonOptions, openJson, openNdjson } from './json-rows.ts';
import type { Format, RowSource } from './rows.ts';
import { openText, type TextSource } from './text-source.ts';

export interface OpenOptions extends CsvOptions {
  /** Read if the path is `-`. */
  stdin: Readable;
  format?: Format;
  encoding?: string;
  /** For JSON, whose columns are the members of its objects. */
  json?: JsonOptions;
}

const formatsByName: Record<string, Format> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

export async function openRows(
  path: string,
  { stdin, format, encoding, separator, header, json }: OpenOptions,
): Promise<{ text: TextSource; source: RowSource }> {
  const text = await openText(path, stdin, encoding);
  const chunks = text.chunks();
  const first = await chunks.next();
  const all = prepend(first.done ? '' : first.value, chunks);
  const chosen = format ?? formatsByName[extname(path).toLowerCase()] ?? formatByStart(first.done ? '' : first.value);
  const source =
    chosen === 'csv'
      ? await openCsv(text.name, all, { separator, header })
      : await (chosen === 'json' ? openJson : openNdjson)(text.name, all, json);
  return { text, source };
}

async function* prepend(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

function formatByStart(text: string): Format {
  const start = text.trimStart()[0];
  return start === '[' ? 'json' : start === '{' ? 'ndjson' : 'csv';
}
