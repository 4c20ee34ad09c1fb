// What every command gets: its options, where to write, and the client when it speaks to the server.
import { Roster, type RosterOptions } from '@roster/client';
import type { Command } from 'commander';
import { invocationOf } from './invocation.ts';
import { type ConnectionFlags, readConnection } from './settings.ts';
import { Output } from './terminal/output.ts';

export interface GlobalFlags extends ConnectionFlags {
  json?: boolean;
}

export function outputOf(command: Command): Output {
  const { json = false } = command.optsWithGlobals<GlobalFlags>();
  return new Output(invocationOf(command), { isJson: json });
}

export async function connect(command: Command, options: Partial<RosterOptions> = {}): Promise<Roster> {
  const connection = await readConnection(command.optsWithGlobals<GlobalFlags>(), invocationOf(command));
  return new Roster({ ...connection, ...options });
}

/** Examples below the help of a command: what a user reads first. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
