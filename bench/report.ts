// Formats the result of a run: the same tables as plain text and as Markdown, and what a user asks for in one.

import { machineLine } from './machine.ts';
import { listNames, names } from './operation-names.ts';
import type { Cell, ContentionResult, FiltersResult, LoadResult, Result, SustainedResult } from './result.ts';
import { pairedRatio, type Summary } from './statistics.ts';

interface Section {
  title: string;
  /** A sentence before the table. */
  about: string;
  /** The first row is the head. The first column is text, the others are numbers. */
  rows: string[][];
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const notMeasured = '–';

export function asText(result: Result): string {
  const sections = sectionsOf(result).map(({ title, about, rows }) => `${title}\n${about}\n\n${textTable(rows)}`);
  return [heading(result), ...sections].join('\n\n');
}

export function asMarkdown(result: Result): string {
  const sections = sectionsOf(result).map(
    ({ title, about, rows }) => `## ${title}\n\n${about}\n\n${markdownTable(rows)}`,
  );
  return [heading(result), ...sections].join('\n\n');
}

/** In the words of docs/performance.md. */
const operationsOfUsers: readonly [label: string, operation: string][] = [
  ['read a contact', names.retrieve],
  ['page of the list', names.list],
  ['search, one match', names.oneHit],
  ['search, 0.4% match', names.narrow],
  ['search, 40% match, first time', names.broadFirst],
  ['search, 40% match, again', names.broad],
  ['create', names.create],
  ['update', names.update],
  ['upsert of 1000', names.upsert],
  ['export page of 1000', names.exportDeep],
];

/** One table: how long each operation takes, what the size of the bot does to it, and how many a second are possible. */
export function asSummary(result: Result): string {
  const [smallest] = result.sizes;
  const connections = Math.max(...result.connections);
  const rows = operationsOfUsers.flatMap(([label, operation]) => {
    const find = (contacts: number | undefined, atOnce: number) =>
      result.cells.find(
        (cell) => cell.operation === operation && cell.contacts === contacts && cell.connections === atOnce,
      );
    const one = find(largestOf(result), 1);
    if (one === undefined) return [];
    const many = find(largestOf(result), connections);
    const first = find(smallest?.contacts, 1);
    return [
      [
        label,
        ms(one.p50Ms),
        ms(one.p99Ms),
        first === undefined ? notMeasured : times(one.p50Ms, first.p50Ms),
        many === undefined || connections === 1 ? notMeasured : rate(many.perSecond),
      ],
    ];
  });
  const head = [
    '',
    'p50 ms',
    'p99 ms',
    `p50 against ${whole.format(smallest?.contacts ?? 0)}`,
    `a second, ${connections} at once`,
  ];
  const { memoryMiB = 0, diskMiB = 0 } = result.sizes.at(-1) ?? {};
  const load = result.load && ` An import ran at ${rate(result.load.perSecond)} contacts a second.`;
  return [
    heading(result),
    markdownTable([head, ...rows]),
    `The server took ${whole.format(memoryMiB)} MiB of memory, and all data ${whole.format(diskMiB)} MiB of disk.${load ?? ''}`,
  ].join('\n\n');
}

function heading(result: Result): string {
  const { rounds, seconds, smallBots, smallBotContacts, measuredAt } = result;
  const beside = smallBots === 1 ? 'a small bot' : `${whole.format(smallBots)} small bots`;
  return [
    `${whole.format(largestOf(result))} contacts in one bot, ${beside} of ${whole.format(smallBotContacts)} beside it; ${rounds} rounds of ${seconds} s; ${measuredAt.slice(0, 10)}.`,
    `${machineLine(result.machine)}.`,
  ].join('\n');
}

function sectionsOf(result: Result): Section[] {
  return [
    barsSection(result),
    ...(result.cells.length > 0 ? [operationsSection(result)] : []),
    sizesSection(result),
    ...(result.load ? [loadSection(result.load)] : []),
    ...(result.contention ? [contentionSection(result.contention)] : []),
    ...(result.sustained ? [sustainedSection(result.sustained)] : []),
    ...(result.filters ? [listsSection(result.filters), valuesSection(result.filters)] : []),
  ];
}

function barsSection({ bars }: Result): Section {
  const verdict = { true: 'met', false: 'NOT MET', undefined: 'not measured' };
  return {
    title: 'Bars',
    about: 'The limits that the project sets itself, at the largest size.',
    rows: [
      ['bar', 'value', 'limit', ''],
      ...bars.map(({ name, kind, limit, value, isMet }) => [
        name,
        value === undefined ? notMeasured : value.toFixed(2),
        `${kind} ${limit}`,
        verdict[`${isMet}`],
      ]),
    ],
  };
}

function operationsSection(result: Result): Section {
  const largest = largestOf(result);
  const others = result.sizes.map(({ contacts }) => contacts).filter((contacts) => contacts !== largest);
  const find = ({ operation, connections }: Cell, contacts: number) =>
    result.cells.find(
      (cell) => cell.operation === operation && cell.connections === connections && cell.contacts === contacts,
    );
  const shown = result.cells.filter(({ contacts }) => contacts === largest || contacts === 0);
  return {
    title: 'Operations',
    about:
      'Growth is the value divided by the one at the smaller size: requests per second / p50 / p99. CPU time is that of the server’s process for one request, with the background work that it causes. A search that takes seconds is not measured on many connections.',
    rows: [
      [
        'operation',
        'connections',
        'per second',
        'p50 ms',
        'p99 ms',
        'of bare',
        'CPU µs',
        'of bare',
        ...others.map((contacts) => `against ${whole.format(contacts)}`),
      ],
      ...shown.map((cell) => [
        cell.contacts === 0 ? `${cell.operation}, without the large bot` : cell.operation,
        String(cell.connections),
        rate(cell.perSecond),
        ms(cell.p50Ms),
        ms(cell.p99Ms),
        cell.ofBareHttp?.toFixed(3) ?? notMeasured,
        cell.cpuUs === undefined ? notMeasured : whole.format(cell.cpuUs),
        cell.cpuOfBareHttp?.toFixed(1) ?? notMeasured,
        ...others.map((contacts) => (cell.contacts === 0 ? notMeasured : growth(cell, find(cell, contacts)))),
      ]),
    ],
  };
}

function growth(cell: Cell, smaller: Cell | undefined): string {
  if (smaller === undefined) return notMeasured;
  const ratios = [
    pairedRatio(cell.perSecondByRound, smaller.perSecondByRound),
    cell.p50Ms / smaller.p50Ms,
    cell.p99Ms / smaller.p99Ms,
  ];
  return ratios.map((ratio) => (ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0))).join(' / ');
}

