// Where a command's words go: results to stdout, everything else to stderr. The one place that writes to either.
import { once } from 'node:events';
import { fsync } from 'node:fs';
import { promisify, styleText } from 'node:util';
import { safeJson, safeLines } from './safe-text.ts';
import type { Column } from './table.ts';

export interface OutputOptions {
  /** Results as JSON, for programs. */
  isJson: boolean;
  /** False with NO_COLOR, whatever the terminal can do. */
  mayColor: boolean;
}

export class Output {
  readonly isJson: boolean;
  readonly #mayColor: boolean;

  constructor({ isJson, mayColor }: OutputOptions) {
    this.isJson = isJson;
    this.#mayColor = mayColor;
  }

  /** One JSON document, indented when a person looks at it. */
  json(value: unknown): void {
    process.stdout.write(`${safeJson(value, process.stdout.isTTY ? 2 : undefined)}\n`);
  }

  /** One line of NDJSON. Waits while the reader is slower. */
  async jsonLine(value: unknown): Promise<void> {
    await this.write(`${safeJson(value)}\n`);
  }

  /** Data as it is. Waits while the reader is slower. */
  async write(data: string): Promise<void> {
    if (!process.stdout.write(data)) await once(process.stdout, 'drain');
  }

  /** Data as it is. Resolves when it is out of our hands: in a file, once it is durable. Rejects if it was not written. */
  async writeDurably(data: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(data, (error) => (error ? reject(error) : resolve()));
    });
    await promisify(fsync)(process.stdout.fd).catch((error: NodeJS.ErrnoException) => {
      // A pipe or a terminal, which has nothing to sync.
      if (!['EINVAL', 'ENOTSUP'].includes(error.code ?? '')) throw error;
    });
  }

  print(text: string): void {
    process.stdout.write(`${safeLines(text)}\n`);
  }

  async table(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void> {
    const [titles = '', ...lines] = await linesOfTable(columns, rows, process.stdout);
    process.stdout.write(`${[this.#style('bold', titles, process.stdout), ...lines].join('\n')}\n`);
  }

  /** One record, a field a line. */
  record(fields: readonly (readonly [string, string])[]): void {
    const width = Math.max(...fields.map(([title]) => title.length));
    for (const [title, value] of fields) {
      const shown = this.#style('bold', title.padEnd(width), process.stdout);
      process.stdout.write(`${shown}  ${safeLines(value).replaceAll('\n', '\\n')}\n`.replace(/ +\n$/, '\n'));
    }
  }

  /** Something about the work, not a result of it. */
  note(text: string): void {
    process.stderr.write(`${safeLines(text)}\n`);
  }

  async notedTable(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void> {
    process.stderr.write(`${(await linesOfTable(columns, rows, process.stderr)).join('\n')}\n`);
  }

  error(text: string): void {
    process.stderr.write(`${this.#style('red', 'roster:', process.stderr)} ${safeLines(text)}\n`);
  }

  /** A line that begins with a coloured word. */
  markedLine(style: 'green' | 'yellow' | 'red', word: string, text: string): void {
    process.stdout.write(`${this.#style(style, word, process.stdout)}  ${safeLines(text)}\n`);
  }

  #style(style: 'bold' | 'red' | 'green' | 'yellow', text: string, stream: NodeJS.WriteStream): string {
    return this.#mayColor && stream.isTTY ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** What measures text for a table takes 60 ms to load, a tenth of the start of a command, and few commands print one. */
async function linesOfTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  stream: NodeJS.WriteStream,
): Promise<string[]> {
  const { formatTable } = await import('./table.ts');
  // Some terminals do not know their width, and say 0.
  return formatTable(columns, rows, stream.isTTY ? stream.columns || undefined : undefined);
}

const streams = [process.stdout, process.stderr] as const;

/** A reader that has seen enough (`| head`) is no failure, and no reason to leave half of the work undone. */
export function outliveReader(): void {
  for (const stream of streams) stream.on('error', ignoreClosed);
}

/** For commands whose only work is what they print: without a reader of it they end, without a word. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
}

/** A service goes on whatever becomes of its output, and sees to that itself. */
export function leaveToService(): void {
  for (const stream of streams) stream.off('error', ignoreClosed);
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
