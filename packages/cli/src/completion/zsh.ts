// Completions for zsh, as a file in its path of functions or sourced.
import { casesOfChoices, findCommand, pathOf, plain, quote, type ScriptSource, wordsOf } from './script-source.ts';

export function zshScript(source: ScriptSource): string {
  const { nodes, withValue } = source;
  const described = ({ name, description }: { name: string; description: string }) =>
    quote(description === '' ? plain(name) : `${plain(name)}:${description.replaceAll(':', String.raw`\:`)}`);
  const list = (entries: readonly { name: string; description: string }[]) => `(${entries.map(described).join(' ')})`;
  const perCommand = nodes.map(
    (node) => `    ${quote(pathOf(node))})
      candidates=${list(wordsOf(node))}
      options=${list(node.options.flatMap(({ names, description }) => names.map((name) => ({ name, description }))))}
      ;;`,
  );
  return `#compdef roster
# Completions of roster for zsh. Made by "roster completion zsh".
_roster() {
  local current=\${words[CURRENT]} previous=\${words[CURRENT - 1]} at= word
  local -a candidates options
  local -i index
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
${findCommand(source)}
  done
  case $at:$previous in
${casesOfChoices(nodes, (choices) => `candidates=(${choices.map(plain).join(' ')})`)}
  esac
  if (($#candidates)); then
    _describe value candidates
    return
  fi
  case $previous in
  ${withValue.map(plain).join('|')})
    _files
    return
    ;;
  esac
  case $at in
${perCommand.join('\n')}
  esac
  if [[ $current == -* ]]; then
    _describe -o option options
  elif (($#candidates)); then
    _describe command candidates
  else
    _files
  fi
}
if [[ $funcstack[1] == _roster ]]; then
  _roster "$@"
else
  compdef _roster roster
fi
`;
}
