// A file with the position up to which events were handled. It holds the old position or the new one, whenever the
// process or the machine stops.
import { open, readFile, realpath, rename } from 'node:fs/promises';
import { eventPositionPattern } from '@roster/contract/event-position';
import { refusal } from '../failure.ts';

export interface PositionFile {
  /** Undefined if there is no file yet. */
  readonly position: string | undefined;
  keep(position: string): Promise<void>;
}

export async function openPositionFile(path: string): Promise<PositionFile> {
  const position = await read(path);
  // A link stays one: the file that it names is replaced.
  const target = position === undefined ? path : await realpath(path);
  // Always the same name, so that what a killed process leaves is overwritten.
  const temporary = `${target}.part`;
  return {
    position,
    async keep(next) {
      const handle = await open(temporary, 'w');
      try {
        await handle.writeFile(`${next}\n`);
        // Some file systems would give an empty file its name after a power cut.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, target);
    },
  };
}

/** A file without a position may be any other file, and is not to be replaced. */
async function read(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const position = text?.trim();
  if (position === undefined || eventPositionPattern.test(position)) return position;
  throw refusal(`${path} does not contain a position of the feed. Pass another file, or delete it to start over.`);
}