function sizesSection({ sizes, smallBots }: Result): Section {
  const [smallest] = sizes;
  const times = (value: number, first: number | undefined) => (first ? `${(value / first).toFixed(1)}×` : notMeasured);
  return {
    title: 'Memory and disk',
    about: `Of the server after all operations, and of the data set${smallBots > 1 ? ' with its small bots' : ''} before them.`,
    rows: [
      ['contacts', 'memory MiB', 'grew', 'disk MiB', 'grew'],
      ...sizes.map(({ contacts, memoryMiB, diskMiB }) => [
        whole.format(contacts),
        whole.format(memoryMiB),
        times(memoryMiB, smallest?.memoryMiB ?? Number.NaN),
        diskMiB.toFixed(1),
        times(diskMiB, smallest?.diskMiB ?? Number.NaN),
      ]),
    ],
  };
}

function loadSection(load: LoadResult): Section {
  return {
    title: 'Bulk load',
    about: `${whole.format(load.contacts)} contacts into an empty bot by ${load.connections} connections, against the engine's own statements in a bare script; the server then takes ${whole.format(load.memoryMiB)} MiB.`,
    rows: [
      ['', 'the service', 'bare script', 'share'],
      ...(
        [
          ['contacts per second', load.perSecond, load.barePerSecond],
          ['in the first tenth', load.perSecondAtStart, load.barePerSecondAtStart],
          ['in the last tenth', load.perSecondAtEnd, load.barePerSecondAtEnd],
        ] as const
      ).map(([name, ours, bare]) => [name, rate(ours), rate(bare), (ours / bare).toFixed(2)]),
      [
        'upserts of 1000 per second, half of them changes',
        rate(load.upsertsPerSecond),
        rate(load.bareUpsertsPerSecond),
        load.upsertsOfBare.toFixed(2),
      ],
      [
        'retrieve p50 / p99 ms, quiet and during the load',
        both(load.retrieveQuiet),
        both(load.retrieveMeanwhile),
        slower(load.retrieveQuiet, load.retrieveMeanwhile),
      ],
    ],
  };
}

