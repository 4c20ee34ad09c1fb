import type { Config } from '../config.ts';

export interface Finding {
  /** What was looked at, in a word or two. */
  check: string;
  level: 'ok' | 'warning' | 'problem';
  /** What was found, and what to do about it. */
  message: string;
}

/** Give it the loading of the settings, `() => loadConfig(…)`, to have their faults among the findings. */
export async function examine(_config: Config | (() => Config)): Promise<Finding[]> {
  throw new Error('not written yet');
}
