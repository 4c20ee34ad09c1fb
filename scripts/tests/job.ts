// One process of test files: how it is started, and what became of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { engineVariable } from '../../packages/server/test/chosen-engine.ts';
import { type Counts, countsVariable, noCounts, reportSignal } from './counts.ts';
import type { Job } from './plan.ts';

/** Ends a test that hangs. A machine with ten busy processes beside the tests takes twenty times as long as a quiet one. */
const testTimeoutMs = 600_000;
/** Ends a process that hangs beside its tests: in a hook, while it loads, or because something keeps it from ending. */
const processTimeoutMs = 3 * testTimeoutMs;
/** For its last words, and for what it has started and left behind. */
const graceMs = 5000;

export interface Outcome {
  counts: Counts;
  hasPassed: boolean;
  seconds: number;
  /** What it printed: failures, and whatever tests wrote. */
  output: string;
}

export interface JobSettings {
  /** A file of its own. */
  countsFile: string;
  /** Options of `node --test`. */
  options: readonly string[];
  env: NodeJS.ProcessEnv;
  timeoutMs?: number;
}

/** `onStart` gets the process, so that a runner that is stopped can end it. */
export async function runJob(
  { files, engine }: Job,
  { countsFile, options, env, timeoutMs = processTimeoutMs }: JobSettings,
  onStart: (child: ChildProcess) => void,
): Promise<Outcome> {
  const startMs = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      `--test-timeout=${testTimeoutMs}`,
      `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
      '--test-reporter-destination=stdout',
      ...options,
      ...files,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, [engineVariable]: engine, [countsVariable]: countsFile } },
  );
  onStart(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const closed = once(child, 'close');
  const timeout = setTimeout(() => endHanging(child), timeoutMs);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timeout);
  // A process that it has left behind may have its output, and live on.
  await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  const counts = await readFile(countsFile, 'utf8')
    .then((text) => JSON.parse(text) as Counts)
    .catch(noCounts);
  const fault = faultOf(counts, { code, signal, isSelective: options.some((option) => option.includes('-pattern')) });
  if (fault !== undefined) output += `✖ ${fault}\n`;
  return {
    counts,
    hasPassed: fault === undefined && counts.failed === 0,
    seconds: (performance.now() - startMs) / 1000,
    output,
  };
}

/** The reporter says what the process was doing. One that cannot answer is killed. */
async function endHanging(child: ChildProcess): Promise<void> {
  child.kill(reportSignal);
  await delay(graceMs);
  child.kill('SIGKILL');
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether tests were chosen by their names, so that a process may have none. */
  isSelective: boolean;
}

/** What is wrong with the process itself. A test that failed says so by itself. */
function faultOf(counts: Counts, { code, signal, isSelective }: Exit): string | undefined {
  if (signal !== null) return `the process ended with ${signal}`;
  if (!counts.isComplete) return `the process ended before its tests did, with ${code}`;
  if (counts.failed > 0) return undefined;
  if (!isSelective && counts.passed + counts.skipped.length === 0) return 'there was no test to run';
  return code === 0 ? undefined : `the process ended with ${code}`;
}
