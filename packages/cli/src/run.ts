// The process: runs the command, says in one line what went wrong, and sets the exit code.
import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { explain } from './failure.ts';
import { type Commands, makeProgram } from './program.ts';
import { environment, refuseSecretArguments } from './settings.ts';
import { Output, outliveReader } from './terminal/output.ts';

export async function run(commands: Commands): Promise<void> {
  outliveReader();
  const args = process.argv.slice(2);
  try {
    refuseSecretArguments(args);
    const program = await makeProgram(args, commands);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error, args);
  }
}

function report(error: unknown, args: readonly string[]): number {
  // Help and version come as errors of their own; what they say has been written.
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
  const isJson = args.includes('--json');
  const output = new Output({ isJson, mayColor: environment.mayColor });
  const explained = explain(error);
  const exitCode = explained?.exitCode ?? exitCodes.failed;
  const message = explained?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (isJson) output.note(JSON.stringify({ error: { code: explained?.code ?? 'internal', message, exitCode } }));
  else output.error(message);
  return exitCode;
}
