// The manual page roster(1), made of the commands' own help. In the macros of man(7).

import { type CommandNode, describeProgram, flatten } from '../../packages/cli/src/command-tree.ts';
import { allCommands } from '../../packages/cli/src/commands/all-commands.ts';
import { makeProgram } from '../../packages/cli/src/program.ts';
import { version } from '../../packages/server/src/version.ts';

/** `date` is that of the release. */
export async function manPage(date: Date): Promise<string> {
  const [program, ...commands] = flatten(describeProgram(await makeProgram([], allCommands))) as [
    CommandNode,
    ...CommandNode[],
  ];
  const shown = commands.filter(({ path, commands }) => path.at(-1) !== 'help' && commands.length === 0);
  return [
    `.TH ROSTER 1 ${date.toISOString().slice(0, 10)} ${quoted(`Roster ${version}`)} ${quoted('User Commands')}`,
    // Left-justified and without hyphens: options and identifiers must be found as they are written.
    '.ad l',
    '.nh',
    '.SH NAME',
    `roster ${roff('-')} ${roff(decapitalize(program.description.replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    ...synopsis(program),
    '.SH DESCRIPTION',
    ...text(program.afterHelp),
    '.SH OPTIONS',
    'These options can be used with every command:',
    ...options(program),
    '.SH COMMANDS',
    ...shown.flatMap((command) => [
      `.SS ${quoted(`roster ${command.path.join(' ')}`)}`,
      ...synopsis(command),
      '.PP',
      roff(sentence(command.description)),
      ...entries(command.arguments.filter(({ description }) => description !== '')),
      ...options(command),
      ...text(command.afterHelp),
    ]),
    '.SH FILES',
    ...entries([
      { name: '/etc/roster/roster.env', description: 'Settings of the service that the Debian package installs.' },
      { name: '/var/lib/roster', description: 'Data of that service.' },
      { name: '~/.config/roster/config', description: 'Settings of contact commands, one per line.' },
    ]),
    '',
  ].join('\n');
}

const synopsis = ({ usage }: CommandNode) => ['.nf', `.B ${roff(usage)}`, '.fi'];

const options = (command: CommandNode) =>
  entries(
    command.options
      .filter(({ names }) => !names.includes('--help'))
      .map(({ flags, description }) => ({ name: flags, description })),
  );

const entries = (list: readonly { name: string; description: string }[]) =>
  list.flatMap(({ name, description }) => ['.TP', `.B ${roff(name)}`, roff(sentence(description))]);

/** Paragraphs, of which indented lines stay as they are. */
function text(plain: string): string[] {
  const lines: string[] = [];
  let isVerbatim = false;
  for (const line of plain.split('\n')) {
    const isIndented = line.startsWith('  ');
    if (isVerbatim && !isIndented) lines.push('.fi', '.RE');
    if (!isVerbatim && isIndented) lines.push('.RS', '.nf');
    isVerbatim = isIndented;
    if (isIndented) lines.push(roff(line.slice(2)));
    else if (line.trim() === '') lines.push('.PP');
    else if (lines.at(-1) === '.RE' || lines.length === 0) lines.push('.PP', roff(line));
    else lines.push(roff(line));
  }
  if (isVerbatim) lines.push('.fi', '.RE');
  return lines.flatMap((line, at) => (line === '.PP' && (lines[at + 1] ?? '.PP').startsWith('.') ? [] : [line]));
}

/** As text: no request, and hyphens that are ASCII. */
function roff(plain: string): string {
  return plain.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`).replace(/^[.']/, String.raw`\&$&`);
}

const quoted = (plain: string) => `"${roff(plain).replaceAll('"', String.raw`\(dq`)}"`;

const sentence = (plain: string) =>
  plain === '' ? '' : `${plain[0]?.toUpperCase()}${plain.slice(1)}${/[.…]$/.test(plain) ? '' : '.'}`;

const decapitalize = (plain: string) => `${plain[0]?.toLowerCase()}${plain.slice(1)}`;
