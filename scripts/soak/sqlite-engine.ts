// SQLite under a soak run: the data folder is on a small disk of its own, which can be full.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fillDisk, format, makeImage, mountImage, mountMemory, unmount } from '../disks.ts';
import { canMountImages } from '../own-mounts.ts';
import { type Disturbance, freeKiBWhenFull, type SoakEngine } from './engine.ts';

const diskMiB = 512;

/** Without mounts of its own there is no small disk to fill. */
export async function openSqliteEngine(folder: string, hasOwnMounts: boolean): Promise<SoakEngine> {
  const disk = join(folder, 'disk');
  const isImage = hasOwnMounts && canMountImages();
  if (isImage) {
    const image = join(folder, 'disk.img');
    await makeImage(image, diskMiB);
    await format(image);
    await mountImage(image, disk);
  } else if (hasOwnMounts) {
    await mountMemory(diskMiB, disk);
  }
  const dataDir = join(disk, 'data');
  const path = join(dataDir, 'roster.db');
  let ballast = '';
  const fullDisk: Disturbance = {
    name: 'full disk',
    isFullDisk: true,
    weather: 'writes may be refused',
    async begin(random) {
      ballast = await fillDisk(disk, random.pick(freeKiBWhenFull));
    },
    async end() {
      rmSync(ballast);
    },
  };
  const leftOut = 'full disks: a disk of a limited size needs Linux, and root or user namespaces to mount it';
  return {
    name: `SQLite, on ${hasOwnMounts ? `a disk of ${diskMiB} MiB (${isImage ? 'ext4' : 'tmpfs'})` : 'the disk of the temporary folder'}`,
    env: { ROSTER_DATA_DIR: dataDir },
    disturbances: hasOwnMounts ? [fullDisk] : [],
    leftOut: hasOwnMounts ? [] : [leftOut],
    walBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    // The writer waits for the readers at 64 MiB, but looks at the log after every eighth commit only, of up to 1000 rows each.
    walBytesMax: 192 * 1024 ** 2,
    checkFiles() {
      const db = new DatabaseSync(path);
      const rows = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
      db.close();
      return rows.map(({ integrity_check }) => integrity_check).filter((verdict) => verdict !== 'ok');
    },
    async stop() {
      if (hasOwnMounts) await unmount(disk);
    },
  };
}
