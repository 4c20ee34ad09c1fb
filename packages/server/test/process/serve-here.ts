// The whole service in the process of the test, for tests that need a server with its data folder and its socket and are
// not about its process: it starts in a quarter of the time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import type { FirstRun } from '../../src/process/first-run.ts';
import { type Serving, startServing } from '../../src/process/serve.ts';
import { findFirstRun } from './server-process.ts';

export interface ServerHere {
  url: string;
  /** What the first start on this data created; undefined on later ones. */
  firstRun: FirstRun | undefined;
  deps: Serving['deps'];
  stop(): Promise<void>;
}

export interface HomeHere {
  folder: string;
  dataDir: string;
  start(env?: Record<string, string>): Promise<ServerHere>;
  startFirst(env?: Record<string, string>): Promise<ServerHere & { firstRun: FirstRun }>;
}

/** A folder to run servers in. Lasts until the test ends, or the suite when `t` is the suite's `after`. */
export async function makeHomeHere(t: Pick<TestContext, 'after'>): Promise<HomeHere> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-home-'));
  const dataDir = join(folder, 'data');
  const started: ServerHere[] = [];
  t.after(async () => {
    await Promise.all(started.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (env: Record<string, string> = {}): Promise<ServerHere> => {
    const settings = { ROSTER_DATA_DIR: dataDir, ROSTER_PORT: '0', ROSTER_LOG_LEVEL: 'silent', ...env };
    const { url, welcome, deps, stop } = await startServing(loadConfig({}, settings, folder));
    let stopped: Promise<void> | undefined;
    const stopOnce = () => {
      stopped ??= stop();
      return stopped;
    };
    const server = { url, firstRun: findFirstRun(welcome ?? ''), deps, stop: stopOnce };
    started.push(server);
    return server;
  };
  return {
    folder,
    dataDir,
    start,
    async startFirst(env) {
      const server = await start(env);
      if (server.firstRun === undefined) throw new Error('the data was there before');
      return { ...server, firstRun: server.firstRun };
    },
  };
}
