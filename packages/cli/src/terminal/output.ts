// Where a command's words go: results to stdout, everything else to stderr. The one place that writes to either.
import { once } from 'node:events';
import { fsync } from 'node:fs';
import { promisify, styleText } from 'node:util';
import type { Invocation, TerminalStream } from '../invocation.ts';
import { mayColor } from '../settings.ts';
import { safeJson, safeLines } from './safe-text.ts';
import type { Column } from './table.ts';

type Streams = Pick<Invocation, 'stdout' | 'stderr'>;

export class Output {
  /** Results as JSON, for programs. */
  readonly isJson: boolean;
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  readonly #mayColor: boolean;

  constructor({ stdout, stderr, env }: Streams & Pick<Invocation, 'env'>, { isJson }: { isJson: boolean }) {
    this.isJson = isJson;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#mayColor = mayColor(env);
  }

  /** One JSON document, indented when a person looks at it. */
  json(value: unknown): void {
    this.stdout.write(`${safeJson(value, this.stdout.isTTY ? 2 : undefined)}\n`);
  }

  /** One line of NDJSON. Waits while the reader is slower. */
  async jsonLine(value: unknown): Promise<void> {
    await this.write(`${safeJson(value)}\n`);
  }

  /** Data as it is. Waits while the reader is slower. */
  async write(data: string): Promise<void> {
    if (!this.stdout.write(data)) await once(this.stdout, 'drain');
  }

  /** Data as it is. Resolves when it is out of our hands: in a file, once it is durable. Rejects if it was not written. */
  async writeDurably(data: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.stdout.write(data, (error) => (error ? reject(error) : resolve()));
    });
    if (this.stdout.fd === undefined) return;
    await promisify(fsync)(this.stdout.fd).catch((error: NodeJS.ErrnoException) => {
      // A pipe or a terminal, which has nothing to sync.
      if (!['EINVAL', 'ENOTSUP'].includes(error.code ?? '')) throw error;
    });
  }

  print(text: string): void {
    this.stdout.write(`${safeLines(text)}\n`);
  }

  async table(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void> {
    const [titles = '', ...lines] = await linesOfTable(columns, rows, this.stdout);
    this.stdout.write(`${[this.#style('bold', titles, this.stdout), ...lines].join('\n')}\n`);
  }

  /** One record, a field a line. */
  record(fields: readonly (readonly [string, string])[]): void {
    const width = Math.max(...fields.map(([title]) => title.length));
    for (const [title, value] of fields) {
      const shown = this.#style('bold', title.padEnd(width), this.stdout);
      this.stdout.write(`${shown}  ${safeLines(value).replaceAll('\n', '\\n')}\n`.replace(/ +\n$/, '\n'));
    }
  }

  /** Something about the work, not a result of it. */
  note(text: string): void {
    this.stderr.write(`${safeLines(text)}\n`);
  }

  async notedTable(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void> {
    this.stderr.write(`${(await linesOfTable(columns, rows, this.stderr)).join('\n')}\n`);
  }

  error(text: string): void {
    this.stderr.write(`${this.#style('red', 'roster:', this.stderr)} ${safeLines(text)}\n`);
  }

  /** A line that begins with a coloured word. */
  markedLine(style: 'green' | 'yellow' | 'red', word: string, text: string): void {
    this.stdout.write(`${this.#style(style, word, this.stdout)}  ${safeLines(text)}\n`);
  }

  #style(style: 'bold' | 'red' | 'green' | 'yellow', text: string, stream: TerminalStream): string {
    return this.#mayColor && stream.isTTY ? styleText(style, text, { validateStream: false }) : text;
  }
}

async function linesOfTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  stream: TerminalStream,
): Promise<string[]> {
  const { formatTable } = await import('./table.ts');
  // Some terminals do not know their width, and say 0.
  return formatTable(columns, rows, stream.isTTY ? stream.columns || undefined : undefined);
}

/** A reader that has seen enough (`| head`) is no failure, and no reason to leave half of the work undone. */
export function outliveReader({ stdout, stderr }: Streams): void {
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosed);
}

/** For commands whose only work is what they print: without a reader of it they end, without a word. */
export function endWithReader({ stdout }: Pick<Streams, 'stdout'>): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
  });
}

/** A service goes on whatever becomes of its output, and sees to that itself. */
export function leaveToService({ stdout, stderr }: Streams): void {
  for (const stream of [stdout, stderr]) stream.off('error', ignoreClosed);
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
