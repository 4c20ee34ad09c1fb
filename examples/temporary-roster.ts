// A temporary Roster server for the examples, whose data is deleted when it stops.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TemporaryRoster {
  url: string;
  botId: string;
  secret: string;
  /** Deleted with the server's data. */
  folder: string;
}

/**
 * `onEnd` receives what the caller must do at the end, in reverse order. The first start of a new server prints its bot,
 * secret and address.
 */
export async function startTemporaryRoster(onEnd: (cleanUp: () => unknown) => void): Promise<TemporaryRoster> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-example-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const entry = fileURLToPath(new URL('../packages/cli/roster.mjs', import.meta.url));
  const child = spawn(process.execPath, [entry, 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ROSTER_DATA_DIR: join(folder, 'data'),
      ROSTER_PORT: '0',
      ROSTER_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onEnd(() => stopped(child));
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    const [, botId] = /\bbot +(bot_\w+)/.exec(printed) ?? [];
    const [, secret] = /\bsecret +(rst_\w+)/.exec(printed) ?? [];
    const [, url] = /Roster listens on (\S+)/.exec(printed) ?? [];
    if (botId !== undefined && secret !== undefined && url !== undefined) return { url, botId, secret, folder };
  }
  throw new Error('Roster did not start.');
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill();
  });
}
