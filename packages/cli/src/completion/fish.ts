// Completions for fish.
import type { CommandNode, OptionNode } from '../command-tree.ts';
import { pathOf, plain, type ScriptSource, wordsOf } from './script-source.ts';

export function fishScript({ nodes, withValue }: ScriptSource): string {
  return `# Completions of roster for fish. Made by "roster completion fish".
function __roster_at
    set -l at ''
    set -l is_value
    for word in (commandline -opc)[2..]
        if set -q is_value[1]
            set is_value
        else if contains -- $word ${withValue.map(plain).join(' ')}
            set is_value yes
        else if contains -- $at/$word ${nodes.slice(1).map(pathOf).join(' ')}
            set at $at/$word
        end
    end
    test "$at" = "$argv[1]"
end
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf(node: CommandNode): string[] {
  const begin = `complete -c roster -n ${quoteForFish(`__roster_at '${pathOf(node)}'`)}`;
  const words = wordsOf(node).map(
    // Where a command is due, no file is.
    ({ name, description }) => `${begin} -f -a ${name}${described(description)}`,
  );
  return [...words, ...node.options.map((option) => `${begin}${flagsOf(option)}${described(option.description)}`)];
}

function flagsOf({ names, hasValue, choices }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith('--') ? ` -l ${plain(name.slice(2))}` : ` -s ${name.slice(1)}`));
  const value = choices.length > 0 ? ` -x -a ${quoteForFish(choices.map(plain).join(' '))}` : hasValue ? ' -r' : '';
  return flags.join('') + value;
}

const described = (description: string) => (description === '' ? '' : ` -d ${quoteForFish(description)}`);

/** Its single quotes know two escapes, unlike those of other shells. */
const quoteForFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
