// The limits that a run is judged by ("bars"), and whether it meets them. Almost every bar is a ratio of two
// measurements of the same run, because absolute numbers differ between machines.
import type { EngineKind } from './engine.ts';
import { listNames, names } from './operation-names.ts';
import type { BarOutcome, Cell, ContentionResult, LoadResult, Result } from './result.ts';
import type { ListKind } from './sample-values.ts';
import { pairedRatio } from './statistics.ts';

type Measured = Pick<
  Result,
  'engine' | 'sizes' | 'cells' | 'connections' | 'load' | 'contention' | 'sustained' | 'filters'
>;
type Kind = BarOutcome['kind'];
type Bar = [name: string, kind: Kind, limit: number, value: number | undefined];

const whole = new Intl.NumberFormat('en');

/** Shares of the bare `node:http` server's rate, at 100,000 contacts where these are measured, and 50 connections. */
const sharesOfBareHttp: Record<EngineKind, Record<string, number>> = {
  sqlite: { [names.retrieve]: 0.45, [names.create]: 0.35, [names.update]: 0.35, [names.oneHit]: 0.08 },
  postgres: { [names.retrieve]: 0.25, [names.create]: 0.12, [names.oneHit]: 0.05 },
};
const sharedSize = 100_000;
/** CPU time as multiples of the bare server's, at the same size and connections. */
const cpuOfBareHttp: Record<EngineKind, Record<string, number>> = {
  sqlite: { [names.retrieve]: 2.5, [names.create]: 6, [names.update]: 6 },
  postgres: {},
};
const upsertsOfBare: Record<EngineKind, number> = { sqlite: 0.6, postgres: 0.5 };
/** Of lists in a bot of a million contacts with eight attributes and three tags: the p50 in milliseconds. */
const listMaxMs: Record<EngineKind, Record<ListKind, number>> = {
  sqlite: {
    email: 1,
    wid: 5,
    rareTag: 5,
    tag: 60,
    rareAttribute: 5,
    attribute: 60,
    numbers: 40,
    dates: 40,
    together: 60,
    sorted: 5,
    sortedDeep: 60,
  },
  postgres: {
    email: 2,
    wid: 10,
    rareTag: 15,
    tag: 250,
    rareAttribute: 15,
    attribute: 250,
    numbers: 150,
    dates: 150,
    together: 250,
    sorted: 10,
    sortedDeep: 150,
  },
};
const memoryMaxMiB = 300;

