// The real server as a process of its own, in a temporary home: what tests of starting, stopping and crashing use.
// It ends only processes that it started, and removes only the folder that it made.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { FirstRun } from '../../src/process/first-run.ts';

/** The folder of the whole project, which is also how it is installed. */
export const project = fileURLToPath(new URL('../../../../', import.meta.url));

/** Generous, for machines under load: a start takes half a second. */
const startDeadlineMs = 300_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Output {
  stdout: string;
  stderr: string;
}

export interface ServerProcess {
  url: string;
  pid: number;
  /** What the first start on this data printed; undefined on later ones. */
  firstRun: FirstRun | undefined;
  /** Everything printed so far. */
  output: Output;
  exited: Promise<Exit>;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface StartOptions {
  /** Settings. Nothing but PATH comes from the environment of the tests. */
  env?: Record<string, string>;
  /** Options for Node itself. */
  nodeOptions?: readonly string[];
  /** The command line after the program. Serves if left out. */
  args?: readonly string[];
  /** Runs the README's command, `npm start`, in the folder of the installation. `pid` is then npm's. */
  isByNpm?: boolean;
}

export interface HomeOptions {
  /** The folder of another installation of this project. */
  installation?: string;
  /** The id of the user that runs the servers and owns the folder. Only root may choose one. */
  user?: number | undefined;
}

/** A folder to run servers in, one after the other or side by side. It is also their working directory. */
export interface Home {
  folder: string;
  /** Where the servers keep their data, unless `env` says otherwise. */
  dataDir: string;
  /** Starts a server, and waits until it listens. */
  start(options?: StartOptions): Promise<ServerProcess>;
  /** Runs a server that is expected to end by itself; kills it when it does not within the deadline. */
  run(options?: StartOptions & { deadlineMs?: number }): Promise<Exit & Output>;
}

/** Lasts until the test ends, or the suite when `t` is the suite's `after`. */
export async function makeHome(
  t: Pick<TestContext, 'after'>,
  { installation = project, user }: HomeOptions = {},
): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-process-'));
  if (user !== undefined) await chown(folder, user, user);
  const dataDir = join(folder, 'data');
  // The Node that the project brings is part of each installation.
  const ownNode = relative(project, process.execPath);
  const node = ownNode.startsWith('..') ? process.execPath : join(installation, ownNode);
  const entry = join(installation, 'packages/cli/roster.mjs');
  const started: Spawned[] = [];
  t.after(async () => {
    for (const { kill, exited } of started) {
      kill();
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  });

  const spawnServer = ({
    env = {},
    nodeOptions = [],
    args = ['serve'],
    isByNpm = false,
  }: StartOptions = {}): Spawned => {
    const [program, given] = isByNpm ? ['npm', ['start']] : [node, [...nodeOptions, entry, ...args]];
    const child = spawn(program, given, {
      cwd: isByNpm ? installation : folder,
      env: { PATH: process.env['PATH'], HOME: folder, ROSTER_DATA_DIR: dataDir, ROSTER_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user !== undefined && { uid: user, gid: user }),
      // A group of its own, so that the server ends with npm when the test fails.
      detached: isByNpm,
    });
    const spawned = { ...watch(child), kill: () => (isByNpm ? killGroup(child) : child.kill('SIGKILL')) };
    started.push(spawned);
    return spawned;
  };

  return {
    folder,
    dataDir,
    async start(options) {
      const spawned = spawnServer(options);
      const url = await untilListening(spawned);
      return describe(spawned, url);
    },
    async run({ deadlineMs = startDeadlineMs, ...options } = {}) {
      const { kill, output, exited } = spawnServer(options);
      const timer = setTimeout(kill, deadlineMs);
      const exit = await exited;
      clearTimeout(timer);
      return { ...exit, ...output };
    },
  };
}

interface Spawned {
  child: ChildProcess;
  output: Output;
  exited: Promise<Exit>;
  kill(): unknown;
}

function watch(child: ChildProcess): Omit<Spawned, 'kill'> {
  const output: Output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // `close` comes after the last output, `exit` need not.
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  return { child, output, exited };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function untilListening({ child, output, exited, kill }: Spawned): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (what: string) => reject(new Error(`${what}\n${output.stdout}${output.stderr}`));
  const timer = setTimeout(() => {
    kill();
    fail(`the server did not listen within ${startDeadlineMs} ms`);
  }, startDeadlineMs);
  exited.then(({ code, signal }) => fail(`the server ended (${code ?? signal}) before it listened`));
  child.stdout?.on('data', () => {
    const url = /Roster listens on (\S+) .*\n/.exec(output.stdout)?.[1];
    if (url !== undefined) resolve(url);
  });
  return promise.finally(() => clearTimeout(timer));
}

function describe({ child, output, exited }: Spawned, url: string): ServerProcess {
  return {
    url,
    pid: child.pid as number,
    firstRun: findFirstRun(output.stdout),
    output,
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** In what a first start prints or writes. */
export function findFirstRun(text: string): FirstRun | undefined {
  const [, organizationId, botId, secret] =
    /organization +(org_\w+)\n +bot +(bot_\w+)\n +secret +(rst_\w+)\n/.exec(text) ?? [];
  const isFirst = organizationId !== undefined && botId !== undefined && secret !== undefined;
  return isFirst ? { organizationId, botId, secret } : undefined;
}

/** The first start on new data, whose output holds a secret. */
export async function startFirst(home: Home, options?: StartOptions): Promise<ServerProcess & { firstRun: FirstRun }> {
  const server = await home.start(options);
  if (server.firstRun === undefined) throw new Error(`no first run was printed:\n${server.output.stdout}`);
  return { ...server, firstRun: server.firstRun };
}

/** Calls an operation of the first bot with its secret. `path` is relative to the bot, or absolute. */
export function callFirstBot(
  url: string,
  { botId, secret }: FirstRun,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) {
  return fetch(path.startsWith('/') ? `${url}${path}` : `${url}/v1/bots/${botId}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
