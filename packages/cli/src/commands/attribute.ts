// Attributes of a bot's contacts: list, define, delete. Their values are in contacts import and export.
import type { Attribute, AttributeType, Roster } from '@roster/client';
import { faultOfAttributeKey } from '@roster/contract/attribute-values';
import { attributeTypes } from '@roster/contract/names';
import { type Command, Option } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { contacts, count } from '../terminal/locale.ts';
import type { Output } from '../terminal/output.ts';

interface DefinitionFlags {
  type?: AttributeType;
  label?: string;
  description?: string;
  choices?: string[];
}

export function addAttributeCommands(program: Command): void {
  const attribute = program
    .command('attribute')
    .description('manage attributes, your own fields for contacts, over HTTP');

  attribute
    .command('list')
    .description('list the attributes of the bot and how many contacts have each')
    .addHelpText('after', examples('roster attribute list', "roster attribute list --json | jq -r '.[].key'"))
    .action(async (_: unknown, command: Command) => {
      const { data } = await (await connect(command)).attributes.list();
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.length === 0) output.note('No attributes yet. To create one, run "roster attribute define".');
      else {
        await output.table(
          [
            { title: 'key', isWhole: true },
            { title: 'type' },
            { title: 'label' },
            { title: 'contacts', isNumber: true },
            { title: 'description' },
          ],
          data.map(({ key, type, label, contactCount, description }) => [
            ...[key, type, label, count(contactCount), description],
          ]),
        );
      }
    });

  attribute
    .command('define')
    .description('create an attribute, or change its label or description; its type is permanent')
    .argument('<key>', 'lower-case letters, digits and underscores')
    .addOption(
      new Option('--type <type>', 'type of its values; required for a new attribute').choices([...attributeTypes]),
    )
    .option('--label <text>', 'display name (default: the key)')
    .option('--description <text>', 'what the attribute means')
    .addOption(
      new Option('--choices <list>', 'the allowed values of the type choice, separated by commas').argParser(
        readChoices,
      ),
    )
    .addHelpText(
      'after',
      examples(
        'roster attribute define plan --type text --label "Current plan"',
        'roster attribute define seats --type number',
        'roster attribute define size --type choice --choices "1-10,11-50,more"',
        'roster attribute define seats --label "Seats in use"',
      ),
    )
    .action(async (key: string, flags: DefinitionFlags, command: Command) => {
      const fault = faultOfAttributeKey(key);
      if (fault !== undefined) throw usageError(`Invalid key "${key}": it ${fault}.`);
      const roster = await connect(command);
      const before = await find(roster, key);
      const type = flags.type ?? before?.type;
      if (type === undefined) throw usageError(`Pass --type for a new attribute: ${attributeTypes.join(', ')}.`);
      const { label = before?.label ?? key, description = before?.description, choices = before?.choices } = flags;
      if (type === 'choice' && choices === undefined) throw usageError('Pass --choices for the type choice.');
      const { data } = await roster.attributes.define(key, { type, label, description, choices });
      show(outputOf(command), data);
    });

  attribute
    .command('delete')
    .description('delete an attribute and its values; asks for confirmation if any contact has a value')
    .argument('<key>')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText('after', examples('roster attribute delete plan', 'roster attribute delete plan --yes'))
    .action(async (key: string, { yes }: { yes?: boolean }, command: Command) => {
      const roster = await connect(command);
      const found = await find(roster, key);
      if (found === undefined) {
        throw refusal(`The bot has no attribute "${key}". To see all attributes, run "roster attribute list".`);
      }
      if (found.contactCount > 0) {
        await confirmOrStop(
          invocationOf(command),
          `Delete ${key} and its values from ${contacts(found.contactCount)}? This can't be undone.`,
          yes,
        );
      }
      await roster.attributes.delete(key);
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: key, contactCount: found.contactCount });
      else if (found.contactCount === 0) output.print(`Deleted ${key}.`);
      else output.print(`Deleted ${key} and its values from ${contacts(found.contactCount)}.`);
    });
}

function readChoices(list: string): string[] {
  return list.split(',').map((choice) => choice.trim());
}

async function find(roster: Roster, key: string): Promise<Attribute | undefined> {
  return (await roster.attributes.list()).data.find((each) => each.key === key);
}

function show(output: Output, attribute: Attribute): void {
  if (output.isJson) output.json(attribute);
  else output.record(Object.entries(attribute).map(([name, value]) => [name, String(value)]));
}