export function judge(measured: Measured): BarOutcome[] {
  const sizes = measured.sizes.map(({ contacts }) => contacts);
  const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
  const cell = (operation: string, connections = 1, contacts = largest): Cell | undefined =>
    measured.cells.find(
      (one) => one.operation === operation && one.connections === connections && one.contacts === contacts,
    );
  /** The ratio of the medians at one connection, at the largest size. */
  const slowdown = (operation: string, than: string, contactsOfThan = largest) =>
    ratio(cell(operation)?.p50Ms, cell(than, 1, contactsOfThan)?.p50Ms);
  /**
   * The rate at the largest size as a share of the rate at the smallest: the lowest over all numbers of connections.
   */
  const scaling = (operation: string) =>
    lowest(
      measured.connections.map((connections) =>
        paired(cell(operation, connections), cell(operation, connections, smallest)),
      ),
    );
  const { engine, load, contention, sustained, filters } = measured;
  const most = Math.max(...measured.connections);
  const shared = sizes.includes(sharedSize) ? sharedSize : largest;
  const bars: Bar[] = [
    ...[names.retrieve, names.create, names.update, names.delete].map((name): Bar => {
      return [`${name}: rate at the largest size against the smallest`, 'at least', 0.8, scaling(name)];
    }),
    ...Object.entries(sharesOfBareHttp[engine]).map(([name, limit]): Bar => {
      const share = cell(name, most, shared)?.ofBareHttp;
      return [`${name}: rate at ${whole.format(shared)} contacts against bare node:http`, 'at least', limit, share];
    }),
    ...Object.entries(cpuOfBareHttp[engine]).map(([name, limit]): Bar => {
      const multiple = cell(name, most, shared)?.cpuOfBareHttp;
      return [`${name}: CPU at ${whole.format(shared)} contacts against bare node:http`, 'at most', limit, multiple];
    }),
    [
      `${names.narrow}: p99 against that of retrieve`,
      'at most',
      15,
      ratio(cell(names.narrow)?.p99Ms, cell(names.retrieve)?.p99Ms),
    ],
    [`${names.broadFirst}: against the bare script`, 'at most', 1.5, slowdown(names.broadFirst, names.broadBare)],
    ...[names.broad, names.broadPaged, names.broadWritten].map((name): Bar => {
      return [`${name}: against a narrow word`, 'at most', 2, slowdown(name, names.narrow)];
    }),
    [`${names.broadDeep}: against page 1`, 'at most', 20, slowdown(names.broadDeep, names.broad)],
    ...[names.one, names.oneWithoutHits, names.two, names.twoWithoutHits].map((name): Bar => {
      return [`${name}: against a narrow word of 3 characters`, 'at most', 3, slowdown(name, names.narrowOfThree)];
    }),
    [
      `${names.smallBot}: beside the large bot against without it`,
      'at most',
      2,
      slowdown(names.smallBot, names.smallBot, 0),
    ],
    ['load: contacts per second against the bare script', 'at least', 0.5, ratio(load?.perSecond, load?.barePerSecond)],
    ['load: last tenth against the first', 'at least', 0.7, ratio(load?.perSecondAtEnd, load?.perSecondAtStart)],
    ['load: upserts of 1000 against the bare script', 'at least', upsertsOfBare[engine], load?.upsertsOfBare],
    ['load: p99 of a retrieve meanwhile against the quiet one', 'at most', 5, slowdownOf(load, 'p99Ms')],
    [
      'expensive searches: p50 of a retrieve meanwhile against the quiet one',
      'at most',
      2,
      slowdownOf(contention, 'p50Ms'),
    ],
    [
      'expensive searches: p99 of a retrieve meanwhile against the quiet one',
      'at most',
      2,
      slowdownOf(contention, 'p99Ms'),
    ],
    [
      'expensive searches: p50 of a search of another organization meanwhile against the quiet one',
      'at most',
      2,
      ratio(contention?.searchMeanwhile.p50Ms, contention?.searchQuiet.p50Ms),
    ],
    [
      'creates: p99 of a search with one hit meanwhile against the quiet one',
      'at most',
      5,
      ratio(contention?.narrowBesideCreates.p99Ms, contention?.narrowQuiet.p99Ms),
    ],
    ...[names.create, names.update].flatMap((name): Bar[] => {
      const summary = sustained?.writes.find((write) => write.name === name)?.summary;
      return [
        [`${name} that never pauses: p99 against p50`, 'at most', 6, ratio(summary?.p99Ms, summary?.p50Ms)],
        [`${name} that never pauses: worst against p50`, 'at most', 20, ratio(summary?.worstMs, summary?.p50Ms)],
      ];
    }),
    [
      'writes that never pause: p99 of a search with one hit meanwhile against the quiet one',
      'at most',
      5,
      ratio(sustained?.narrowBeside.p99Ms, sustained?.narrowQuiet.p99Ms),
    ],
    ...(Object.entries(listMaxMs[engine]) as [ListKind, number][]).map(([kind, limit]): Bar => {
      const again = filters?.lists.find((list) => list.kind === kind)?.again;
      return [`list ${listNames[kind]}: p50 in ms`, 'at most', limit, again?.p50Ms];
    }),
    ...[names.create, names.update].map((name): Bar => {
      const share = filters?.writes.find((write) => write.name === name)?.share;
      return [`${name} with attributes and tags: rate against one without`, 'at least', 0.5, share];
    }),
    ['memory of the server, in MiB', 'at most', memoryMaxMiB, measured.sizes.at(-1)?.memoryMiB],
  ];
  return bars.map(([name, kind, limit, value]) => ({ name, kind, limit, value, isMet: isMet(kind, limit, value) }));
}

function isMet(kind: Kind, limit: number, value: number | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  return kind === 'at least' ? value >= limit : value <= limit;
}

/** Undefined when one of them was not measured. */
function ratio(value: number | undefined, other: number | undefined): number | undefined {
  const quotient = (value ?? Number.NaN) / (other ?? Number.NaN);
  return Number.isFinite(quotient) ? quotient : undefined;
}

function slowdownOf(beside: LoadResult | ContentionResult | undefined, value: 'p50Ms' | 'p99Ms'): number | undefined {
  return ratio(beside?.retrieveMeanwhile[value], beside?.retrieveQuiet[value]);
}

function paired(one: Cell | undefined, other: Cell | undefined): number | undefined {
  return one && other && pairedRatio(one.perSecondByRound, other.perSecondByRound);
}

function lowest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
