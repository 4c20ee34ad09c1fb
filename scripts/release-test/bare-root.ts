// A Debian without Node, npm and compilers, in a folder: what an installation may rely on, and nothing of this machine.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface BareRoot {
  folder: string;
  /** Puts a file into the folder in which commands run. */
  add(file: string): void;
  /** Runs a script of the shell there. */
  start(script: string, env?: Record<string, string>): ChildProcess;
  /** The same, until it ends. Returns all that it wrote; fails when it does. */
  run(script: string, env?: Record<string, string>): string;
  remove(): void;
}

const environment = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' };

let template: BareRoot | undefined;

/** A copy of one that is made once: fetching the packages takes most of the time. */
export function makeBareRoot(): BareRoot {
  if (template === undefined) {
    template = inFolder(fillBareRoot);
    process.once('exit', template.remove);
  }
  const { folder } = template;
  return inFolder((copy) => execFileSync('cp', ['--archive', '--reflink=auto', `${folder}/.`, copy]));
}

function fillBareRoot(folder: string): void {
  install('mmdebstrap');
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', '--include=libstdc++6', 'bookworm', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const found = execFileSync('chroot', [folder, 'sh', '-c', 'command -v node npm cc || true'], { encoding: 'utf8' });
  if (found !== '') throw new Error(`the bare root has ${found}`);
}

function inFolder(fill: (folder: string) => void): BareRoot {
  const folder = mkdtempSync(join(tmpdir(), 'roster-bare-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    fill(folder);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    folder,
    add: (file) => copyFileSync(file, join(folder, 'root', basename(file))),
    start: (script, env = {}) =>
      // The shell's last command takes its place, so that a signal reaches the service.
      spawn('chroot', [folder, 'sh', '-ec', `cd /root\n${execLast(script)}`], {
        env: { ...environment, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    run(script, env = {}) {
      const { status, stdout } = spawnSync('chroot', [folder, 'sh', '-ec', `exec 2>&1\ncd /root\n${script}`], {
        env: { ...environment, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`"${script.trim()}" ended with ${status}:\n${stdout}`);
      return stdout;
    },
    remove,
  };
}

/** A program, from the package of Debian that holds it, unless it is there. */
export function install(program: string, debianPackage = program): void {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
  } catch {
    const apt = (...args: string[]) =>
      execFileSync('apt-get', ['-qq', ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
        // In the runlevel of repairs, a package starts no service.
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      });
    apt('update');
    apt('install', '--no-install-recommends', debianPackage);
  }
}

function execLast(script: string): string {
  const lines = script.trim().split('\n');
  return [...lines.slice(0, -1), `exec ${lines.at(-1)}`].join('\n');
}
