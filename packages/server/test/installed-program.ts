// The browsers and languages of the tests: those that are there, or on Debian, as root, ones that are installed now.
// Elsewhere one line says what to install. `npm run tests` calls `ensureProgram` before the first test, since installing
// takes longer than any test may.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Program {
  name: string;
  /** Names the program to start, whatever else is installed. */
  variable: string;
  /** The names under which systems install it, Debian's first. */
  commands: readonly string[];
  applications: readonly string[];
  debianPackages: readonly string[];
}

export const chromium: Program = {
  name: 'Chromium',
  variable: 'ROSTER_TEST_CHROMIUM',
  // The first is without windows, and costs a third less.
  commands: [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome-stable',
    'google-chrome',
    'chrome',
    'microsoft-edge',
  ],
  applications: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  debianPackages: ['chromium-headless-shell'],
};

export const firefox: Program = {
  name: 'Firefox',
  variable: 'ROSTER_TEST_FIREFOX',
  commands: ['firefox-esr', 'firefox'],
  applications: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
  debianPackages: ['firefox-esr'],
};

/** For the receivers in examples/webhook-receivers, as the next one. */
export const python: Program = {
  name: 'Python',
  variable: 'ROSTER_TEST_PYTHON',
  commands: ['python3'],
  applications: [],
  debianPackages: ['python3'],
};

export const php: Program = {
  name: 'PHP with SQLite',
  variable: 'ROSTER_TEST_PHP',
  commands: ['php'],
  applications: [],
  debianPackages: ['php-cli', 'php-sqlite3'],
};

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

/** The program to start, or undefined. A wrong name in the variable is not passed over. */
export function findProgram(
  { variable, commands, applications }: Program,
  { env }: Pick<Machine, 'env'> = thisMachine,
): string | undefined {
  const named = env[variable];
  if (named) {
    if (!isProgram(named)) throw new Error(`${variable} is ${named}, which is not a program.`);
    return named;
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...inPath, ...applications].find(isProgram);
}

export function ensureProgram(program: Program, machine: Machine = thisMachine): string {
  const found = findProgram(program, machine);
  if (found !== undefined) return found;
  const { name, variable, debianPackages } = program;
  if (machine.isDebian && machine.isRoot) {
    process.stderr.write(`The tests need ${name}: installing it with apt-get.\n`);
    machine.run('apt-get', 'update', '-qq');
    machine.run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...debianPackages);
  }
  const installed = findProgram(program, machine);
  if (installed !== undefined) return installed;
  throw new Error(
    `The tests need ${name}: install it (Debian: apt-get install ${debianPackages.join(' ')}), or set ${variable} to its program.`,
  );
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
