// What makes a file outlast a power cut.
import { open } from 'node:fs/promises';

/** A file's content, or the names in a folder. */
export async function sync(path: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  // Windows keeps names without being asked, and has no way to ask: a folder cannot be opened for it.
  const file = await open(path, isWindows ? 'r+' : 'r').catch((error) => {
    if (isWindows && ['EISDIR', 'EPERM', 'EACCES'].includes(error.code)) return undefined;
    throw error;
  });
  try {
    await file?.sync();
  } finally {
    await file?.close();
  }
}
