// An image behind a disk that logs every write and flush (`fuse-disk.ts`), as a file to format and to mount.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { unmount } from '../disks.ts';

const script = fileURLToPath(new URL('fuse-disk.ts', import.meta.url));

export class RecordedDisk {
  /** The file. */
  readonly path: string;
  readonly logPath: string;
  readonly #ended: Promise<unknown[]>;

  private constructor(path: string, logPath: string, ended: Promise<unknown[]>) {
    this.path = path;
    this.logPath = logPath;
    this.#ended = ended;
  }

  static async start(imagePath: string, path: string, logPath: string): Promise<RecordedDisk> {
    for (const each of [path, logPath]) writeFileSync(each, '');
    const device = openSync('/dev/fuse', 'r+');
    const stdio = ['ignore' as const, 'inherit' as const, 'inherit' as const, device];
    try {
      const mount = ['-i', '-t', 'fuse', '-o', 'fd=3,rootmode=100000,user_id=0,group_id=0', 'recorded', path];
      const [code] = await once(spawn('mount', mount, { stdio }), 'exit');
      if (code !== 0) throw new Error('the recorded disk cannot be mounted');
      const ended = once(spawn(process.execPath, [script, imagePath, logPath], { stdio }), 'exit');
      return new RecordedDisk(path, logPath, ended);
    } finally {
      closeSync(device);
    }
  }

  /** The length of the log: everything that the disk has done is before it. */
  get position(): number {
    return statSync(this.logPath).size;
  }

  async stop(): Promise<void> {
    await unmount(this.path);
    const [code] = await this.#ended;
    if (code !== 0) throw new Error(`the recorded disk ended with ${code}`);
  }
}
