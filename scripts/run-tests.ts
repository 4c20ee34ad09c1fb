// Runs the tests: all of them with the HTTP API on SQLite, then those of the HTTP API and of deliveries again on PostgreSQL and on the
// stand-in for a sharded database. One PostgreSQL server serves all. Arguments are files, patterns, and options of
// `node --test`, written with `=`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineVariable } from '../packages/server/test/chosen-engine.ts';
import { prepareTemplates, serverVariable } from '../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../packages/server/test/postgres/server.ts';

const httpTests = [
  'packages/server/src/operations/*.test.ts',
  'packages/server/test/http/*.test.ts',
  'packages/server/src/delivery/{deliverer,webhook-run}.test.ts',
];

const allTests = ['packages/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'];

/** Ends a test that hangs. A machine with ten busy processes beside the tests takes twenty times as long as a quiet one. */
const testTimeoutMs = 600_000;

/** Every test file is a process. Without it, each compiles all that it loads anew, for about a second. */
const compileCache = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compiled') };

interface Part {
  engine: string;
  title: string;
  files: string[];
}

let running: ChildProcess | undefined;
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true;
    process.exitCode = 1;
    running?.kill(signal);
  });
}

try {
  await runAll();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function runAll(): Promise<void> {
  const given = process.argv.slice(2);
  const options = given.filter((argument) => argument.startsWith('-'));
  const parts = partsOf(given.filter((argument) => !argument.startsWith('-')));
  const server = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'roster-tests-'));
  const outcomes: string[] = [];
  try {
    const serverUrl = await prepareTemplates(server);
    for (const part of parts) {
      if (isStopping) break;
      console.log(`\n── ${part.title} (PostgreSQL ${server.version})`);
      const startMs = performance.now();
      const failures = join(folder, part.engine);
      const hasPassed = await run(part, options, serverUrl, failures);
      if (!hasPassed) process.exitCode = 1;
      const seconds = Math.round((performance.now() - startMs) / 1000);
      outcomes.push(`${hasPassed ? 'passed' : 'FAILED'} in ${seconds} s: ${part.title}`);
      outcomes.push(...(await readFile(failures, 'utf8')).split('\n').filter(Boolean));
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
  console.log(`\n${outcomes.join('\n')}`);
}

/** The parts that have a file to run, for the chosen engine or for each. */
function partsOf(patterns: string[]): Part[] {
  const files = globSync(patterns.length > 0 ? patterns : allTests).toSorted();
  const isHttpTest = new Set(globSync(httpTests));
  const httpFiles = files.filter((file) => isHttpTest.has(file));
  const engine = process.env[engineVariable];
  const parts = [
    // The suites of the storage port are among these, for every engine.
    { engine: 'sqlite', title: 'everything, HTTP on SQLite', files },
    { engine: 'postgres', title: 'HTTP on PostgreSQL', files: httpFiles },
    { engine: 'partitioned', title: 'HTTP on PostgreSQL, partitioned by bot', files: httpFiles },
  ].filter((part) => part.engine === (engine ?? part.engine) && part.files.length > 0);
  if (parts.length === 0) throw new Error(`No test of ${engine ?? 'any engine'} matches ${patterns.join(' ')}`);
  return parts;
}

async function run({ engine, files }: Part, options: string[], serverUrl: string, failures: string): Promise<boolean> {
  running = spawn(
    process.execPath,
    [
      '--test',
      `--test-timeout=${testTimeoutMs}`,
      `--test-concurrency=${availableParallelism() + 1}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(import.meta.dirname, 'failed-tests.ts')}`,
      `--test-reporter-destination=${failures}`,
      ...options,
      ...files,
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, ...compileCache, [engineVariable]: engine, [serverVariable]: serverUrl },
    },
  );
  const [code] = await once(running, 'exit');
  return code === 0;
}
