// What separates the cells of a CSV, as given on a command line.
import { InvalidArgumentError } from 'commander';

/** A tab is hard to type, so its name will do. Signs that mean something else in a CSV will not. */
export function readSeparator(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t';
  if (/^[^\p{L}\p{N}"'\r\n]$/u.test(text)) return text;
  throw new InvalidArgumentError('Pass a single character, such as ";", or "tab".');
}
