// npm run feed-test: random changes while readers follow the feed and servers are killed; each reader must see each event once and in
// order, and a mirror of the contacts must equal the source.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createDatabase, prepareTemplates, serverVariable } from '../../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../../packages/server/test/postgres/server.ts';
import { makeHome } from '../../packages/server/test/process/server-process.ts';
import { runFeedTest } from './run.ts';

const usage = `npm run feed-test -- [--engine sqlite|postgres|partitioned] [--changes 100000] [--kills 20] [--mirror-kills 20] [--writers 8] [--seed N]

Runs one server on SQLite, or two on PostgreSQL. The same seed gives the same choices, though not the same timing.`;

const serversOf: Record<string, number> = { sqlite: 1, postgres: 2, partitioned: 2 };
const { values: options } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    changes: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '20' },
    'mirror-kills': { type: 'string', default: '20' },
    writers: { type: 'string', default: '8' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit(0);
}
const { engine } = options;
const servers = serversOf[engine];
if (servers === undefined) fail(`--engine takes one of ${Object.keys(serversOf).join(', ')}.`);
const settings = {
  servers,
  changes: wholeNumber('changes', 1),
  kills: wholeNumber('kills', 0),
  mirrorKills: wholeNumber('mirror-kills', 0),
  writers: wholeNumber('writers', 1),
  seed: options.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed', 0),
};

const cleanUps: (() => unknown)[] = [];
try {
  const home = await makeHome({ after: (cleanUp) => cleanUps.unshift(cleanUp as () => unknown) });
  console.log(`${engine}: ${settings.changes} changes, seed ${settings.seed}`);
  const { problems, summary } = await runFeedTest(
    home,
    { ...settings, env: { ROSTER_LOG_LEVEL: 'warn', ...(await databaseOf(engine)) }, onProgress: console.log },
    (cleanUp) => cleanUps.unshift(cleanUp),
  );
  console.log(summary);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  const verdict = 'Each reader saw each event once and in order, and the mirror equals the source.';
  console.log(problems.length === 0 ? verdict : `${problems.length} PROBLEMS, seed ${settings.seed}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
for (const cleanUp of cleanUps) await cleanUp();
// After a failure, writers and readers still wait for servers.
process.exit();

/** It ends with its server: that of this process, or of the test run. */
async function databaseOf(name: string): Promise<Record<string, string>> {
  if (name === 'sqlite') return {};
  // With the settings that operators have: without vacuum, a long run would become slower and slower.
  process.env[serverVariable] ??= await prepareTemplates(await startPostgres({ settings: {} }));
  const { url } = await createDatabase(name === 'partitioned' ? 'partitioned' : 'plain');
  return { DATABASE_URL: url };
}

function wholeNumber(name: 'changes' | 'kills' | 'mirror-kills' | 'writers' | 'seed', min: number): number {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= min) return value;
  return fail(`--${name} must be a whole number from ${min}; it is "${options[name]}".`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
