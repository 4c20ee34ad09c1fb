// What the parts of a run share.
import type { ProgressBar } from '@roster/server/progress-bar';
import type { Engine } from '../engine.ts';
import type { Operation, Target } from '../operations.ts';
import type { Options } from '../options.ts';

export interface RunContext {
  engine: Engine;
  options: Options;
  /** One for each size, ascending. */
  targets: Target[];
  /** A server whose only bot is a small one. */
  alone: Target;
  barePort: number;
  bar: ProgressBar;
}

export function largestOf({ targets }: RunContext): Target {
  return targets.at(-1) as Target;
}

/** How a failure is told. */
export function nameOf(operation: Pick<Operation, 'name'> | string, connections: number, { contacts }: Target): string {
  const name = typeof operation === 'string' ? operation : operation.name;
  return `${name}, ${connections} connections, ${contacts} contacts`;
}
