// Completions as a shell would offer them: the script is loaded by the real shell, and asked about a line.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { Shell } from '../src/completion/scripts.ts';

/** A script for each shell: its arguments are the file with the completions, and the words of the line. */
const askers: Record<Shell, string> = {
  bash: `source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _roster && printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Only its line editor can complete, so that this stands in for what shows the candidates.
  zsh: `compdef() { }; _files() { }; _describe() { print -rl -- "\${(@P)@[-1]}" }
    source "$1" && shift && words=("$@") && CURRENT=$# && _roster`,
  fish: `source $argv[1]; complete -C (string join ' ' -- $argv[2..])`,
};

const withoutSettings: Record<Shell, string[]> = {
  bash: ['--norc', '-c'],
  zsh: ['-f', '-c'],
  fish: ['--no-config', '-c'],
};

/** What the shell offers for the last of the words, which may be empty. */
export function completionsOf(shell: Shell, file: string, words: readonly string[]): string[] {
  const name = shell === 'fish' ? [] : [shell];
  const args = [...withoutSettings[shell], askers[shell], ...name, file, 'roster', ...words];
  const { status, stdout, stderr, error } = spawnSync(shell, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  assert.equal(stderr, '', `${shell} about ${words.join(' ')}`);
  assert.ok(status === 0 || stdout === '', `${shell} about ${words.join(' ')} ended with ${status}`);
  const offered = stdout.split('\n').map((line) => line.split(/[:\t]/)[0] ?? '');
  return [...new Set(offered.filter((each) => each !== '' && each.startsWith(words.at(-1) ?? '')))].sort();
}

/** Lines, and what is offered at their end. */
export const completions: [words: string[], offered: string[]][] = [
  [['con'], ['contacts']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [
    ['move', 'to-'],
    ['to-postgres', 'to-sqlite'],
  ],
  [
    ['member', 're'],
    ['remove', 'reset-password'],
  ],
  [['--bot', 'contacts', 'serve', '--w'], ['--workers']],
  [['contacts', 'import', '--fo'], ['--format']],
  [
    ['contacts', 'import', '--format', ''],
    ['csv', 'json', 'ndjson'],
  ],
  [['contacts', '--json', 'search', '--sort', 'na'], ['name']],
  [
    ['events', 'follow', '--type', 'tag.'],
    ['tag.deleted', 'tag.renamed'],
  ],
  [
    ['webhook', 're'],
    ['replay', 'retry', 'retry-failed'],
  ],
];
