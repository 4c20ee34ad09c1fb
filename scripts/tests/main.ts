// npm run tests: the tests of `npm test`; with --rest those that it leaves out, with --all both. Arguments are files, patterns, and
// options of `node --test`, written with `=`. One PostgreSQL server serves all.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../../packages/server/test/installed-program.ts';
import { prepareTemplates, serverVariable } from '../../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../../packages/server/test/postgres/server.ts';
import { runJob } from './job.ts';
import { type Job, planOf } from './plan.ts';
import { Summary } from './summary.ts';

/** Every job is a process. Without it, each compiles all that it loads anew, for about a second. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** The language of whoever runs the tests. What commands print depends on it. */
const languageVariables = /^(?:LANG|LANGUAGE|LC_\w+)$/;

const running = new Set<ChildProcess>();
let isStopping = false;

function stopAll(signal: NodeJS.Signals): void {
  isStopping = true;
  process.exitCode = 1;
  for (const child of running) child.kill(signal);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopAll(signal));

try {
  const { jobs, programs, options, isWhole } = planOf(process.argv.slice(2), process.env);
  if (isWhole) execFileSync('npm', ['run', 'check'], { stdio: 'inherit' });
  for (const program of programs) ensureProgram(program);
  const summary = await runAll(jobs, options);
  summary.print();
  if (!summary.hasPassed || isStopping) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function runAll(jobs: readonly Job[], options: readonly string[]): Promise<Summary> {
  const server = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'roster-tests-'));
  const summary = new Summary(jobs.length);
  try {
    const env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !languageVariables.test(name))),
      NODE_COMPILE_CACHE: compileCache,
      [serverVariable]: await prepareTemplates(server),
    };
    console.log(`${jobs.length} test processes, on Node ${process.version} with PostgreSQL ${server.version}`);
    const queue = [...jobs.entries()];
    const work = async () => {
      for (let next = queue.shift(); next !== undefined && !isStopping; next = queue.shift()) {
        const [number, job] = next;
        const settings = { countsFile: join(folder, `${number}.json`), options, env };
        const outcome = await runJob(job, settings, (child) => {
          running.add(child);
          child.once('exit', () => running.delete(child));
        });
        summary.add(job, outcome);
      }
    };
    // More than there are cores: tests wait now and then, for a disk, a signal or a deadline.
    await Promise.all(Array.from({ length: availableParallelism() + 2 }, work));
  } catch (error) {
    stopAll('SIGTERM');
    throw error;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
  return summary;
}
