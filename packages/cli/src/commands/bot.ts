// Bots: list, show, create, change, rename, delete.

import type { Channel, ChannelType, OperatorBot } from '@roster/contract';
import { limits } from '@roster/contract/limits';
import { launcherPositions } from '@roster/contract/names';
import { type Command, Option } from 'commander';
import { examples, outputOf } from '../context.ts';
import { usageError } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmByName } from '../terminal/ask.ts';
import { count, contacts as countContacts } from '../terminal/locale.ts';
import type { Output } from '../terminal/output.ts';
import { wholeNumber } from '../whole-number.ts';

interface SettingFlags {
  name?: string;
  greeting?: string;
  color?: string;
  position?: OperatorBot['position'];
  allowOrigin?: string[];
  anyOrigin?: boolean;
  channel?: string[];
  clearChannels?: boolean;
  greetingIn?: string[];
  clearGreetings?: boolean;
  tokenMaxSeconds?: number;
}

export function addBotCommands(program: Command): void {
  const bot = program.command('bot').description('manage bots and their widgets');

  bot
    .command('list')
    .description('list all bots and how many contacts each has')
    .option('--org <organization>', 'only bots of this organization (id or name)')
    .addHelpText('after', examples('roster bot list', "roster bot list --json | jq -r '.[].id'"))
    .action(async ({ org }: { org?: string }, command: Command) => {
      const bots = await withOperator(command, async (operator) =>
        operator.listBots(org && (await findOrg(operator, org))),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(bots.map((each) => ({ ...describe(each), contactCount: each.contactCount })));
      else {
        await output.table(
          [
            { title: 'id', isWhole: true },
            { title: 'name' },
            { title: 'contacts', isNumber: true },
            { title: 'organization' },
          ],
          bots.map((each) => [each.id, each.name, countOf(each), each.organizationId]),
        );
      }
    });

  bot
    .command('show')
    .description('show the settings of a bot')
    .argument('[bot]', 'id or name of the bot; optional if there is only one')
    .action(async (given: string | undefined, _: unknown, command: Command) => {
      show(outputOf(command), await withOperator(command, (operator) => findBot(operator, given)));
    });

  withSettings(bot.command('create').description('create a bot').argument('<name>'))
    .option('--org <organization>', 'organization (id or name); optional if there is only one')
    .addHelpText('after', examples('roster bot create Support', 'roster bot create Shop --org Acme --color "#2f6fed"'))
    .action(async (name: string, flags: SettingFlags & { org?: string }, command: Command) => {
      const made = await withOperator(command, async (operator) =>
        operator.createBot(await findOrg(operator, flags.org), { ...changesOf(flags), name }),
      );
      show(outputOf(command), made);
    });

  withSettings(
    bot
      .command('set')
      .description('change the settings of a bot')
      .argument('[bot]', 'id or name of the bot; optional if there is only one'),
  )
    .option('--name <text>', 'name of the bot, shown to visitors')
    .option('--any-origin', 'allow the widget on pages of any origin')
    .option('--clear-channels', 'remove all channels')
    .option('--clear-greetings', 'remove the greetings in other languages')
    .addHelpText(
      'after',
      examples(
        'roster bot set --greeting "Hello! How can we help?" --position left',
        'roster bot set Support --allow-origin https://example.com --allow-origin https://shop.example.com',
        'roster bot set --channel whatsapp=+15550100123 --channel "link=https://example.com/help|Help center"',
        'roster bot set --greeting-in "de=Wie können wir helfen?" --greeting-in "fr=Comment pouvons-nous aider ?"',
      ),
    )
    .action(async (given: string | undefined, flags: SettingFlags, command: Command) => {
      const changes = changesOf(flags);
      if (Object.keys(changes).length === 0)
        throw usageError('Nothing to change. Pass at least one setting; see "roster bot set --help".');
      await change(given, changes, command);
    });

  bot
    .command('rename')
    .description('rename a bot')
    .argument('<bot>', 'id or name of the bot')
    .argument('<name>', 'the new name, shown to visitors')
    .addHelpText('after', examples('roster bot rename "My bot" Support'))
    .action((given: string, name: string, _: unknown, command: Command) => change(given, { name }, command));

  bot
    .command('delete')
    .description('delete a bot and all its contacts; asks you to type its name')
    .argument('<bot>', 'id or name of the bot')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText('after', examples('roster bot delete Support', 'roster bot delete bot_… --yes'))
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const deleted = await withOperator(command, async (operator) => {
        const found = await findBot(operator, given);
        const contacts = found.contactCount === null ? 'contacts' : countContacts(found.contactCount);
        await confirmByName(invocationOf(command), {
          warning: `This deletes the bot ${found.name} and its ${contacts}. This can't be undone.`,
          name: found.name,
          isYes: yes,
        });
        await operator.deleteBot(found);
        return found;
      });
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: deleted.id });
      else output.print(`Deleted ${deleted.id} (${deleted.name}).`);
    });
}

