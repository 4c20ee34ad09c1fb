// Questions to a person. Without a terminal nobody is there to answer: the command says which option answers instead.
import { createInterface } from 'node:readline/promises';

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
