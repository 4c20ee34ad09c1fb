// The commands as data, read from the program itself: what completions and the manual page are made of.
import type { Argument, Command, Option } from 'commander';

export interface CommandNode {
  /** The words after `roster`. None for the program itself. */
  path: readonly string[];
  description: string;
  usage: string;
  arguments: readonly { name: string; description: string; choices: readonly string[] }[];
  options: readonly OptionNode[];
  commands: readonly CommandNode[];
  /** What the help says after the options: examples, mostly. */
  afterHelp: string;
}

export interface OptionNode {
  /** As the help shows it: `--bot <id>`. */
  flags: string;
  names: readonly string[];
  hasValue: boolean;
  choices: readonly string[];
  description: string;
}

export function describeProgram(program: Command, path: readonly string[] = []): CommandNode {
  const help = program.createHelp();
  return {
    path,
    description: program.description(),
    usage: help.commandUsage(program),
    arguments: program.registeredArguments.map(describeArgument),
    options: help.visibleOptions(program).map((option) => ({
      ...describeOption(option),
      description: help.optionDescription(option),
    })),
    commands: help.visibleCommands(program).map((command) => describeProgram(command, [...path, command.name()])),
    afterHelp: afterHelpOf(program),
  };
}

/** The program and all commands below it, each before those below it. */
export function flatten(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(flatten)];
}

const describeArgument = (argument: Argument) => ({
  name: argument.name(),
  description: argument.description,
  choices: argument.argChoices ?? [],
});

const describeOption = (option: Option) => ({
  flags: option.flags,
  names: [option.short, option.long].filter((name) => name !== undefined),
  hasValue: option.required || option.optional,
  choices: option.argChoices ?? [],
});

/** Commander keeps no texts, only what writes them: they are what is written beyond the help that it makes itself. */
function afterHelpOf(command: Command): string {
  const { writeOut } = command.configureOutput();
  let written = '';
  command.configureOutput({ writeOut: (text) => (written += text) });
  command.outputHelp();
  command.configureOutput({ writeOut: writeOut ?? (() => {}) });
  return written.slice(command.helpInformation().length).trim();
}
