// Where the operator's socket is.
import { join, relative } from 'node:path';

/** The system's own limit is 104 to 108 bytes, and a longer path may be cut off without an error. */
const socketPathBytesMax = 100;

export function socketFile(dataDir: string): string {
  return join(dataDir, 'roster.sock');
}

/**
 * The socket's address for this process: by way of the working folder when that is short enough and the whole path is
 * not. Undefined: it has none, because it is too long or the system has no such sockets.
 */
export function socketAddress(dataDir: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const file = socketFile(dataDir);
  return [file, relative(process.cwd(), file)].find((path) => Buffer.byteLength(path) <= socketPathBytesMax);
}
