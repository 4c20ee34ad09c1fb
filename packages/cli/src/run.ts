// Runs a command, says in one line what went wrong, and returns the exit code.
import { CommanderError } from 'commander';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { explain } from './failure.ts';
import type { Invocation } from './invocation.ts';
import { type Commands, makeProgram } from './program.ts';
import { refuseSecretArguments } from './settings.ts';
import { Output, outliveReader } from './terminal/output.ts';

export async function run(invocation: Invocation, commands: Commands): Promise<ExitCode> {
  outliveReader(invocation);
  const args = invocation.argv.slice(2);
  try {
    refuseSecretArguments(args);
    const program = await makeProgram(args, commands, invocation);
    await program.parseAsync(args, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    return report(error, args, invocation);
  }
}

function report(error: unknown, args: readonly string[], invocation: Invocation): ExitCode {
  // Help and version come as errors of their own; what they say has been written.
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
  const isJson = args.includes('--json');
  const output = new Output(invocation, { isJson });
  const explained = explain(error);
  const exitCode = explained?.exitCode ?? exitCodes.failed;
  const message = explained?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (isJson) output.note(JSON.stringify({ error: { code: explained?.code ?? 'internal', message, exitCode } }));
  else output.error(message);
  return exitCode;
}
