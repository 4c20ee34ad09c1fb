// Questions to the user. Without a terminal there is no answer: the command names the option that answers instead.
import { createInterface } from 'node:readline/promises';
import { exitCodes } from '../exit-codes.ts';
import { CliError, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { safeText } from './safe-text.ts';

/** Where a question is written and its answer read. */
type Dialog = Pick<Invocation, 'stdin' | 'stderr'>;

export function canAsk({ stdin, stderr }: Dialog): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Ctrl-C and the end of input are no answer. */
async function ask({ stdin, stderr }: Dialog, question: string): Promise<string | undefined> {
  const lines = createInterface({ input: stdin, output: stderr });
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

export async function confirm(dialog: Dialog, question: string, isYesDefault: boolean): Promise<boolean> {
  const answer = (await ask(dialog, `${question} ${isYesDefault ? '[Y/n]' : '[y/N]'} `))?.trim().toLowerCase();
  if (answer === undefined) return false;
  return answer === '' ? isYesDefault : ['y', 'yes'].includes(answer);
}

/** For what cannot be undone. Nothing is done unless the answer is exactly the name, or `--yes` was given. */
export async function confirmByName(
  dialog: Dialog,
  { warning, name, isYes }: { warning: string; name: string; isYes: boolean | undefined },
): Promise<void> {
  if (isYes) return;
  refuseWithoutTerminal(dialog);
  const answer = await ask(dialog, `${safeText(warning)}\nType the name to confirm: `);
  if (answer?.trim() !== name.trim()) throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
}

export async function confirmOrStop(dialog: Dialog, question: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return;
  refuseWithoutTerminal(dialog);
  if (!(await confirm(dialog, safeText(question), false)))
    throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
}

function refuseWithoutTerminal(dialog: Dialog): void {
  if (!canAsk(dialog))
    throw usageError("This can't be undone, and there is no terminal to confirm it in. Pass --yes to go ahead.");
}