function withSettings(command: Command): Command {
  return command
    .option('--greeting <text>', 'greeting in the widget')
    .option('--color <#rrggbb>', 'color of the widget')
    .addOption(new Option('--position <side>', 'where the launcher is shown').choices([...launcherPositions]))
    .option('--allow-origin <origin>', 'origin whose pages may show the widget; can be repeated', collect)
    .option('--greeting-in <language=text>', 'greeting on pages in this language; can be repeated', collect)
    .option(
      '--channel <type=value|label>',
      'button in the widget: whatsapp, messenger, email, phone or link; the label is optional; can be repeated',
      collect,
    )
    .option(
      '--token-max-seconds <seconds>',
      'how long new contact tokens are valid at most',
      wholeNumber(limits.contactTokenSecondsMin, limits.contactTokenSecondsMax),
    );
}

const collect = (value: string, before: string[] = []) => [...before, value];

type BotChanges = Parameters<Operator['updateBot']>[1];

/** Each list replaces the one before. */
function changesOf({ name, greeting, color, position, tokenMaxSeconds, ...flags }: SettingFlags): BotChanges {
  const { allowOrigin, anyOrigin, channel, clearChannels, greetingIn, clearGreetings } = flags;
  const listOf = (list: string[] | undefined, isCleared: boolean | undefined, names: string) => {
    if (isCleared && list !== undefined) throw usageError(`${names} cannot be combined.`);
    return isCleared ? [] : list;
  };
  const allowedOrigins = listOf(allowOrigin, anyOrigin, '--any-origin and --allow-origin');
  const channels = listOf(channel, clearChannels, '--clear-channels and --channel')?.map(channelOf);
  const texts = listOf(greetingIn, clearGreetings, '--clear-greetings and --greeting-in');
  const greetings = texts && Object.fromEntries(texts.map((text) => splitAt(text, '=', '--greeting-in de=Hallo')));
  const lists = { allowedOrigins, channels, greetings };
  const given = Object.entries({ name, greeting, color, position, ...lists, tokenMaxSeconds });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** What the values must be, the service says. */
function channelOf(given: string): Channel {
  const [type, rest] = splitAt(given, '=', '--channel whatsapp=+15550100123');
  const [value = '', label = ''] = rest.split('|', 2);
  return { type: type as ChannelType, value, label };
}

function splitAt(text: string, separator: string, example: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw usageError(`"${text}" has no "${separator}". Example: ${example}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function change(given: string | undefined, changes: BotChanges, command: Command): Promise<void> {
  const changed = await withOperator(command, async (operator) => {
    const found = await findBot(operator, given);
    return operator.updateBot(found, changes);
  });
  show(outputOf(command), changed);
}

/** Null when the part of the database that holds the bot is out of reach. */
function countOf({ contactCount }: { contactCount: number | null }): string {
  return contactCount === null ? 'unavailable' : count(contactCount);
}

async function findBot(operator: Operator, given: string | undefined) {
  return pick('bot', await operator.listBots(), given, 'Pass one of these');
}

export async function findOrg(operator: Operator, given: string | undefined): Promise<string> {
  return pick('organization', await operator.listOrganizations(), given, 'Pass --org with one of these').id;
}

function show(output: Output, bot: OperatorBot): void {
  const shown = describe(bot);
  if (output.isJson) {
    output.json(shown);
    return;
  }
  const channels = shown.channels.map(({ type, value, label }) => `${type}=${value}${label && `|${label}`}`);
  const greetings = Object.entries(shown.greetings).map(([language, text]) => `${language}=${text}`);
  output.record(
    Object.entries({
      ...shown,
      allowedOrigins: shown.allowedOrigins.join(', ') || '(any)',
      channels: channels.join(', ') || '(none)',
      greetings: greetings.join(', ') || '(none)',
      tokenMaxSeconds: String(shown.tokenMaxSeconds),
    }),
  );
}

function describe(bot: OperatorBot) {
  const { id, organizationId, name, greeting, color, position, createdAt } = bot;
  const { allowedOrigins, channels, greetings, tokenMaxSeconds } = bot;
  const settings = { name, greeting, color, position, allowedOrigins, channels, greetings, tokenMaxSeconds };
  return { id, organizationId, ...settings, createdAt };
}
