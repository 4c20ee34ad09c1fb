// Which contacts a command is for, and in which order: the options that search and export share.
import type { ContactFilter, ContactSort, TimeRange } from '@roster/client';
import { parseDateBound } from '@roster/contract/dates';
import { type exactFilters, faultOfExactFilter } from '@roster/contract/filter-values';
import { sorts } from '@roster/contract/names';
import { emptyFault, faultOfText, normaliseText, tagRules } from '@roster/contract/text-rules';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ConditionFlags, conditionOptions, conditionsOf, optionsOfConditions } from './attribute-conditions.ts';
import { usageError } from './failure.ts';

type TimeFlag = `${'created' | 'updated' | 'seen'}${'Since' | 'Before'}`;

export type FilterFlags = Partial<Record<'email' | 'phone' | 'mid' | 'wid' | TimeFlag, string>> &
  ConditionFlags & { tag?: string[]; anyTag?: string[]; notTag?: string[] };
export type SegmentFlags = { segment?: string };
export type SortFlags = { sort?: ContactSort };

export function withFilters(command: Command): Command {
  const filters: [flags: string, description: string, read: (text: string) => string][] = [
    ['--email <address>', 'with exactly this email', readExact('email')],
    ['--phone <number>', 'whose phone has exactly these digits', readExact('phone')],
    ['--mid <id>', 'with exactly this Messenger ID', readExact('mid')],
    ['--wid <number>', 'whose WhatsApp ID has exactly these digits', readExact('wid')],
    ['--created-since <time>', 'created at this time or later', readTime],
    ['--created-before <time>', 'created before this time', readTime],
    ['--updated-since <time>', 'updated at this time or later', readTime],
    ['--updated-before <time>', 'updated before this time', readTime],
    ['--seen-since <time>', 'recognized by the widget at this time or later', readTime],
    ['--seen-before <time>', 'last recognized before this time', readTime],
  ];
  const options = [
    ...filters.map(([flags, description, read]) => new Option(flags, description).argParser(once(read))),
    new Option('--tag <name>', 'with this tag; repeat to require several').argParser(collectTag),
    new Option('--any-tag <name>', 'with at least one of these tags; repeat it').argParser(collectTag),
    new Option('--not-tag <name>', 'without this tag; repeat to exclude several').argParser(collectTag),
    ...conditionOptions(),
  ];
  for (const option of options) command.addOption(option.helpGroup('Filters (contacts must match all of them):'));
  return command.addHelpText(
    'after',
    '\nA time is a time ago (7d, 12h) or ahead (+7d), a date (2026-11-01, midnight UTC) or a date-time (2026-11-01T12:00:00Z).',
  );
}

export function segmentOption(): Option {
  return new Option('--segment <key>', 'only contacts in this segment; combine with filters to narrow it').argParser(
    once((key) => key),
  );
}

export function sortOption(): Option {
  return new Option('--sort <field>', 'sort order (default: -createdAt, newest first)').choices(sorts);
}

export function filterOf({ email, phone, mid, wid, ...flags }: FilterFlags): ContactFilter {
  const { own, attributes } = conditionsOf(flags);
  const { tags, lastSeenAt, ...fields } = own;
  const exact = Object.entries({ email, phone, mid, wid }).filter(([, value]) => value !== undefined);
  for (const [name] of exact) {
    if (!Object.hasOwn(fields, name)) continue;
    throw usageError(`--${name} cannot be combined with other conditions on ${name}. Remove --${name}, or the others.`);
  }
  const tag = { any: flags.anyTag, not: flags.notTag, exists: tags?.exists };
  return {
    ...fields,
    ...Object.fromEntries(exact),
    createdAt: rangeOf(flags.createdSince, flags.createdBefore),
    updatedAt: rangeOf(flags.updatedSince, flags.updatedBefore),
    lastSeenAt: { ...rangeOf(flags.seenSince, flags.seenBefore), ...lastSeenAt },
    tag: Object.values(tag).every((condition) => condition === undefined) ? flags.tag : { all: flags.tag, ...tag },
    attributes,
  };
}

/** The options that make the same filter, to be copied. Conditions for which there is no option are those of the API. */
export function optionsOf({ tag = [], attributes = {}, ...filter }: ContactFilter): string {
  const timeWords = { createdAt: 'created', updatedAt: 'updated', lastSeenAt: 'seen' };
  const fields = Object.entries(filter).flatMap(([name, condition = {}]) => {
    if (typeof condition === 'string') return [`--${name}`, condition];
    return Object.entries(condition as Record<string, unknown>).flatMap(([operator, value]) => {
      if (operator === 'exists') return [value === true ? '--has' : '--has-no', name];
      if (operator === 'contains') return ['--where', `${name}~${value}`];
      const word = { gte: 'since', lt: 'before' }[operator];
      const isTime = Object.hasOwn(timeWords, name) && word !== undefined;
      if (!isTime) return [`${name}[${operator}]=${value}`];
      return [`--${timeWords[name as keyof typeof timeWords]}-${word}`, String(value).replace(/^-/, '')];
    });
  });
  const tags = Object.entries('length' in tag ? { all: tag } : tag).flatMap(([operator, value]) => {
    if (operator === 'exists') return [value === true ? '--has' : '--has-no', 'tags'];
    const option = { all: '--tag', any: '--any-tag', not: '--not-tag' }[operator];
    if (option === undefined || !Array.isArray(value)) return [`tag[${operator}]=${value}`];
    return value.flatMap((name) => [option, name]);
  });
  return [...fields, ...tags, ...optionsOfConditions(attributes)].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./[\]-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** By the rules of the server. */
export function collectTag(value: string, before: string[] = []): string[] {
  const tag = normaliseText(value, tagRules);
  const fault = tag === '' ? emptyFault : faultOfText(tag, tagRules);
  if (fault !== undefined) throw new InvalidArgumentError(`A tag ${fault}.`);
  return [...before, tag];
}

const rangeOf = (since: string | undefined, before: string | undefined): TimeRange => ({ gte: since, lt: before });

/** The last of two would win, and the first be dropped in silence. */
function once(read: (text: string) => string) {
  return (text: string, earlier: string | undefined): string => {
    if (earlier !== undefined) throw new InvalidArgumentError('Pass this option only once.');
    return read(text);
  };
}

/** By the rules of the server, so that the message names the option and not the parameter. */
function readExact(name: keyof typeof exactFilters) {
  return (text: string): string => {
    const fault = faultOfExactFilter(name, text);
    if (fault === undefined) return text;
    const advice = text.trim() === '' ? ' To select all contacts, leave the option out.' : '';
    throw new InvalidArgumentError(`It ${fault}.${advice}`);
  };
}

/** The server takes `-7d` for seven days ago. On a command line, the minus would look like an option. */
function readTime(text: string): string {
  const time = /^[0-9]+[dh]$/.test(text) ? `-${text}` : text;
  if (parseDateBound(time, 0) !== undefined) return time;
  throw new InvalidArgumentError(
    'Pass a time ago (7d, 12h), a date (2026-11-01), or a date-time with a time zone (2026-11-01T12:00:00Z).',
  );
}
