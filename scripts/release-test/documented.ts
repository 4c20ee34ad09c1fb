// The commands that docs/operations/install.md shows: what is documented is what is tested.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../release/bundle.ts';
import { platform } from '../release/one-file.ts';

/** The blocks of shell commands below a heading, for this kind of machine. */
export function documentedCommands(heading: string): string[] {
  const page = readFileSync(join(root, 'docs/operations/install.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, code = '']) => code);
  if (blocks.length === 0) throw new Error(`docs/operations/install.md shows no commands for "${heading}".`);
  return blocks.map((code) => code.replaceAll('linux-x64', platform));
}
