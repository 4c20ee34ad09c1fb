// Webhooks of a bot: create, list, show, update, delete, rotate the secret. webhook-deliveries.ts has what is sent to them.
import type { EventType, NewWebhook, Webhook, WebhookChanges } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { type Command, Option } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { typeOption } from '../events/event-options.ts';
import { usageError } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { date, time } from '../terminal/locale.ts';
import type { Output } from '../terminal/output.ts';

interface CreateFlags {
  type?: EventType[];
  description?: string;
}

interface UpdateFlags extends CreateFlags {
  newUrl?: string;
  allTypes?: boolean;
  enable?: boolean;
  disable?: boolean;
}

const describedUpTo = `what the webhook is for, up to ${limits.webhookDescriptionLength} characters`;

export function addWebhookCommands(webhook: Command): void {
  webhook
    .command('create')
    .description('create a webhook; its secret is shown only once')
    .argument('<url>', 'address of the receiver, https:')
    .addOption(typeOption('only events of this type; repeat for several (default: all)'))
    .option('--description <text>', describedUpTo)
    .addHelpText(
      'after',
      examples(
        'roster webhook create https://shop.example.com/hooks/roster',
        'roster webhook create https://crm.example.com/roster --type contact.created --type contact.deleted --description CRM',
      ),
    )
    .action(async (url: string, { type, description }: CreateFlags, command: Command) => {
      const { data } = await (await connect(command)).webhooks.create({ url, types: type, description });
      const output = outputOf(command);
      showSecret(output, data);
      output.note(
        `Created ${data.id}. Copy this secret now: it won't be shown again. Your receiver verifies messages with it.`,
      );
    });

  webhook
    .command('list')
    .description('list the webhooks of the bot')
    .addHelpText('after', examples('roster webhook list', "roster webhook list --json | jq -r '.[].id'"))
    .action(async (_: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.list();
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.length === 0) output.note('No webhooks yet. To create one, run "roster webhook create".');
      else {
        await output.table(
          ['id', 'url', 'state', 'types', 'description', 'created'].map((title) => ({
            title,
            isWhole: title === 'id',
          })),
          data.map((each) => [each.id, each.url, stateOf(each), typesOf(each), each.description, date(each.createdAt)]),
        );
      }
    });

  webhook
    .command('show')
    .description('show a webhook')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', examples('roster webhook show whk_…', 'roster webhook show whk_… --json'))
    .action(async (id: string, _: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.retrieve(id);
      show(outputOf(command), data);
    });

  webhook
    .command('update')
    .description('change a webhook; what is left out keeps its value')
    .argument('<webhook>', 'id of the webhook')
    // --url is the address of the server, for every command.
    .option('--new-url <url>', 'new address of the receiver')
    .addOption(typeOption('only events of this type; repeat for several'))
    .addOption(new Option('--all-types', 'events of all types').conflicts('type'))
    .option('--description <text>', `${describedUpTo}; "" removes it`)
    .option('--enable', 'send events again, including those that are pending')
    .addOption(new Option('--disable', 'stop sending events').conflicts('enable'))
    .addHelpText(
      'after',
      examples(
        'roster webhook update whk_… --new-url https://shop.example.com/hooks/v2',
        'roster webhook update whk_… --type contact.created --type contact.deleted',
        'roster webhook update whk_… --enable',
      ),
    )
    .action(async (id: string, flags: UpdateFlags, command: Command) => {
      const changes = changesOf(flags);
      if (Object.values(changes).every((value) => value === undefined)) {
        throw usageError(
          'Nothing to update. Pass at least one of --new-url, --type, --all-types, --description, --enable, --disable.',
        );
      }
      const { data } = await (await connect(command)).webhooks.update(id, changes);
      show(outputOf(command), data);
    });

  webhook
    .command('delete')
    .description('delete a webhook; asks for confirmation')
    .argument('<webhook>', 'id of the webhook')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText('after', examples('roster webhook delete whk_…', 'roster webhook delete whk_… --yes'))
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const roster = await connect(command);
      const { data } = await roster.webhooks.retrieve(id);
      await confirmOrStop(
        invocationOf(command),
        `Delete ${id} (${data.url})? Events that are pending won't be sent.`,
        yes,
      );
      await roster.webhooks.delete(id);
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: id });
      else output.print(`Deleted ${id} (${data.url}).`);
    });

  webhook
    .command('rotate')
    .description('replace the secret of a webhook; the new one is shown only once')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', examples('roster webhook rotate whk_…'))
    .action(async (id: string, _: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.rotate(id);
      const output = outputOf(command);
      showSecret(output, data);
      output.note(
        "Copy this secret now: it won't be shown again. Messages are signed with the old secret as well for 24 hours.",
      );
    });
}

function changesOf({ newUrl, type, allTypes, description, enable, disable }: UpdateFlags): WebhookChanges {
  return {
    url: newUrl,
    types: allTypes ? null : type,
    description,
    isEnabled: enable ? true : disable ? false : undefined,
  };
}

/** The secret alone, so that $(…) is the secret. */
function showSecret(output: Output, webhook: NewWebhook): void {
  if (output.isJson) output.json(webhook);
  else output.print(webhook.secret);
}

export function show(output: Output, webhook: Webhook): void {
  if (output.isJson) {
    output.json(webhook);
    return;
  }
  const { id, url, description, createdAt } = webhook;
  output.record([
    ['id', id],
    ['url', url],
    ['types', typesOf(webhook)],
    ['description', description],
    ['state', stateOf(webhook)],
    ['created', time(createdAt)],
  ]);
}

const typesOf = ({ types }: Webhook): string => types?.join(', ') ?? 'all';

const offReasons = {
  gone: 'switched off: the receiver responded with 410',
  failing: 'switched off: all deliveries failed for five days',
} as const;

function stateOf({ isEnabled, disabledReason, failingSince }: Webhook): string {
  if (isEnabled) return failingSince === null ? 'enabled' : `failing since ${time(failingSince)}`;
  return disabledReason === null ? 'disabled' : offReasons[disabledReason];
}
