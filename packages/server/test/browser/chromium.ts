// The browser of the tests: the Chromium that is there, or on Debian, as root, one that is installed now. Elsewhere
// one line says what to install. `npm run tests` calls `ensureChromium` before the first test, since installing takes
// longer than any test may.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** The names under which systems install it, ours first. */
const commands = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export interface Machine {
  env: Record<string, string | undefined>;
  isRoot: boolean;
  isDebian: boolean;
  /** Runs a command to its end. Returns whether it succeeded. */
  run(command: string, ...args: string[]): boolean;
}

const thisMachine: Machine = {
  env: process.env,
  isRoot: process.getuid?.() === 0,
  isDebian: existsSync('/etc/debian_version'),
  run(command, ...args) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  },
};

/** The program to start, or undefined. A wrong ROSTER_TEST_CHROMIUM is not passed over. */
export function findChromium({ env }: Pick<Machine, 'env'> = thisMachine): string | undefined {
  const named = env['ROSTER_TEST_CHROMIUM'];
  if (named) {
    if (!isProgram(named)) throw new Error(`ROSTER_TEST_CHROMIUM is ${named}, which is not a program.`);
    return named;
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...inPath, ...applications].find(isProgram);
}

export function ensureChromium(machine: Machine = thisMachine): string {
  const found = findChromium(machine);
  if (found !== undefined) return found;
  if (machine.isDebian && machine.isRoot) {
    process.stderr.write('The browser tests need Chromium: installing it with apt-get.\n');
    machine.run('apt-get', 'update', '-qq');
    machine.run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium');
  }
  const installed = findChromium(machine);
  if (installed !== undefined) return installed;
  throw new Error(
    'The browser tests need Chromium: install it (Debian: apt-get install chromium), or set ROSTER_TEST_CHROMIUM to a Chrome or Chromium.',
  );
}

/** For every wait in a browser: it ends a test that has failed already, however busy the machine is. */
export const browserDeadlineMs = 300_000;

export function launchChromium(): Promise<Browser> {
  // Without its sandbox, which a container does not offer: it sees only our own pages.
  return chromium.launch({
    executablePath: ensureChromium(),
    chromiumSandbox: false,
    timeout: browserDeadlineMs,
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not to be run.
    return false;
  }
}

/** A test may be answering the last request of a page, by `page.route`: what fails for the close is no fault. */
export async function closeContext(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}
