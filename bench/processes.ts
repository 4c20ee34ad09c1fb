// The child processes of a run. None outlives it, however it ends.
import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const running = new Set<ChildProcess>();

export function spawnNode(args: readonly string[], options: SpawnOptions): ChildProcess {
  return watch(spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Starts a script of `bench/bare`, which responds to messages. */
export function forkBare(name: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const script = fileURLToPath(new URL(`bare/${name}.ts`, import.meta.url));
  return watch(fork(script, args, { env: { PATH: process.env['PATH'], ...env }, silent: true }));
}

function watch(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stderr?.on('data', (text: Buffer) => process.stderr.write(text));
  return child;
}

/** Waits until the output matches; `input` of the match is everything printed so far. */
export function lineOf(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let output = '';
  child.stdout?.on('data', (text: Buffer) => {
    output += text;
    const match = pattern.exec(output);
    if (match !== null) resolve(match);
  });
  child.once('exit', (code) => reject(new Error(`a process ended (${code}) before it was ready: ${output}`)));
  return promise;
}

/** Sends a message to a bare script and waits for its response. */
export function requestFrom<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const onExit = (code: number | null) => reject(new Error(`a bare script ended (${code})`));
  child.once('message', (answer) => {
    child.off('exit', onExit);
    resolve(answer as Answer);
  });
  child.once('exit', onExit);
  child.send(message);
  return promise;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill();
  await exited;
}

/** Kills every child process that is still running. */
export async function endAll(): Promise<void> {
  await Promise.all(
    Array.from(running, async (child) => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }),
  );
}
