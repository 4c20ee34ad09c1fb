// Completions for shells, as scripts that need nothing but the shell: they know the commands, their options and the values
// that are a choice. Where a value can be anything, the shell completes names of files.
import { type CommandNode, flatten } from '../command-tree.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionScript(shell: Shell, program: CommandNode): string {
  const nodes = flatten(program);
  const withValue = new Set(nodes.flatMap(({ options }) => options.filter((each) => each.hasValue).flatMap(namesOf)));
  const withoutValue = new Set(
    nodes.flatMap(({ options }) => options.filter((each) => !each.hasValue).flatMap(namesOf)),
  );
  // The scripts find the command by leaving out options and their values, before they know which command it is.
  const both = [...withValue].filter((name) => withoutValue.has(name));
  if (both.length > 0) throw new Error(`${both.join(', ')} must have a value in all commands or in none`);
  const [root, ...commands] = nodes as [CommandNode, ...CommandNode[]];
  // The program's own options can be given to every command.
  const inherit = (node: CommandNode) => ({ ...node, options: [...node.options, ...root.options.filter(isGlobal)] });
  return scripts[shell]({ nodes: [root, ...commands.map(inherit)], withValue: [...withValue].sort() });
}

const namesOf = ({ names }: { names: readonly string[] }) => names;

const isGlobal = ({ names }: { names: readonly string[] }) => !names.includes('--help') && !names.includes('--version');
