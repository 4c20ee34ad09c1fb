// Segments: filters of a bot that are kept under a key. List, define, show, delete.
import type { Roster, Segment } from '@roster/client';
import { faultOfKey } from '@roster/contract/attribute-values';
import type { Command } from 'commander';
import { withTypes } from '../attribute-conditions.ts';
import { type FilterFlags, filterOf, optionsOf, type SortFlags, sortOption, withFilters } from '../contact-filters.ts';
import { connect, examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { count } from '../terminal/locale.ts';
import type { Output } from '../terminal/output.ts';

interface DefinitionFlags extends FilterFlags, SortFlags {
  label?: string;
  query?: string;
}

export function addSegmentCommands(program: Command): void {
  const segment = program.command('segment').description('manage segments, which are saved filters, over HTTP');

  segment
    .command('list')
    .description('list the segments of the bot')
    .addHelpText('after', examples('roster segment list', "roster segment list --json | jq -r '.[].key'"))
    .action(async (_: unknown, command: Command) => {
      const { data } = await (await connect(command)).segments.list();
      const output = outputOf(command);
      if (output.isJson) output.json(data);
      else if (data.length === 0) output.note('No segments yet. To create one, run "roster segment define".');
      else {
        await output.table(
          [{ title: 'key', isWhole: true }, { title: 'label' }, { title: 'filter' }, { title: 'sort' }],
          data.map((each) => [each.key, each.label, filterText(each), each.sort]),
        );
      }
    });

  const defining = segment
    .command('define')
    .description('create a segment, or replace the one with this key')
    .argument('<key>', 'lower-case letters, digits and underscores')
    .option('--label <text>', 'display name (default: the key)')
    .option('--query <words>', 'words to search for')
    .addOption(sortOption());
  withFilters(defining)
    .addHelpText(
      'after',
      examples(
        'roster segment define trial_users --label "Trial users" --has trial --created-since 30d',
        'roster segment define big --tag vip --where plan=pro --where plan=team --where "seats>=10" --sort name',
        'roster contacts search --segment big',
      ),
    )
    .action(define);

  segment
    .command('show')
    .description('show a segment and how many contacts it has')
    .argument('<key>')
    .addHelpText('after', examples('roster segment show trial_users', 'roster segment show trial_users --json'))
    .action(async (key: string, _: unknown, command: Command) => {
      const roster = await connect(command);
      await refuseUnknown(roster, key);
      const { data } = await roster.segments.retrieve(key, { include: ['total'] });
      show(outputOf(command), data);
    });

  segment
    .command('delete')
    .description('delete a segment; its contacts are kept')
    .argument('<key>')
    .addHelpText('after', examples('roster segment delete trial_users'))
    .action(async (key: string, _: unknown, command: Command) => {
      const roster = await connect(command);
      await refuseUnknown(roster, key);
      await roster.segments.delete(key);
      const output = outputOf(command);
      if (output.isJson) output.json({ deleted: key });
      else output.print(`Deleted ${key}. Its contacts were kept.`);
    });
}

async function define(key: string, flags: DefinitionFlags, command: Command): Promise<void> {
  const fault = faultOfKey(key);
  if (fault !== undefined) throw usageError(`Invalid key "${key}": it ${fault}.`);
  const { label = key, query, sort, ...filters } = flags;
  const { attributes, ...filter } = filterOf(filters);
  const roster = await connect(command);
  const typed = attributes && withTypes(attributes, (await roster.attributes.list()).data);
  const { data } = await roster.segments.define(key, { label, query, sort, filter: compact(filter, typed) });
  show(outputOf(command), data);
}

/** The server takes no range without a bound. */
function compact(filter: ReturnType<typeof filterOf>, attributes: ReturnType<typeof filterOf>['attributes']) {
  const { createdAt, updatedAt, lastSeenAt, ...others } = filter;
  const hasBound = (range: object | undefined) => Object.values(range ?? {}).some((bound) => bound !== undefined);
  return {
    ...others,
    ...(hasBound(createdAt) && { createdAt }),
    ...(hasBound(updatedAt) && { updatedAt }),
    ...(hasBound(lastSeenAt) && { lastSeenAt }),
    attributes,
  };
}

async function refuseUnknown(roster: Roster, key: string): Promise<void> {
  if ((await roster.segments.list()).data.some((each) => each.key === key)) return;
  throw refusal(`The bot has no segment "${key}". To see all segments, run "roster segment list".`);
}

function show(output: Output, { key, label, ...rest }: Segment & { total?: number }): void {
  if (output.isJson) {
    output.json({ key, label, ...rest });
    return;
  }
  const { sort, total } = rest;
  const shown: [string, string][] = [
    ['key', key],
    ['label', label],
    ['filter', filterText({ key, label, ...rest }) || '(all contacts)'],
    ['sort', sort],
  ];
  if (total !== undefined) shown.push(['contacts', count(total)]);
  output.record(shown);
}

/** As options of a command, words included. */
function filterText({ query, filter }: Segment): string {
  const words = query === '' ? '' : `--query ${JSON.stringify(query)}`;
  return [words, optionsOf(filter)].filter((part) => part !== '').join(' ');
}
