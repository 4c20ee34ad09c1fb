// Tags of a bot's contacts: list, rename, delete. A tag exists while a contact has it, so none is created here.
import type { Roster } from '@roster/client';
import type { Command } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { refusal } from '../failure.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { contacts } from './attribute.ts';

export function addTagCommands(program: Command): void {
  const tag = program.command('tag').description('tags of contacts, over HTTP');

  tag
    .command('list')
    .description('all tags, with the number of contacts that have them')
    .addHelpText('after', examples('roster tag list', "roster tag list --json | jq -r '.[].name'"))
    .action(async (_: unknown, command: Command) => {
      const { data } = await (await connect(command)).tags.list();
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.length === 0) output.note('No contact has a tag. "roster contacts import --tag" adds one.');
      else {
        await output.table(
          [
            { title: 'tag', isWhole: true },
            { title: 'contacts', isNumber: true },
          ],
          data.map(({ name, contactCount }) => [name, contactCount.toLocaleString('en')]),
        );
      }
    });

  tag
    .command('rename')
    .description('give a tag another name, on all contacts that have it')
    .argument('<tag>')
    .argument('<name>', 'the new name')
    .addHelpText('after', examples('roster tag rename vip "Very important"', 'roster tag rename vip VIP'))
    .action(async (given: string, name: string, _: unknown, command: Command) => {
      const roster = await connect(command);
      await countContacts(roster, given);
      const { data } = await roster.tags.rename(given, { name });
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else output.print(`${given} is called ${data.name} now; ${contacts(data.contactCount)} have it.`);
    });

  tag
    .command('delete')
    .description('remove a tag from all contacts; asks first')
    .argument('<tag>')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('roster tag delete vip', 'roster tag delete vip --yes'))
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const roster = await connect(command);
      const contactCount = await countContacts(roster, given);
      await confirmOrStop(`This removes the tag ${given} from ${contacts(contactCount)} for good. Delete it?`, yes);
      await roster.tags.delete(given);
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: given, contactCount });
      else output.print(`Deleted ${given}; ${contacts(contactCount)} had it.`);
    });
}

/** The server knows which spellings are the same tag, so it is asked for the contacts instead of its list of tags. */
async function countContacts(roster: Roster, tag: string): Promise<number> {
  const { pagination } = await roster.contacts.search({ filter: { tag: [tag] }, limit: 1 });
  if (pagination.total > 0) return pagination.total;
  throw refusal(`No contact of this bot has the tag "${tag}". "roster tag list" shows the tags.`);
}
