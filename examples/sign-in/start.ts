// `npm run example`: starts a temporary Roster server, whose data is deleted at the end, and the shop. With ROSTER_URL,
// ROSTER_BOT and ROSTER_SECRET it uses a running Roster server instead.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSite } from './site.ts';
import { type RosterAccess, Visitors } from './visitors.ts';

const { PORT = '3000', ROSTER_URL, ROSTER_BOT, ROSTER_SECRET } = process.env;
const cleanUps: (() => unknown)[] = [];

async function end(code: number): Promise<never> {
  for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop()) await cleanUp();
  process.exit(code);
}

/** The first start of a new Roster server prints its bot, secret and address. */
async function startRoster(): Promise<RosterAccess> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-example-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  const entry = fileURLToPath(new URL('../../packages/cli/roster.mjs', import.meta.url));
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
  cleanUps.push(() => stopped(child));
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    const [, botId] = /\bbot +(bot_\w+)/.exec(printed) ?? [];
    const [, secret] = /\bsecret +(rst_\w+)/.exec(printed) ?? [];
    const [, url] = /Roster listens on (\S+)/.exec(printed) ?? [];
    if (botId !== undefined && secret !== undefined && url !== undefined) return { url, botId, secret };
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

// More than once: in a terminal, Control-C comes from the terminal and from npm, which forwards it.
process.on('SIGINT', () => end(0));
process.on('SIGTERM', () => end(0));

try {
  const access =
    ROSTER_URL && ROSTER_BOT && ROSTER_SECRET
      ? { url: ROSTER_URL.replace(/\/+$/, ''), botId: ROSTER_BOT, secret: ROSTER_SECRET }
      : await startRoster();
  const site = createSite({ visitors: new Visitors(access), widgetUrl: `${access.url}/widget.js?bot=${access.botId}` });
  site.once('error', ({ message }) => {
    console.error(`The shop cannot start: ${message}. Set PORT to another port.`);
    end(1);
  });
  site.listen(Number(PORT), '127.0.0.1', () => {
    const { port } = site.address() as AddressInfo;
    console.log(`The shop is at http://127.0.0.1:${port} and its Roster at ${access.url}. Ctrl+C ends both.`);
  });
} catch (error) {
  console.error((error as Error).message);
  await end(1);
}
