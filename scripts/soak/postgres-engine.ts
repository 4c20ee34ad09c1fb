// PostgreSQL under a soak run: a server of its own with durable settings, which crashes, loses backends and connections, and
// whose disk can be full.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { query } from '../../packages/server/test/postgres/databases.ts';
import { type PostgresServer, startPostgres } from '../../packages/server/test/postgres/server.ts';
import { until } from '../../packages/server/test/process/waiting.ts';
import { fillDisk, format, makeImage, mountImage, unmount } from '../disks.ts';
import { canMountImages } from '../own-mounts.ts';
import { type Disturbance, freeKiBWhenFull, type SoakEngine } from './engine.ts';

/** The programs are on it too. */
const diskMiB = 2048;
const walMiB = 256;
const database = 'roster';
/** How long the database is away. The service answers what comes back within eight seconds, and refuses the rest. */
const awayMs = [0, 1000, 4000, 12_000];

export async function openPostgresEngine(folder: string, hasOwnMounts: boolean): Promise<SoakEngine> {
  const hasDisk = hasOwnMounts && canMountImages();
  const disk = join(folder, 'disk');
  if (hasDisk) {
    const image = join(folder, 'disk.img');
    await makeImage(image, diskMiB);
    await format(image);
    await mountImage(image, disk);
  }
  const server = await startPostgres({
    settings: { max_wal_size: `${walMiB}MB`, shared_buffers: '64MB' },
    ...(hasDisk && { keptIn: join(disk, 'cluster') }),
  });
  await query(server.url('postgres'), `CREATE DATABASE ${database}`);
  const leftOut = 'full disks of PostgreSQL: a disk of a limited size needs Linux and root to mount it';
  return {
    name: `PostgreSQL ${server.version}${hasDisk ? `, on a disk of ${diskMiB} MiB (ext4)` : ''}`,
    env: { DATABASE_URL: server.url(database) },
    disturbances: [crash(server), killedBackend(server), ...(hasDisk ? [fullDisk(server, disk)] : []), lost(server)],
    leftOut: hasDisk ? [] : [leftOut],
    walBytes: () => bytesIn(join(server.dataDir, 'pg_wal')),
    // `max_wal_size` is a goal: a checkpoint takes time, while the log grows.
    walBytesMax: 3 * walMiB * 1024 ** 2,
    checkFiles: () => [],
    async stop() {
      await server.stop();
      if (hasDisk) await unmount(disk);
    },
  };
}

function crash(server: PostgresServer): Disturbance {
  let forMs = 0;
  return {
    name: 'crash of PostgreSQL',
    weather: 'all may be refused',
    async begin(random) {
      forMs = random.pick(awayMs);
      await server.crash();
    },
    async end() {
      await delay(forMs);
      await server.restart();
    },
  };
}

/** PostgreSQL takes shared memory for damaged then, ends all connections and recovers from its log. */
function killedBackend(server: PostgresServer): Disturbance {
  let hasNoticed: Promise<void> | undefined;
  return {
    name: 'killed backend',
    weather: 'all may be refused',
    async begin(random) {
      const connection = new Client(server.superuserUrl('postgres'));
      connection.on('error', () => {});
      await connection.connect();
      hasNoticed = new Promise((resolve) => connection.once('end', resolve));
      process.kill(random.pick(await backendsOf(server)), 'SIGKILL');
    },
    async end() {
      await hasNoticed;
    },
  };
}

function lost(server: PostgresServer): Disturbance {
  let ended: number[] = [];
  return {
    name: 'lost connections',
    weather: 'all may be refused',
    async begin() {
      ended = await backendsOf(server);
      await query(server.superuserUrl('postgres'), 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [
        ended,
      ]);
    },
    async end() {
      await until('the connections to be ended', async () => {
        const left = await backendsOf(server);
        return !ended.some((pid) => left.includes(pid));
      });
    },
  };
}

/** When its log cannot grow, PostgreSQL ends, and starts again and again until there is room. */
function fullDisk(server: PostgresServer, disk: string): Disturbance {
  let ballast = '';
  return {
    name: 'full disk',
    isFullDisk: true,
    weather: 'all may be refused',
    async begin(random) {
      ballast = await fillDisk(disk, random.pick(freeKiBWhenFull));
    },
    async end() {
      rmSync(ballast);
      // It may have given up meanwhile, or be about to, as on a machine where nothing restarts it.
      await until('PostgreSQL to accept connections', async () => {
        if (!isRunning(server.pid)) await server.restart();
        return query(server.superuserUrl('postgres'), 'SELECT').then(
          () => true,
          () => false,
        );
      });
    },
  };
}

async function backendsOf(server: PostgresServer): Promise<number[]> {
  const sql = `SELECT pid FROM pg_stat_activity WHERE datname = '${database}' AND backend_type = 'client backend'`;
  return (await query(server.superuserUrl('postgres'), sql)).map(({ pid }: { pid: number }) => pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
