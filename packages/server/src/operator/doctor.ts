// Looks at the whole set-up and says what is wrong and what to do. Changes nothing, and leaves nothing behind.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, isIP } from 'node:net';
import { type Config, ConfigError, leaderConnections } from '../config/config.ts';
import { socketFile } from '../process/socket-path.ts';
import type { Finding } from '../store/finding.ts';
import { diagnoseStore, isFolderTaken } from '../store/open.ts';
import { checkBackups } from './doctor-backups.ts';
import { checkProxy, checkPublicUrl, checkTls } from './doctor-network.ts';

/** For a Roster server on a busy machine. Another program answers sooner, or not at all. */
const answerWithinMs = 10_000;

/** Finds the running server of a data folder. Undefined when none listens there. */
type FindServer = (dataDir: string) => Promise<{ version: string } | undefined>;

/** With a function that loads the settings, `() => loadConfig(…)`, their faults are among the findings. */
export async function runDoctor(settings: Config | (() => Config), findServer: FindServer): Promise<Finding[]> {
  let config: Config;
  try {
    config = typeof settings === 'function' ? settings() : settings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((message) => ({ check: 'settings', level: 'problem', message }));
  }
  const { dataDir, database, workers } = config;
  const connections = database && database.connections * workers + (workers > 1 ? leaderConnections : 0);
  return [
    { check: 'settings', level: 'ok', message: 'All settings are valid.' },
    ...(await diagnoseStore(dataDir, database && { url: database.url, connections: connections ?? 0 })),
    ...(database === undefined ? [await checkServer(dataDir, findServer)] : []),
    checkBackups(config),
    await checkPort(config),
    checkPublicUrl(config),
    checkTls(config),
    checkProxy(config),
  ];
}

async function checkServer(dataDir: string, findServer: FindServer): Promise<Finding> {
  const check = 'server';
  try {
    const server = await findServer(dataDir);
    if (server !== undefined) {
      return { check, level: 'ok', message: `A server is running on ${dataDir} (version ${server.version}).` };
    }
    if (isFolderTaken(dataDir)) {
      const message = `A process is using ${dataDir} but does not respond at ${socketFile(dataDir)}. It may be a server that is starting or stopping, or another command. If it is a server, check its log.`;
      return { check, level: 'warning', message };
    }
  } catch (error) {
    return { check, level: 'problem', message: (error as Error).message };
  }
  const hasLeftover = existsSync(socketFile(dataDir));
  const leftover = hasLeftover ? ' A server that was killed left its socket behind; the next start removes it.' : '';
  return { check, level: 'ok', message: `No server is running on ${dataDir}.${leftover}` };
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  const check = 'port';
  const where = `${host} port ${port}`;
  if (port === 0) return { check, level: 'ok', message: 'ROSTER_PORT is 0: each start uses another free port.' };
  const fault = await tryListening(host, port);
  if (fault === undefined) return { check, level: 'ok', message: `${where} is free.` };
  if (fault === 'EADDRINUSE') {
    return (await isRoster(host, port))
      ? { check, level: 'ok', message: `A Roster server is listening on ${where}.` }
      : { check, level: 'problem', message: `Another program is listening on ${where}. Stop it, or set ROSTER_PORT.` };
  }
  const advice =
    fault === 'EACCES' ? 'Set ROSTER_PORT to 1024 or more' : 'Set ROSTER_HOST to an address of this machine';
  return { check, level: 'problem', message: `Cannot listen on ${where} (${fault}). ${advice}.` };
}

/** The code of what keeps this user from listening there. */
async function tryListening(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

async function isRoster(host: string, port: number): Promise<boolean> {
  // An address that stands for all is one of this machine too.
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : isIP(host) === 6 ? `[${host}]` : host;
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const response = await fetch(`http://${target}:${port}/openapi.json`, { signal, redirect: 'error' });
    const { info } = (await response.json()) as { info?: { title?: string } };
    return info?.title === 'Roster';
  } catch {
    // What answers is not a Roster server.
    return false;
  }
}