function contentionSection(contention: ContentionResult): Section {
  const { background, refused, searchRefused } = contention;
  const rows: [name: string, quiet: Summary, meanwhile: Summary][] = [
    ['retrieve', contention.retrieveQuiet, contention.retrieveMeanwhile],
    [
      `search of another organization (${searchRefused} rejected with 503)`,
      contention.searchQuiet,
      contention.searchMeanwhile,
    ],
    ['search with one hit, during creates instead', contention.narrowQuiet, contention.narrowBesideCreates],
  ];
  return {
    title: 'During expensive searches',
    about: `${contention.connections} connections of one organization run expensive searches: ${rate(background.perSecond)} per second, p99 ${ms(background.p99Ms)} ms, ${whole.format(refused)} rejected with 503; the server takes ${whole.format(contention.memoryMiB)} MiB. One other connection meanwhile:`,
    rows: [
      ['p50 / p99 ms', 'quiet', 'meanwhile', 'slower'],
      ...rows.map(([name, quiet, meanwhile]) => [name, both(quiet), both(meanwhile), slower(quiet, meanwhile)]),
    ],
  };
}

function listsSection({ contacts, lists }: FiltersResult): Section {
  return {
    title: 'Filters and order',
    about: `Lists with their exact totals, on one connection, in a bot of ${whole.format(contacts)} contacts that have eight attributes and three tags each. Where a range is asked for, it is one of ten.`,
    rows: [
      ['list', 'the first time, ms', 'p50 ms', 'p99 ms', 'requests'],
      ...lists.map(({ kind, firstMs, again }) => [
        listNames[kind],
        ms(firstMs),
        ms(again.p50Ms),
        ms(again.p99Ms),
        whole.format(again.requests),
      ]),
    ],
  };
}

function valuesSection({ writes }: FiltersResult): Section {
  return {
    title: 'Writes of attributes and tags',
    about:
      'Contacts with eight attributes and three tags against contacts without, in the same bot. An update sends all of them and changes three.',
    rows: [
      ['requests per second', 'connections', 'without', 'with', 'share', 'CPU µs without', 'with'],
      ...writes.map(({ name, connections, without, withValues, share }) => [
        name,
        String(connections),
        rate(without.perSecond),
        rate(withValues.perSecond),
        share.toFixed(2),
        ...[without, withValues].map(({ cpuUs }) => (cpuUs === undefined ? notMeasured : whole.format(cpuUs))),
      ]),
    ],
  };
}

function sustainedSection(sustained: SustainedResult): Section {
  const { connections, seconds, writes, narrowQuiet, narrowBeside } = sustained;
  const row = (name: string, { perSecond, p50Ms, p99Ms, worstMs, cpuUs }: Summary) => [
    name,
    rate(perSecond),
    ms(p50Ms),
    ms(p99Ms),
    ms(worstMs),
    times(p99Ms, p50Ms),
    times(worstMs, p50Ms),
    cpuUs === undefined ? notMeasured : whole.format(cpuUs),
  ];
  return {
    title: 'Writes that never pause',
    about: `${connections} connections for ${seconds} s each, with one connection that searches beside them; the server then takes ${whole.format(sustained.memoryMiB)} MiB.`,
    rows: [
      ['', 'per second', 'p50 ms', 'p99 ms', 'worst ms', 'p99 of p50', 'worst of p50', 'CPU µs'],
      ...writes.map(({ name, summary }) => row(name, summary)),
      row('search with one hit, without writes', narrowQuiet),
      row('search with one hit, beside the writes', narrowBeside),
    ],
  };
}

function both({ p50Ms, p99Ms }: Summary): string {
  return `${ms(p50Ms)} / ${ms(p99Ms)}`;
}

function slower(quiet: Summary, meanwhile: Summary): string {
  return `${times(meanwhile.p50Ms, quiet.p50Ms)} / ${times(meanwhile.p99Ms, quiet.p99Ms)}`;
}

function times(value: number, first: number): string {
  const ratio = value / first;
  return Number.isFinite(ratio) ? `${ratio.toFixed(1)}×` : notMeasured;
}

function largestOf({ sizes }: Result): number {
  return sizes.at(-1)?.contacts ?? 0;
}

function rate(perSecond: number): string {
  return perSecond < 100 ? perSecond.toFixed(1) : whole.format(perSecond);
}

function ms(value: number): string {
  if (!Number.isFinite(value)) return notMeasured;
  return value < 100 ? value.toFixed(2) : whole.format(value);
}

function textTable(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function markdownTable([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const alignment = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [line(head), line(alignment), ...rows.map(line)].join('\n');
}
