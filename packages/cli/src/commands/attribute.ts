// Attributes of a bot's contacts: list, define, delete. Their values are in contacts import and export.
import type { Attribute, AttributeType, Roster } from '@roster/client';
import { attributeTypes, faultOfAttributeKey } from '@roster/contract';
import { type Command, Option } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';

interface DefinitionFlags {
  type?: AttributeType;
  label?: string;
  description?: string;
}

export function addAttributeCommands(program: Command): void {
  const attribute = program.command('attribute').description('what contacts have beside their five fields, over HTTP');

  attribute
    .command('list')
    .description('all attributes of the bot, with the number of contacts that have a value')
    .addHelpText('after', examples('roster attribute list', "roster attribute list --json | jq -r '.[].key'"))
    .action(async (_: unknown, command: Command) => {
      const { data } = await (await connect(command)).attributes.list();
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.length === 0) output.note('No attributes yet. "roster attribute define" makes one.');
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
            ...[key, type, label, contactCount.toLocaleString('en'), description],
          ]),
        );
      }
    });

  attribute
    .command('define')
    .description('a new attribute, or another label or description of one that exists; its type never changes')
    .argument('<key>', 'lower-case letters, digits and underscores')
    .addOption(new Option('--type <type>', 'which values it has; needed for a new one').choices([...attributeTypes]))
    .option('--label <text>', 'its name for people; the key if left out')
    .option('--description <text>', 'what it is about')
    .addHelpText(
      'after',
      examples(
        'roster attribute define plan --type text --label "Current plan"',
        'roster attribute define seats --type number',
        'roster attribute define seats --label "Seats in use"',
      ),
    )
    .action(async (key: string, flags: DefinitionFlags, command: Command) => {
      const fault = faultOfAttributeKey(key);
      if (fault !== undefined) throw usageError(`The key of an attribute ${fault}; "${key}" does not fit.`);
      const roster = await connect(command);
      const before = await find(roster, key);
      const type = flags.type ?? before?.type;
      if (type === undefined) throw usageError(`A new attribute needs --type: ${attributeTypes.join(', ')}.`);
      const { label = before?.label ?? key, description = before?.description } = flags;
      const { data } = await roster.attributes.define(key, { type, label, description });
      show(outputOf(command), data);
    });

  attribute
    .command('delete')
    .description('remove an attribute, and its values from all contacts; asks if any contact has one')
    .argument('<key>')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('roster attribute delete plan', 'roster attribute delete plan --yes'))
    .action(async (key: string, { yes }: { yes?: boolean }, command: Command) => {
      const roster = await connect(command);
      const found = await find(roster, key);
      if (found === undefined) {
        throw refusal(`The bot has no attribute "${key}". "roster attribute list" shows those that it has.`);
      }
      if (found.contactCount > 0) {
        await confirmOrStop(`This removes ${key} from ${contacts(found.contactCount)} for good. Delete it?`, yes);
      }
      await roster.attributes.delete(key);
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: key, contactCount: found.contactCount });
      else output.print(`Deleted ${key}; ${contacts(found.contactCount)} had a value.`);
    });
}

async function find(roster: Roster, key: string): Promise<Attribute | undefined> {
  return (await roster.attributes.list()).data.find((each) => each.key === key);
}

function show(output: Output, attribute: Attribute): void {
  if (output.isJson) output.json(attribute);
  else output.record(Object.entries(attribute).map(([name, value]) => [name, String(value)]));
}

export function contacts(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'contact' : 'contacts'}`;
}
