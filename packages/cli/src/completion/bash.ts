// Completions for bash.
import { casesOfChoices, findCommand, pathOf, plain, quote, type ScriptSource, wordsOf } from './script-source.ts';

export function bashScript(source: ScriptSource): string {
  const { nodes, withValue } = source;
  const words = (names: readonly string[]) => quote(names.map(plain).join(' '));
  const perCommand = nodes.map(
    (node) => `    ${quote(pathOf(node))})
      words=${words(wordsOf(node).map(({ name }) => name))}
      options=${words(node.options.flatMap(({ names }) => names))}
      ;;`,
  );
  return `# Completions of roster for bash. Made by "roster completion bash".
_roster() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local at= words= options= values= word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
${findCommand(source)}
  done
  case $at:$previous in
${casesOfChoices(nodes, (choices) => `values=${words(choices)}`)}
  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case $previous in
  ${withValue.map(plain).join('|')}) return ;;
  esac
  case $at in
${perCommand.join('\n')}
  esac
  if [[ $current == -* ]]; then words=$options; fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
complete -o default -F _roster roster
`;
}
