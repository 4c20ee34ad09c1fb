// The commands that the pages of docs/operations show: what is documented is what is tested.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../release/bundle.ts';
import { architecture } from '../release/deb.ts';
import { platform } from '../release/one-file.ts';

/** The blocks of shell commands below a heading, for this kind of machine. */
export function documentedCommands(heading: string, page = 'install.md'): string[] {
  const text = readFileSync(join(root, 'docs/operations', page), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, code = '']) => code);
  if (blocks.length === 0) throw new Error(`docs/operations/${page} shows no commands for "${heading}".`);
  return blocks.map((code) => code.replaceAll('linux-x64', platform).replaceAll('amd64', architecture));
}
