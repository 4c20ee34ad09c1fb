// roster events follow: prints events as they happen, and keeps the position to go on from.
import { type EventInclude, EventsExpiredError, type EventType } from '@roster/client';
import { type Command, InvalidArgumentError } from 'commander';
import { connect, examples, outputOf } from '../context.ts';
import { readPosition, typeOption } from '../events/event-options.ts';
import { eventText } from '../events/event-text.ts';
import { type FeedPage, followPages } from '../events/feed.ts';
import { openPositionFile } from '../events/position-file.ts';
import { exitCodes } from '../exit-codes.ts';
import { CliError, withAdvice } from '../failure.ts';
import { findContactId } from '../find-contact.ts';
import { catchInterruption } from '../interruption.ts';
import { invocationOf } from '../invocation.ts';
import { endWithReader } from '../terminal/output.ts';
import { safeJson } from '../terminal/safe-text.ts';

interface FollowFlags {
  after?: string;
  type?: EventType[];
  contact?: string;
  include?: EventInclude[];
  positionFile?: string;
}

export function addEventsFollow(events: Command): void {
  events
    .command('follow')
    .description('print events as they happen, until Ctrl-C')
    .option('--after <position>', 'start after this position, or "now" (default: at the oldest event)', (text) =>
      text === 'now' ? text : readPosition(text),
    )
    .option('--position-file <file>', 'continue from the position in this file, and keep it up to date')
    .addOption(typeOption('only events of this type; repeat for several'))
    .option('--contact <contact>', 'only events of this contact (id or email)')
    .option('--include <what>', 'add the contact as it is now: contact,attributes,tags', readInclude)
    .addHelpText(
      'after',
      `${examples(
        'roster events follow --after now',
        'roster events follow --type contact.created --type contact.deleted',
        'roster events follow --contact jane@example.com --include contact,tags',
        'roster events follow --position-file position >> events.ndjson',
        'roster events follow --json --after now --include contact | my-program',
      )}
With --json, or if stdout is not a terminal, each line is an event as JSON. Its "position" is where to continue from
once the event is handled.

A position file is updated after the events before it are written. If the command is stopped in between, the last
events come again at the next run, and none is lost. If the file exists, --after is ignored.
`,
    )
    .action(follow);
}

async function follow(flags: FollowFlags, command: Command): Promise<void> {
  const output = outputOf(command);
  const { type, include, contact, positionFile } = flags;
  const file = positionFile === undefined ? undefined : await openPositionFile(positionFile);
  const roster = await connect(command);
  const contactId = contact === undefined ? undefined : await findContactId(roster, contact);
  const linesOf = output.isJson || !output.stdout.isTTY ? jsonLines : textLines;
  endWithReader(output);
  const interruption = catchInterruption(invocationOf(command));
  let position = file?.position;
  try {
    const selection = { after: position ?? flags.after, type, contactId, include };
    for await (const page of followPages(roster, selection, { signal: interruption.signal, output })) {
      if (page.events.length > 0) await output.writeDurably(linesOf(page));
      if (page.next !== position) await file?.keep(page.next);
      position = page.next;
    }
  } catch (error) {
    if (error instanceof EventsExpiredError) throw withAdvice(error, adviceOnExpired(error, positionFile));
    if (interruption.isRequested) {
      throw new CliError(exitCodes.interrupted, `Interrupted.${advice(position, positionFile)}`);
    }
    if (position !== undefined && file === undefined) output.note(advice(position, positionFile).trim());
    throw error;
  } finally {
    interruption.release();
  }
}

/** An event is handled by whoever reads its line: only the last one of a page is followed by the next page. */
function jsonLines({ events, after, next }: FeedPage): string {
  const last = events.length - 1;
  return events
    .map((event, at) => `${safeJson({ ...event, position: at === last ? next : (after ?? null) })}\n`)
    .join('');
}

const textLines = ({ events }: FeedPage) => events.map((event) => `${eventText(event)}\n`).join('');

function advice(position: string | undefined, file: string | undefined): string {
  if (position === undefined) return '';
  return file === undefined
    ? ` To continue from here, pass --after ${position}.`
    : ` To continue from here, pass --position-file ${file} again.`;
}

/** Of what happened meanwhile there are no events any more, only the contacts as they are now. */
function adviceOnExpired({ next }: EventsExpiredError, file: string | undefined): string {
  const goOn = file === undefined ? `continue with --after ${next}` : `write ${next} to ${file} and run this again`;
  return `Read all contacts with "roster contacts export", then ${goOn}.`;
}

const includable: readonly EventInclude[] = ['contact', 'attributes', 'tags'];

function readInclude(text: string): EventInclude[] {
  return text.split(',').map((each) => {
    const name = includable.find((known) => known === each.trim());
    if (name === undefined)
      throw new InvalidArgumentError(`Pass any of ${includable.join(', ')}, separated by commas.`);
    return name;
  });
}
