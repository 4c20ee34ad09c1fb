// Tags of a bot's contacts: list, rename, delete. A tag exists while a contact has it, so none is created here.
import type { Roster } from '@roster/client';
import type { Command } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { refusal } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { contacts, count } from '../terminal/locale.ts';

export function addTagCommands(program: Command): void {
  const tag = program.command('tag').description('manage the tags of contacts, over HTTP');

  tag
    .command('list')
    .description('list all tags and how many contacts have each')
    .addHelpText('after', examples('roster tag list', "roster tag list --json | jq -r '.[].name'"))
    .action(async (_: unknown, command: Command) => {
      const { data } = await (await connect(command)).tags.list();
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.length === 0) output.note('No tags yet. To tag a contact, run "roster contacts update --tag".');
      else {
        await output.table(
          [
            { title: 'tag', isWhole: true },
            { title: 'contacts', isNumber: true },
          ],
          data.map(({ name, contactCount }) => [name, count(contactCount)]),
        );
      }
    });

  tag
    .command('rename')
    .description('rename a tag on all contacts')
    .argument('<tag>')
    .argument('<name>', 'the new name')
    .addHelpText('after', examples('roster tag rename vip "Very important"', 'roster tag rename vip VIP'))
    .action(async (given: string, name: string, _: unknown, command: Command) => {
      const roster = await connect(command);
      await countContacts(roster, given);
      const { data } = await roster.tags.rename(given, { name });
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else output.print(`Renamed ${given} to ${data.name} on ${contacts(data.contactCount)}.`);
    });

  tag
    .command('delete')
    .description('delete a tag from all contacts; asks for confirmation')
    .argument('<tag>')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText('after', examples('roster tag delete vip', 'roster tag delete vip --yes'))
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const roster = await connect(command);
      const contactCount = await countContacts(roster, given);
      await confirmOrStop(
        invocationOf(command),
        `Delete the tag ${given} from ${contacts(contactCount)}? This can't be undone.`,
        yes,
      );
      await roster.tags.delete(given);
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: given, contactCount });
      else output.print(`Deleted ${given} from ${contacts(contactCount)}.`);
    });
}

/** The server knows which spellings are the same tag, so it is asked for the contacts instead of its list of tags. */
async function countContacts(roster: Roster, tag: string): Promise<number> {
  const { pagination } = await roster.contacts.search({ filter: { tag: [tag] }, limit: 1 });
  if (pagination.total > 0) return pagination.total;
  throw refusal(`No contacts of this bot have the tag "${tag}". To see all tags, run "roster tag list".`);
}
