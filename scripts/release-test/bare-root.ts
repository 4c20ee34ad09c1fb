// A Debian without Node, npm and compilers, in a folder: what an installation may rely on, and nothing of this machine.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface BareRoot {
  /** Puts a file into the folder in which commands run. */
  add(file: string): void;
  /** Runs a script of the shell there. */
  start(script: string, env?: Record<string, string>): ChildProcess;
  remove(): void;
}

export function makeBareRoot(): BareRoot {
  install('mmdebstrap');
  const folder = mkdtempSync(join(tmpdir(), 'roster-bare-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', '--include=libstdc++6', 'bookworm', folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const found = execFileSync('chroot', [folder, 'sh', '-c', 'command -v node npm cc || true'], { encoding: 'utf8' });
    if (found !== '') throw new Error(`the bare root has ${found}`);
  } catch (error) {
    remove();
    throw error;
  }
  const start: BareRoot['start'] = (script, env = {}) =>
    // The shell's last command takes its place, so that a signal reaches the service.
    spawn('chroot', [folder, 'sh', '-ec', `cd /root\n${execLast(script)}`], {
      env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/bin', HOME: '/root', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { add: (file) => copyFileSync(file, join(folder, 'root', basename(file))), start, remove };
}

/** A program, from the package of Debian that holds it, unless it is there. */
export function install(program: string, debianPackage = program): void {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
  } catch {
    const apt = (...args: string[]) =>
      execFileSync('apt-get', ['-qq', ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    apt('update');
    apt('install', '--no-install-recommends', debianPackage);
  }
}

function execLast(script: string): string {
  const lines = script.trim().split('\n');
  return [...lines.slice(0, -1), `exec ${lines.at(-1)}`].join('\n');
}
