import type { Config } from '../config.ts';

export interface Restored {
  /** Where the database that was replaced is kept. Undefined: there was none. */
  keptAs: string | undefined;
}

export async function restore(_config: Config, _file: string, _options: { force: boolean }): Promise<Restored> {
  throw new Error('not written yet');
}
