// What one run of the command takes from its process: arguments, environment, streams and signals. The process has all of
// them under these names; tests run many commands in one process, each with its own.
import type { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface Invocation {
  /** The runtime and the program first, as the process has it. */
  readonly argv: readonly string[];
  /** The runtime, or the single executable, which is both. */
  readonly execPath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  on(signal: EndSignal, listener: () => void): unknown;
  off(signal: EndSignal, listener: () => void): unknown;
}

/** What asks a command to end. */
export type EndSignal = 'SIGINT' | 'SIGTERM';

/** A terminal, a pipe or a file. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Absent where nothing of the operating system is behind it. */
  readonly fd?: number;
};

/** The root of the commands. A command finds here what it runs in, and leaves the exit code of a run that did not fail. */
export class Program extends Command {
  readonly invocation: Invocation;
  exitCode: ExitCode = exitCodes.ok;

  constructor(name: string, invocation: Invocation) {
    super(name);
    this.invocation = invocation;
  }
}

export function invocationOf(command: Command): Invocation {
  return programOf(command).invocation;
}

export function setExitCode(command: Command, exitCode: ExitCode): void {
  programOf(command).exitCode = exitCode;
}

function programOf(command: Command): Program {
  let root = command;
  while (root.parent !== null) root = root.parent;
  if (root instanceof Program) return root;
  throw new Error(`${command.name()} belongs to no program`);
}
