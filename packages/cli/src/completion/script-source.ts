// What the scripts of all shells are made of.
import type { CommandNode } from '../command-tree.ts';

export interface ScriptSource {
  /** The program first. */
  nodes: readonly CommandNode[];
  /** Names of options that take a value, of any command. */
  withValue: readonly string[];
}

/** In quotes that every shell takes as they are. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A word without meaning to a shell: it fails when a command or a choice is ever named otherwise. */
export function plain(word: string): string {
  if (!/^[\w@.-]+$/.test(word)) throw new Error(`"${word}" would have to be quoted in a completion`);
  return word;
}

export const pathOf = ({ path }: CommandNode): string => path.map((word) => `/${plain(word)}`).join('');

/** For bash and zsh, in a loop over the words before the current one: `at` is the command that they name. */
export const findCommand = ({ nodes, withValue }: ScriptSource): string => `    case $word in
    ${withValue.map(plain).join('|')})
      ((index++))
      continue
      ;;
    esac
    case $at/$word in
    ${nodes.slice(1).map(pathOf).join('|')}) at=$at/$word ;;
    esac`;

/** For bash and zsh: a case for each option whose value is a choice. */
export const casesOfChoices = (nodes: readonly CommandNode[], assign: (choices: readonly string[]) => string): string =>
  nodes
    .flatMap((node) =>
      node.options
        .filter(({ choices }) => choices.length > 0)
        .map(
          ({ names, choices }) =>
            `    ${names.map((name) => quote(`${pathOf(node)}:${name}`)).join('|')}) ${assign(choices)} ;;`,
        ),
    )
    .join('\n');

/** What may stand where an argument is due. */
export const wordsOf = ({ commands, arguments: given }: CommandNode): { name: string; description: string }[] => [
  ...commands.map(({ path, description }) => ({ name: plain(path.at(-1) as string), description })),
  ...given.flatMap(({ choices, description }) => choices.map((name) => ({ name: plain(name), description }))),
];
