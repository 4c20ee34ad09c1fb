// What the parts of a run share.
import type { ProgressBar } from '../../packages/cli/src/terminal/progress-bar.ts';
import type { Engine } from '../engine.ts';
import type { Target } from '../operations.ts';
import type { Options } from '../options.ts';

export interface RunContext {
  engine: Engine;
  options: Options;
  /** One for each size, ascending. */
  targets: Target[];
  bar: ProgressBar;
}

/** For the operations alone. */
export interface Yardsticks {
  /** A server whose only bot is a small one. */
  alone: Target;
  /** The bare node:http server. */
  bare: { port: number; cpuUs(): Promise<number> };
}

export function largestOf({ targets }: RunContext): Target {
  return targets.at(-1) as Target;
}

/** Names a measurement in the message of a failure. */
export function nameOf(name: string, connections: number, { contacts }: Target): string {
  return `${name}, ${connections} at once, ${contacts} contacts`;
}
