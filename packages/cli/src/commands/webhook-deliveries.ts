// What is sent to a webhook: a test message, the deliveries, and events again.
import { type Delivery, type DeliveryStatus, EventsExpiredError, type Roster, type WebhookTest } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { deliveryStatuses } from '@roster/contract/names';
import { type Command, Option } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { readPosition } from '../events/event-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { withAdvice } from '../failure.ts';
import { setExitCode } from '../invocation.ts';
import { count, time } from '../terminal/locale.ts';
import { safeText } from '../terminal/safe-text.ts';
import { wholeNumber } from '../whole-number.ts';

interface DeliveriesFlags {
  status?: DeliveryStatus;
  limit: number;
}

export function addWebhookDeliveries(webhook: Command): void {
  webhook
    .command('test')
    .description('send a test message to a webhook; exit code 1 if the receiver fails')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', examples('roster webhook test whk_…'))
    .action(async (id: string, _: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.test(id);
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.status === 'succeeded') output.markedLine('green', 'ok', answerOf(data));
      else output.markedLine('red', 'failed', answerOf(data));
      if (data.status === 'failed') setExitCode(command, exitCodes.failed);
    });

  webhook
    .command('deliveries')
    .description('list the deliveries of a webhook of the last 30 days, newest first')
    .argument('<webhook>', 'id of the webhook')
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices([...deliveryStatuses]))
    .option('--limit <number>', 'deliveries to show', wholeNumber(1), limits.deliveryPageSizeDefault)
    .addHelpText(
      'after',
      examples('roster webhook deliveries whk_…', 'roster webhook deliveries whk_… --status failed --limit 500'),
    )
    .action(listDeliveries);

  webhook
    .command('retry')
    .description('send an event again to a webhook')
    .argument('<webhook>', 'id of the webhook')
    .argument('<event>', 'id of the event')
    .addHelpText('after', examples('roster webhook retry whk_… evt_…'))
    .action(async (id: string, eventId: string, _: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.retry(id, eventId);
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else output.print(`Sending ${data.eventId} again. To see how it went, run "roster webhook deliveries ${id}".`);
    });

  webhook
    .command('retry-failed')
    .description('send all failed events again to a webhook')
    .argument('<webhook>', 'id of the webhook')
    .addHelpText('after', examples('roster webhook retry-failed whk_…'))
    .action(async (id: string, _: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.retryFailed(id);
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.count === 0) output.note('No failed deliveries.');
      else output.print(`Sending ${count(data.count)} ${data.count === 1 ? 'event' : 'events'} again.`);
    });

  webhook
    .command('skip')
    .description('give up the delivery of an event, so that later events of its contact follow')
    .argument('<webhook>', 'id of the webhook')
    .argument('<event>', 'id of the event')
    .addHelpText('after', examples('roster webhook skip whk_… evt_…'))
    .action(async (id: string, eventId: string, _: unknown, command: Command) => {
      const { data } = await (await connect(command)).webhooks.skip(id, eventId);
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else output.print(data.status === 'skipped' ? `Skipped ${eventId}.` : `${eventId} was delivered already.`);
    });

  webhook
    .command('replay')
    .description('send all events after a position again to a webhook')
    .argument('<webhook>', 'id of the webhook')
    .option('--after <position>', 'position in the feed (default: all events that are kept)', readPosition)
    .addHelpText('after', examples('roster webhook replay whk_…', 'roster webhook replay whk_… --after 3f2a9c01d4e7-2'))
    .action(async (id: string, { after }: { after?: string }, command: Command) => {
      const { data } = await (await connect(command)).webhooks.replay(id, { after }).catch(adviseOnExpired);
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else
        output.print(
          `Sending ${after === undefined ? 'all events that are kept' : `all events after ${after}`} to ${data.id} again.`,
        );
      if (!data.isEnabled) output.note(`The webhook is off. To enable it, run "roster webhook update ${id} --enable".`);
    });
}

async function listDeliveries(id: string, flags: DeliveriesFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  const { deliveries, hasMore } = await collect(await connect(command), id, flags);
  if (output.isJson) return output.json(deliveries);
  if (deliveries.length === 0) return output.note('No deliveries.');
  await output.table(
    [
      { title: 'event', isWhole: true },
      { title: 'type' },
      { title: 'status' },
      { title: 'attempts', isNumber: true },
      { title: 'last attempt' },
      { title: 'next attempt' },
      { title: 'response' },
    ],
    deliveries.map((each) => [
      each.eventId,
      each.type,
      each.status,
      count(each.attempts),
      each.lastAttemptAt === null ? '' : time(each.lastAttemptAt),
      each.isWaiting ? 'after an earlier event' : each.nextAttemptAt === null ? '' : time(each.nextAttemptAt),
      responseOf(each),
    ]),
  );
  if (hasMore) output.note(`\nThese are the newest ${count(flags.limit)}. For more, pass --limit.`);
}

/** Pages until there are so many. */
async function collect(roster: Roster, id: string, { status, limit }: DeliveriesFlags) {
  const deliveries: Delivery[] = [];
  let before: string | undefined;
  for (;;) {
    const size = Math.min(limit - deliveries.length, limits.deliveryPageSizeMax);
    const { data, next } = await roster.webhooks.deliveries(id, { status, before, limit: size });
    deliveries.push(...data);
    if (next === null || deliveries.length >= limit) return { deliveries, hasMore: next !== null };
    before = next;
  }
}

function responseOf({ statusCode, response, error }: Pick<Delivery, 'statusCode' | 'response' | 'error'>): string {
  return [statusCode ?? error ?? '', inOneLine(response)].filter((part) => part !== '').join(' ');
}

function answerOf({ statusCode, response, error, durationMs }: WebhookTest): string {
  const took = `in ${count(durationMs)} ms`;
  if (statusCode === null) return safeText(`No response: ${error} (${took}).`);
  const text = inOneLine(response);
  return safeText(`The receiver responded with ${statusCode} ${took}${text === '' ? '.' : `: ${text}`}`);
}

/** Pages of errors have many lines, and most others end in one. */
const inOneLine = (response: string | null): string => (response ?? '').trim().replaceAll(/\s+/g, ' ');

function adviseOnExpired(error: unknown): never {
  throw error instanceof EventsExpiredError
    ? withAdvice(error, 'To send all events that are kept, leave out --after.')
    : error;
}
