// roster completion: scripts that complete commands and options in a shell.
import { Argument, type Command } from 'commander';
import { describeProgram } from '../command-tree.ts';
import { completionScript, type Shell, shells } from '../completion/scripts.ts';
import { examples, outputOf } from '../context.ts';

/** `loadAll` makes the program with all of its commands. */
export function addCompletion(program: Command, loadAll: () => Promise<Command>): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      examples(
        'source <(roster completion bash)',
        'roster completion zsh > ~/.zfunc/_roster',
        'roster completion fish > ~/.config/fish/completions/roster.fish',
      ),
    )
    .action(async (shell: Shell, _: unknown, command: Command) => {
      outputOf(command).print(completionScript(shell, describeProgram(await loadAll())).trimEnd());
    });
}
