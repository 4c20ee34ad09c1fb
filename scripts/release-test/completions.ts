// The completions that a package installs, where each shell looks for them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { shells } from '../../packages/cli/src/completion/scripts.ts';
import { completions, completionsOf } from '../../packages/cli/test/shells.ts';
import { type BareRoot, install } from './bare-root.ts';

const files = {
  bash: 'usr/share/bash-completion/completions/roster',
  zsh: 'usr/share/zsh/vendor-completions/_roster',
  fish: 'usr/share/fish/vendor_completions.d/roster.fish',
};

export function testCompletions({ folder }: BareRoot): void {
  for (const shell of shells) {
    install(shell);
    for (const [words, offered] of completions) {
      assert.deepEqual(
        completionsOf(shell, join(folder, files[shell]), words),
        offered,
        `${shell}: ${words.join(' ')}`,
      );
    }
  }
}
