// `npm run bench`: how fast the service is, how that changes with the number of contacts, and how fast bare baselines
// are in the same run. Exits with 1 when a response of the service was wrong, whatever was measured until then.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeProgressBar, type ProgressBar } from '../packages/cli/src/terminal/progress-bar.ts';
import { judge } from './bars.ts';
import { type DataSet, dataHome, prepareSet } from './data-sets.ts';
import { figuresName, figuresPage, plotName, withSummary } from './docs-page.ts';
import type { Engine } from './engine.ts';
import { ResponseError, run } from './load.ts';
import { describeMachine } from './machine.ts';
import { list, type Target } from './operations.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { measureBulkLoad } from './parts/bulk-load.ts';
import { measureColdSearches } from './parts/cold-searches.ts';
import { measureContention } from './parts/contention.ts';
import { measureFilters } from './parts/filters.ts';
import { measureOperations } from './parts/operations.ts';
import type { RunContext, Yardsticks } from './parts/run-context.ts';
import { measureSustained } from './parts/sustained.ts';
import { plot } from './plot.ts';
import { openPostgresEngine } from './postgres-engine.ts';
import { endAll, forkBare, lineOf, requestFrom } from './processes.ts';
import { asText } from './report.ts';
import type { Result, SizeUsage } from './result.ts';
import { Service } from './service.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

const mebibyte = 1024 ** 2;
const docs = fileURLToPath(new URL('../docs/', import.meta.url));

class StoppedError extends Error {}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(usage);
  else await benchmark(options);
} catch (error) {
  const isExpected = [UsageError, ResponseError, StoppedError].some((kind) => error instanceof kind);
  console.error(isExpected ? `\n${(error as Error).message}` : error);
  if (error instanceof UsageError) console.error(`\n${usage}`);
  // Measurements that are still in flight when a run is stopped must not keep the process alive.
  process.exit(1);
}

async function benchmark(options: Options): Promise<void> {
  const home = dataHome(options.dataFolder, options.engine);
  const bar = makeProgressBar(process.stderr);
  const engine = options.engine === 'sqlite' ? openSqliteEngine(home) : await openPostgresEngine(home);
  // Control-C stops the processes that were started and deletes the copies of data sets.
  const stopped = Promise.withResolvers<never>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopped.reject(new StoppedError(`stopped by ${signal}`)));
  }
  try {
    const result = await Promise.race([measure(options, home, engine, bar), stopped.promise]);
    console.log(asText(result));
    write(result, options);
  } finally {
    bar.end();
    await endAll();
    await engine.close();
  }
}

async function measure(options: Options, home: string, engine: Engine, bar: ProgressBar): Promise<Result> {
  const { smallBotContacts, parts } = options;
  const sets: DataSet[] = [];
  for (const contacts of options.sizes) {
    const smallBots = contacts === options.contacts ? options.smallBots : 1;
    sets.push(await prepareSet(engine, home, { contacts, smallBots, smallBotContacts }, bar));
  }
  const aloneSet = parts.includes('operations')
    ? await prepareSet(engine, home, { contacts: 0, smallBots: 1, smallBotContacts }, bar)
    : undefined;

  bar.begin('starting the servers');
  const targets: Target[] = [];
  for (const set of sets) targets.push(await start(engine, set));
  const context: RunContext = { engine, options, targets, bar };
  const yardsticks = aloneSet && { bare: await startBareHttp(), alone: await start(engine, aloneSet) };
  const diskBytes = await Promise.all(targets.map(({ storage }) => storage.bytes()));

  // Cold searches come first: they need the data sets unchanged, and the operations write to them.
  const coldSearches = parts.includes('cold-searches') ? await measureColdSearches(context) : [];
  const cells = [...(yardsticks ? await measureOperations({ ...context, ...yardsticks }) : []), ...coldSearches];
  const sizes: SizeUsage[] = [];
  for (const [i, { contacts, service }] of targets.entries()) {
    const memoryMiB = (await service.memoryBytes()) / mebibyte;
    sizes.push({ contacts, memoryMiB, diskMiB: (diskBytes[i] as number) / mebibyte });
  }
  const contention = parts.includes('contention') ? await measureContention(context) : undefined;
  const sustained = parts.includes('sustained') ? await measureSustained(context) : undefined;
  for (const target of targets) await checkSize(target);
  for (const { service } of [...targets, ...(yardsticks ? [yardsticks.alone] : [])]) await service.stop();
  const load = parts.includes('load') ? await measureBulkLoad(context) : undefined;
  const filters = parts.includes('filters') ? await measureFilters(context, home) : undefined;

  const measured = {
    engine: options.engine,
    sizes,
    connections: options.connections,
    cells,
    ...(load && { load }),
    ...(contention && { contention }),
    ...(sustained && { sustained }),
    ...(filters && { filters }),
  };
  return {
    format: 1,
    measuredAt: new Date().toISOString(),
    machine: describeMachine(engine.version),
    smallBots: options.smallBots,
    smallBotContacts,
    rounds: options.rounds,
    seconds: options.seconds,
    ...measured,
    bars: judge(measured),
  };
}

async function startBareHttp(): Promise<Yardsticks['bare']> {
  const child = forkBare('http', []);
  const port = Number((await lineOf(child, /listens on (\d+)/))[1]);
  const cpuUs = async () => {
    const { cpu } = await requestFrom<{ cpu: NodeJS.CpuUsage }>(child, {});
    return cpu.user + cpu.system;
  };
  return { port, cpuUs };
}

async function start(engine: Engine, set: DataSet): Promise<Target> {
  const storage = await engine.copy(set.name);
  const service = await Service.start(storage);
  return { contacts: set.contacts, set, storage, service, created: [], nextContact: set.contacts };
}

/** Everything that the run wrote must have been deleted, and nothing else: the total is the one of the data set. */
async function checkSize(target: Target): Promise<void> {
  const { port } = target.service;
  await run({ name: 'list at the end', port, connections: 1, requests: 1, next: () => list(target) });
}

function write(result: Result, { resultsFolder, isWritingDocs }: Options): void {
  mkdirSync(resultsFolder, { recursive: true });
  const file = join(resultsFolder, `${result.measuredAt.replaceAll(':', '-')}-${result.engine}`);
  writeFileSync(`${file}.json`, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(`${file}.svg`, plot(result));
  console.log(`\nWritten to ${file}.json and .svg.`);
  if (!isWritingDocs) return;
  const page = join(docs, 'performance.md');
  writeFileSync(page, withSummary(readFileSync(page, 'utf8'), result));
  const decisions = join(docs, 'decisions');
  writeFileSync(join(decisions, figuresName(result.engine)), figuresPage(result));
  writeFileSync(join(decisions, plotName(result.engine)), plot(result));
  console.log(`docs/performance.md, docs/decisions/${figuresName(result.engine)} and its plot are rewritten.`);
}
