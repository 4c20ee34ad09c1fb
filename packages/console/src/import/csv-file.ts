// Reads a CSV file that the user has chosen: detects encoding and separator, and streams rows with their line numbers.
import {
  binaryFault,
  encodingByMark,
  guessSeparator,
  headBytes,
  headerFault,
  lineCountOf,
  type Row,
  rowSizeMax,
  separatorLine,
  separators,
  withLineFeeds,
} from '@roster/contact-files';
import Papa from 'papaparse';

export interface CsvFile {
  name: string;
  sizeBytes: number;
  header: string[];
  /** Shown to the user: "commas, UTF-8". */
  description: string;
  /** Each call reads the file from the start. `onRead` receives the number of bytes read so far. */
  rows(onRead?: (bytes: number) => void): AsyncGenerator<Row>;
}

/** The mapping shows a line for each column. No list of contacts has more. */
const columnsMax = 500;

/** The file cannot be read. The message tells the user why, and what to do. */
export class CsvFileError extends Error {
  override name = 'CsvFileError';
}

export async function openCsvFile(file: File): Promise<CsvFile> {
  const encoding = await findEncoding(file);
  const start = await readStart(file, encoding);
  const declared = separatorLine.exec(start);
  const separator = declared?.[1] ?? guessSeparator(start);
  const rowsBelow = (onRead?: (bytes: number) => void) =>
    parseRows(textOf(file, encoding, onRead), { separator, skipped: declared?.[0] ?? '' });
  const all = rowsBelow();
  const first = await all.next();
  await all.return(undefined);
  if (first.done) throw new CsvFileError('The file is empty: there is no header and no row.');
  if (first.value.cells.length > columnsMax) {
    throw new CsvFileError(
      `The first row has ${first.value.cells.length} columns, which is no list of people. Is this the right file?`,
    );
  }
  const header = first.value.cells.map((cell) => String(cell).trim());
  const fault = headerFault(header);
  if (fault !== undefined) {
    throw new CsvFileError(
      `${file.name} ${fault} Add a first row with the names of the columns, like name,email,phone, and choose the file again.`,
    );
  }
  const called = separators[separator as keyof typeof separators] ?? `“${separator}”`;
  return {
    name: file.name,
    sizeBytes: file.size,
    header,
    description: `separated by ${called}, ${encoding === 'utf-8' ? 'UTF-8' : encoding}`,
    async *rows(onRead) {
      let isHeader = true;
      for await (const row of rowsBelow(onRead)) {
        if (!isHeader) yield row;
        isHeader = false;
      }
    },
  };
}

/** UTF-16 with a byte order mark, UTF-8 if the whole file is valid UTF-8, otherwise Windows-1252. */
async function findEncoding(file: File): Promise<string> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const byMark = encodingByMark(head);
  const fault = binaryFault(head, byMark);
  if (fault !== undefined) throw new CsvFileError(`${file.name} ${fault}`);
  if (byMark !== undefined && byMark !== 'utf-8') return byMark;
  try {
    const stream = file.stream().pipeThrough(new TextDecoderStream('utf-8', { fatal: true }) as TextPair);
    for await (const _ of chunksOf(stream));
    return 'utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252';
    throw error;
  }
}

type TextPair = ReadableWritablePair<string, Uint8Array<ArrayBuffer>>;

/** Safari has no async iteration over streams. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Releases the file when the consumer stops early.
    await reader.cancel();
  }
}

/** The beginning of the file, with at least the whole header. */
async function readStart(file: File, encoding: string): Promise<string> {
  let start = '';
  for await (const text of textOf(file, encoding)) {
    start += text;
    if (start.includes('\n') || start.length > rowSizeMax) break;
  }
  return start;
}

/** The text with \n as line ends. Decoded as one stream, because a character may be split between two chunks. */
function textOf(file: File, encoding: string, onRead?: (bytes: number) => void): AsyncGenerator<string> {
  let read = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      read += bytes.length;
      onRead?.(read);
      controller.enqueue(bytes);
    },
  });
  const decoder = new TextDecoderStream(encoding) as TextPair;
  return withLineFeeds(chunksOf(file.stream().pipeThrough(counted).pipeThrough(decoder)));
}

async function* parseRows(
  text: AsyncIterable<string>,
  { separator, skipped }: { separator: string; skipped: string },
): AsyncGenerator<Row> {
  const parser = new Papa.Parser({ delimiter: separator, newline: '\n' });
  /** The line on which the next row begins. */
  let line = skipped === '' ? 1 : 2;
  let rest = '';
  let toSkip = skipped.length;
  const take = function* (isLast: boolean): Generator<Row> {
    const { data, errors, meta } = parser.parse(rest, 0, !isLast) as Papa.ParseResult<string[]>;
    const hasOpenQuote = isLast && errors.some(({ code }) => code === 'MissingQuotes');
    for (const [at, cells] of data.entries()) {
      // The last row has swallowed the rest of the file.
      if (hasOpenQuote && at === data.length - 1) throw openQuote(line);
      if (cells.length > 1 || cells[0]?.trim() !== '') yield { line, cells: cells.map((cell) => cell.trim()) };
      line += lineCountOf(cells);
    }
    rest = isLast ? '' : rest.slice(meta.cursor);
  };
  for await (const chunk of text) {
    rest += chunk.slice(toSkip);
    toSkip = Math.max(0, toSkip - chunk.length);
    yield* take(false);
    if (rest.length > rowSizeMax) throw openQuote(line);
  }
  yield* take(true);
}

function openQuote(line: number): CsvFileError {
  return new CsvFileError(
    `Line ${line}: a cell begins with a quote that is never closed. Correct it, and choose the file again.`,
  );
}
