// Questions to the user. Without a terminal there is no answer: the command names the option that answers instead.
import { createInterface } from 'node:readline/promises';
import { exitCodes } from '../exit-codes.ts';
import { CliError, usageError } from '../failure.ts';
import { safeText } from './safe-text.ts';

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Ctrl-C and the end of input are no answer. */
export async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve, reject) => {
      lines.once('close', () => resolve(undefined));
      lines.once('SIGINT', () => lines.close());
      lines.question(question).then(resolve, reject);
    });
  } finally {
    lines.close();
  }
}

export async function confirm(question: string, isYesDefault: boolean): Promise<boolean> {
  const answer = (await ask(`${question} ${isYesDefault ? '[Y/n]' : '[y/N]'} `))?.trim().toLowerCase();
  if (answer === undefined) return false;
  return answer === '' ? isYesDefault : ['y', 'yes'].includes(answer);
}

/** For what cannot be undone. Nothing is done unless the answer is exactly the name, or `--yes` was given. */
export async function confirmByName(warning: string, name: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return;
  refuseWithoutTerminal();
  const answer = await ask(`${safeText(warning)}\nType the name to confirm: `);
  if (answer?.trim() !== name.trim()) throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
}

export async function confirmOrStop(question: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return;
  refuseWithoutTerminal();
  if (!(await confirm(safeText(question), false))) throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
}

function refuseWithoutTerminal(): void {
  if (!canAsk())
    throw usageError("This can't be undone, and there is no terminal to confirm it in. Pass --yes to go ahead.");
}
