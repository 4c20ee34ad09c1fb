// roster events listen: posts events to a receiver on this machine as a webhook would, without a public address.
import { randomBytes } from 'node:crypto';
import type { EventType } from '@roster/client';
import { type Command, InvalidArgumentError } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { typeOption } from '../events/event-options.ts';
import { stamp } from '../events/event-text.ts';
import { type FollowedEvent, followPages } from '../events/feed.ts';
import { type Forwarded, forward, isSuccess } from '../events/forward.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import { catchInterruption } from '../interruption.ts';
import { invocationOf } from '../invocation.ts';
import { count } from '../terminal/locale.ts';
import type { Output } from '../terminal/output.ts';
import { safeText } from '../terminal/safe-text.ts';

interface ListenFlags {
  forward: URL;
  type?: EventType[];
  secret?: string;
}

export function addEventsListen(events: Command): void {
  events
    .command('listen')
    .description('forward new events to a receiver on your machine, signed as by a webhook, until Ctrl-C')
    .requiredOption('--forward <url>', 'address of the receiver', readUrl)
    .addOption(typeOption('only events of this type; repeat for several'))
    .option('--secret <whsec>', 'secret to sign with (default: a new one, which is printed)', readSecret)
    .addHelpText(
      'after',
      `${examples(
        'roster events listen --forward http://127.0.0.1:3000/hook',
        'roster events listen --forward http://127.0.0.1:3000/hook --type contact.created --secret whsec_…',
      )}
For developing a receiver: it gets the messages that a webhook would send, one after the other, and needs no public
address. Each event is sent once. Unlike a webhook, the command does not retry failed deliveries.
`,
    )
    .action(listen);
}

async function listen({ forward: url, type, secret: given }: ListenFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  const roster = await connect(command);
  const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
  const interruption = catchInterruption(invocationOf(command));
  const { signal } = interruption;
  let isStarted = false;
  try {
    const selection = { after: 'now', type, include: ['contact', 'attributes', 'tags'] as const };
    for await (const { events } of followPages(roster, selection, { signal, output })) {
      if (!isStarted) await introduce(output, url, { secret, isNew: given === undefined });
      isStarted = true;
      for (const event of events) {
        const sentAt = new Date().toISOString();
        const sent = await forward(url, secret, event, signal);
        if (signal.aborted) break;
        await report(output, event, { sentAt, ...sent });
      }
    }
  } catch (error) {
    if (!interruption.isRequested) throw error;
    throw new CliError(exitCodes.interrupted, 'Interrupted.');
  } finally {
    interruption.release();
  }
}

/** Comes when the end of the feed is known: no event from here on is missed. */
async function introduce(output: Output, { href }: URL, { secret, isNew }: { secret: string; isNew: boolean }) {
  if (output.isJson) return output.jsonLine({ url: href, secret });
  output.note(`Forwarding new events to ${href}. Press Ctrl-C to stop.`);
  if (isNew) output.note(`They are signed with ${secret}\nTo sign with the same secret again, pass it as --secret.`);
}

async function report(output: Output, { id, type }: FollowedEvent, sent: Forwarded & { sentAt: string }) {
  if (output.isJson) return output.jsonLine({ eventId: id, type, ...sent });
  const { sentAt, statusCode, error, durationMs } = sent;
  const outcome = statusCode === null ? error : `${statusCode} in ${count(durationMs)} ms`;
  const text = safeText(`${stamp(sentAt, type)}  ${id}  ${outcome}`);
  if (isSuccess(sent)) output.markedLine('green', 'ok    ', text);
  else output.markedLine('red', 'failed', text);
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Pass a URL, like http://127.0.0.1:3000/hook.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('It must not contain a user name or a password.');
  return url;
}

/** 24 to 64 bytes, as Standard Webhooks has it. */
function readSecret(text: string): string {
  const bytes = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text.slice(6), 'base64').length : 0;
  if (bytes >= 24 && bytes <= 64) return text;
  throw new InvalidArgumentError('Pass a secret of a webhook: whsec_ and 24 to 64 bytes in base64.');
}
