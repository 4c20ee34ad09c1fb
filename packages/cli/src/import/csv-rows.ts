// CSV as rows: finds the separator, and reads on where a strict parser would give up, unless rows can no longer be told
// apart.
import { Readable } from 'node:stream';
import {
  columnTitle,
  guessSeparator,
  headerFault,
  lineCountOf,
  type Row,
  rowSizeMax,
  type Separator,
  separatorLine,
  separators,
  spanOf,
  withLineFeeds,
} from '@roster/contact-files';
import { CsvError, parse } from 'csv-parse';
import { failure, usageError } from '../failure.ts';
import type { RowSource } from './rows.ts';

export interface CsvOptions {
  /** Left out: as the file declares it, or as its header suggests. */
  separator?: string | undefined;
  /** False: the first row is a contact. */
  header?: boolean | undefined;
}

export async function openCsv(
  name: string,
  text: AsyncGenerator<string>,
  { separator: wanted, header: hasHeader = true }: CsvOptions = {},
): Promise<RowSource> {
  const lines = withLineFeeds(text);
  const start = await firstLine(name, lines);
  const declared = separatorLine.exec(start);
  const separator = wanted ?? declared?.[1] ?? guessSeparator(start);
  const rows = parseRows(
    name,
    resume(start.slice(declared?.[0].length ?? 0), lines),
    separator,
    declared === null ? 0 : 1,
  );
  const first = await rows.next();
  if (first.done) throw failure(`${name} is empty. It has neither a header nor rows.`);
  const called = separators[separator as Separator] ?? `"${separator}"`;
  const source = { format: 'csv', unit: 'line', description: `CSV, separated by ${called}` } as const;
  const header = first.value.cells.map((cell) => String(cell).trim());
  // A file of rejected rows has a header, also when the imported file had none.
  if (!hasHeader && spanOf(header).from === 0) {
    return { ...source, header: header.map((_, at) => columnTitle(at)), rows: resume(first.value, rows) };
  }
  const fault = headerFault(header);
  if (fault !== undefined) throw usageError(`${name} ${fault} ${withoutHeader}`);
  return { ...source, header, rows };
}

const withoutHeader =
  'Add a first row with column names, or pass --no-header and map columns by position, such as --map email="column 2".';

/** The beginning of the file, up to a line's end outside quotes at least. */
async function firstLine(name: string, text: AsyncGenerator<string>): Promise<string> {
  let start = '';
  for (let next = await text.next(); !next.done; next = await text.next()) {
    start += next.value;
    if (/^(?:[^"\n]|"[^"]*")*\n./s.test(start)) break;
    if (start.length > rowSizeMax) throw tooLarge(name, 1);
  }
  return start;
}

async function* resume<Value>(first: Value, rest: AsyncGenerator<Value>): AsyncGenerator<Value> {
  yield first;
  yield* rest;
}

async function* parseRows(
  name: string,
  text: AsyncGenerator<string>,
  separator: string,
  linesBefore: number,
): AsyncGenerator<Row> {
  /** The last line of the newest row, and how many empty lines there were up to it. */
  let last = { line: linesBefore, empty: 0 };
  const parser = parse({
    delimiter: separator,
    record_delimiter: '\n',
    // White space beside separators and quotes; what is inside quotes stays.
    trim: true,
    // A quote within a cell is a character: Dwayne "The Rock" Johnson.
    relax_quotes: true,
    // Rows that are too long or too short are judged one by one.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: rowSizeMax,
    info: true,
    // Noted while parsing: when parsing fails, rows that were read but not yet taken are lost with it.
    on_record(row: string[], { lines, empty_lines: empty }) {
      last = { line: lines + linesBefore, empty };
      return row;
    },
  });
  const nextRowLine = () => last.line + 1 + parser.info.empty_lines - last.empty;
  const input = Readable.from(text, { objectMode: false });
  input.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of input.pipe(parser) as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      yield { line: info.lines + linesBefore - lineCountOf(record) + 1, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw tooLarge(name, nextRowLine());
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
      throw failure(
        `${name}, line ${nextRowLine()}: a cell starts with a quote that is never closed. Fix the line and try again.`,
        error,
      );
    }
    throw failure(`${name}, line ${nextRowLine()}: ${error.message}`, error);
  } finally {
    input.destroy();
  }
}

function tooLarge(name: string, line: number): Error {
  const size = `${rowSizeMax / 1024 ** 2} MiB`;
  return failure(`${name}, line ${line}: the row is larger than ${size}. Check for a quote that is never closed.`);
}
