// Reads a file that may hold secrets, if no other user can read or change it.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** The message says what to do. */
export class SharedFileError extends Error {
  override name = 'SharedFileError';
}

export function readPrivateFile(path: string): string {
  // Opened once, so that the file that is judged is the file that is read.
  const file = openSync(path, 'r');
  try {
    const { mode, uid } = fstatSync(file);
    const isOurs = process.getuid === undefined || uid === process.getuid() || uid === 0;
    if (process.platform !== 'win32' && ((mode & 0o077) !== 0 || !isOurs)) {
      throw new SharedFileError(
        `Other users can read or change ${path}, which may contain a secret. Make it yours alone: chmod 600 ${path}`,
      );
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
