// The result of a run: the format of the JSON file, from which the report, the plot and the docs page are made.
import type { EngineKind } from './engine.ts';
import type { ListKind } from './sample-values.ts';
import type { Summary } from './statistics.ts';

/** An operation at a number of connections and a size of the bot. */
export interface Cell extends Summary {
  operation: string;
  connections: number;
  /** In the large bot; 0 on a server without it. */
  contacts: number;
  /** Its rate as a share of that of the bare `node:http` server, measured in alternation with it. */
  ofBareHttp?: number;
  /** Its CPU time per request as a multiple of the bare server's. */
  cpuOfBareHttp?: number;
}

export interface SizeUsage {
  contacts: number;
  /** Of the server, after all operations. */
  memoryMiB: number;
  /** Of the data set, before them. */
  diskMiB: number;
}

/** Contacts written through the API over several connections. Rates are contacts per second. */
export interface LoadResult {
  contacts: number;
  connections: number;
  perSecond: number;
  /** In the first and in the last tenth. */
  perSecondAtStart: number;
  perSecondAtEnd: number;
  barePerSecond: number;
  barePerSecondAtStart: number;
  barePerSecondAtEnd: number;
  /** On one connection, without the load and during it. */
  retrieveQuiet: Summary;
  retrieveMeanwhile: Summary;
  /** Upserts of 1000, half of them changes, into all these contacts; medians of alternating rounds. */
  upsertsPerSecond: number;
  bareUpsertsPerSecond: number;
  upsertsOfBare: number;
  memoryMiB: number;
}

/** Latencies without and with a background load: expensive searches of one organization, or creates. */
export interface ContentionResult {
  contacts: number;
  connections: number;
  /** The expensive searches themselves. */
  background: Summary;
  /** How many of them were rejected with 503. */
  refused: number;
  retrieveQuiet: Summary;
  retrieveMeanwhile: Summary;
  /** Searches of another organization, in its own small bot. */
  searchQuiet: Summary;
  searchMeanwhile: Summary;
  searchRefused: number;
  /** A search with one hit, without a background load and with creates. */
  narrowQuiet: Summary;
  narrowBesideCreates: Summary;
  memoryMiB: number;
}

/** Writes that never pause, at the largest size. */
export interface SustainedResult {
  contacts: number;
  connections: number;
  seconds: number;
  writes: { name: string; summary: Summary }[];
  /** A search with one hit on one connection, without writes and beside them. */
  narrowQuiet: Summary;
  narrowBeside: Summary;
  memoryMiB: number;
}

/** Lists of contacts that have attributes and tags, and writes of such contacts, at the largest size. */
export interface FiltersResult {
  contacts: number;
  /** On one connection. The first time: the p50 of lists none of which was asked for before. */
  lists: { kind: ListKind; firstMs: number; again: Summary }[];
  /** `share` is the rate with attributes and tags as a share of that without. */
  writes: { name: string; connections: number; without: Summary; withValues: Summary; share: number }[];
}

export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  engine: string;
}

export interface BarOutcome {
  name: string;
  /** Undefined when this run has not measured it. */
  value: number | undefined;
  limit: number;
  kind: 'at least' | 'at most';
  isMet: boolean | undefined;
}

export interface Result {
  format: 1;
  measuredAt: string;
  engine: EngineKind;
  machine: Machine;
  /** Of the large bot, ascending. The largest is the one given by `--contacts`. */
  sizes: SizeUsage[];
  smallBots: number;
  smallBotContacts: number;
  connections: number[];
  rounds: number;
  seconds: number;
  cells: Cell[];
  load?: LoadResult;
  contention?: ContentionResult;
  sustained?: SustainedResult;
  filters?: FiltersResult;
  bars: BarOutcome[];
}
