// The command that moves all data between the engines: what it needs, what it shows, and how it is broken off.

import { type MovedTable, MoveError, type MovePhase } from '../store/move.ts';
import { type MoveDirection, moveStore } from '../store/open.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { type Config, ConfigError } from './config.ts';
import { makeProgressBar } from './progress-bar.ts';

/** How much of a checksum is shown: enough to tell two apart at a glance. */
const shownDigits = 16;

const titles: Record<MovePhase, string> = { moving: 'Moving', completing: 'Finishing', checking: 'Checking' };

const after: Record<MoveDirection, string> = {
  'to-postgres':
    'Start the servers with this DATABASE_URL. The SQLite file was not changed: keep it until all is well.',
  'to-sqlite': 'Start the server without DATABASE_URL. PostgreSQL was not changed: keep it until all is well.',
};

export async function moveData(direction: MoveDirection, { dataDir, database }: Config): Promise<void> {
  if (database === undefined) {
    throw new ConfigError('Moving data needs DATABASE_URL, the address of PostgreSQL. See docs/operations/moving.md.');
  }
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new MoveError('Interrupted: nothing was moved.'));
  // More than once: in a terminal, Control-C comes from the terminal and from npm, which forwards it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const bar = makeProgressBar(process.stdout);
  const startMs = performance.now();
  try {
    const { from, to, tables } = await moveStore(
      direction,
      { dataDir, database },
      {
        signal: interruption.signal,
        begin: (phase, rows) => bar.begin(titles[phase], rows),
        advance: (rows) => bar.advance(rows),
      },
    );
    bar.end();
    const seconds = Math.round((performance.now() - startMs) / 1000);
    print(`\n${summarize(tables)}\n\nMoved from ${from} to ${to} in ${seconds} s. ${after[direction]}\n`);
  } catch (error) {
    bar.end();
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  const { message, cause } = error;
  const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
  return new MoveError(`The move failed, and nothing was moved: ${reason}. Run it again.`, { cause: error });
}

function summarize(tables: readonly MovedTable[]): string {
  const lines = [
    ['table', 'rows', 'SHA-256', 'both sides'],
    ...tables.map(({ table, rows, checksum }) => [
      table,
      rows.toLocaleString('en'),
      checksum.slice(0, shownDigits),
      'equal',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 1 ? cell.padStart(widths[1] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function print(text: string): void {
  process.stdout.write(text);
}
