// What a run has measured: the shape of the JSON file, from which the report, the plot and the page are made.
import type { EngineKind } from './engine.ts';
import type { Figures } from './figures.ts';

/** An operation at a number of connections and a size of the bot. */
export interface Cell extends Figures {
  operation: string;
  connections: number;
  /** Of the large bot; 0: on a server without it. */
  contacts: number;
  /** Its rate as a share of that of the bare `node:http` server, which was loaded in turn with it. */
  ofBareHttp?: number;
}

export interface SizeFigures {
  contacts: number;
  /** Of the server, after all operations. */
  memoryMiB: number;
  /** Of the data set, before them. */
  diskMiB: number;
}

/** A number of contacts written through the API by several connections. Rates are contacts a second. */
export interface LoadFigures {
  contacts: number;
  connections: number;
  perSecond: number;
  /** In the first and in the last tenth. */
  perSecondAtStart: number;
  perSecondAtEnd: number;
  barePerSecond: number;
  barePerSecondAtStart: number;
  barePerSecondAtEnd: number;
  /** Of one connection. */
  retrieveQuiet: Figures;
  retrieveMeanwhile: Figures;
  /** Upserts of 1000, half of them changes, into all these contacts; medians of rounds that took turns. */
  upsertsPerSecond: number;
  bareUpsertsPerSecond: number;
  upsertsOfBare: number;
  memoryMiB: number;
}

/** Expensive searches of one organization, as many as `connections` at once, and what others notice of them; and creates. */
export interface CrowdFigures {
  contacts: number;
  connections: number;
  /** The expensive searches themselves. */
  flood: Figures;
  /** How many of them were told to come back later. */
  refused: number;
  retrieveQuiet: Figures;
  retrieveMeanwhile: Figures;
  /** Of another organization, in its own small bot. */
  searchQuiet: Figures;
  searchMeanwhile: Figures;
  searchRefused: number;
  /** A search with one hit, quiet and beside creates. */
  narrowQuiet: Figures;
  narrowBesideCreates: Figures;
  memoryMiB: number;
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
  /** What was measured. Undefined: this run has not measured it. */
  figure: number | undefined;
  limit: number;
  kind: 'at least' | 'at most';
  isMet: boolean | undefined;
}

export interface Result {
  format: 1;
  measuredAt: string;
  engine: EngineKind;
  machine: Machine;
  /** Of the large bot, ascending. The largest is the one that was asked for. */
  sizes: SizeFigures[];
  smallBots: number;
  smallBotContacts: number;
  connections: number[];
  rounds: number;
  seconds: number;
  cells: Cell[];
  load?: LoadFigures;
  crowd?: CrowdFigures;
  bars: BarOutcome[];
}
