// What a soak run asks of an engine: where the service keeps its data, and what can be done to it.
import type { Random } from '../../packages/server/test/conformance/random.ts';
import type { Weather } from './traffic.ts';

export interface Disturbance {
  name: string;
  /** What callers may meet from its beginning until the service has recovered from it. */
  weather: Exclude<Weather, 'calm'>;
  /** It lasts until a write was refused. The callers write ever more for it. */
  isFullDisk?: boolean;
  begin(random: Random): Promise<void>;
  end(): Promise<void>;
}

export interface SoakEngine {
  /** For the report. */
  name: string;
  /** The service's settings. */
  env: Record<string, string>;
  disturbances: readonly Disturbance[];
  /** What is not done to it on this machine, and why. */
  leftOut: readonly string[];
  /** Of the write-ahead log. */
  walBytes(): number;
  walBytesMax: number;
  /** After the service has ended: what is wrong with the files. */
  checkFiles(): string[];
  stop(): Promise<void>;
}

/** So little that the next writes fill it. Each amount makes another file the first one that cannot grow. */
export const freeKiBWhenFull = [0, 4, 20, 100, 700];
