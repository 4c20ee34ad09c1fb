// roster move: all data from SQLite to PostgreSQL or back, with its progress and the checksums of both sides.
import type { MoveDirection, MovePhase } from '@roster/server/operator';
import { Argument, type Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError, usageError } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import { withServer } from '../operator-session.ts';
import { count } from '../terminal/locale.ts';
import { makeProgressBar } from '../terminal/progress-bar.ts';

/** How much of a checksum is shown: enough to tell two apart at a glance. */
const shownDigits = 16;

const titles: Record<MovePhase, string> = { moving: 'Moving', completing: 'Finishing', checking: 'Checking' };

const nextSteps: Record<MoveDirection, string> = {
  'to-postgres':
    'Start the servers with this DATABASE_URL. The SQLite file was not changed: keep it until you have checked the new database.',
  'to-sqlite':
    'Start the server without DATABASE_URL. PostgreSQL was not changed: keep it until you have checked the new database.',
};

export function addMove(program: Command): void {
  program
    .command('move')
    .description('copy all data between SQLite (ROSTER_DATA_DIR) and PostgreSQL (DATABASE_URL), and verify it')
    .addArgument(new Argument('<direction>').choices(Object.keys(nextSteps)))
    .addHelpText('after', examples('DATABASE_URL=postgres://… roster move to-postgres'))
    .action(async (direction: MoveDirection, _: unknown, command: Command) => {
      const output = outputOf(command);
      if (output.isJson)
        throw usageError('"roster move" has no JSON output. Check the exit code instead: 0 means success.');
      const startMs = performance.now();
      const { from, to, tables } = await moveWithProgress(direction, command);
      const seconds = Math.round((performance.now() - startMs) / 1000);
      output.print('');
      await output.table(
        [{ title: 'table' }, { title: 'rows', isNumber: true }, { title: 'SHA-256' }, { title: 'both sides' }],
        tables.map(({ table, rows, checksum }) => [table, count(rows), checksum.slice(0, shownDigits), 'equal']),
      );
      output.print(`\nMoved from ${from} to ${to} in ${count(seconds)} s. ${nextSteps[direction]}`);
    });
}

async function moveWithProgress(direction: MoveDirection, command: Command) {
  const invocation = invocationOf(command);
  const bar = makeProgressBar(invocation.stdout);
  return withServer(command, async ({ loadConfig, moveData }) => {
    const interruption = new AbortController();
    const reason = new CliError(exitCodes.interrupted, 'Interrupted. Nothing was moved.');
    const interrupt = () => interruption.abort(reason);
    // More than once: in a terminal, Control-C comes from the terminal and from npm, which forwards it.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) invocation.on(signal, interrupt);
    return moveData(direction, loadConfig(), {
      signal: interruption.signal,
      begin: (phase, rows) => bar.begin(titles[phase], rows),
      advance: (rows) => bar.advance(rows),
    });
  }).finally(() => bar.end());
}
