// npm run soak: the real server under a mixed load for a given time, with kills and full disks in between.
import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeHome } from '../../packages/server/test/process/server-process.ts';
import { canMountImages, enterOwnMounts } from '../own-mounts.ts';
import { openPostgresEngine } from './postgres-engine.ts';
import { reportOf } from './report.ts';
import { Soak } from './run.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

const engines = { sqlite: openSqliteEngine, postgres: openPostgresEngine };
const { values: options } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    minutes: { type: 'string', default: '5' },
    'every-seconds': { type: 'string', default: '30' },
    connections: { type: 'string', default: '8' },
    // More than indexThreshold, so that searches use the index.
    contacts: { type: 'string', default: '16000' },
    seed: { type: 'string' },
    'busy-machine': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(`npm run soak -- [--engine sqlite|postgres] [--minutes 5] [--every-seconds 30] [--connections 8] [--contacts 16000] [--seed N] [--busy-machine]

Loads a server of its own, disturbs it every so many seconds, and compares all that is stored with what was answered.
With --busy-machine, a request may be refused for having waited too long for its turn or for the database: that depends on what else the machine does.
Needs Linux. Full disks need root, or for SQLite user namespaces.`);
  process.exit(0);
}
const openEngine = engines[options.engine as keyof typeof engines];
if (openEngine === undefined) fail(`--engine takes one of ${Object.keys(engines).join(', ')}.`);
if (process.platform !== 'linux') fail('This needs Linux: it reads /proc.');
const minutes = positive('minutes');
const settings = {
  seconds: minutes * 60,
  everySeconds: positive('every-seconds'),
  connections: positive('connections'),
  contacts: positive('contacts'),
  seed: options.seed === undefined ? randomInt(2 ** 31) : positive('seed'),
  isMachineBusy: options['busy-machine'],
};
// PostgreSQL does not run as root, not even as that of a user namespace.
const hasOwnMounts = (options.engine === 'sqlite' || canMountImages()) && enterOwnMounts();

const cleanUps: (() => unknown)[] = [];
try {
  const home = await makeHome({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) });
  const folder = await mkdtemp(join(tmpdir(), 'roster-soak-'));
  // PostgreSQL runs as another user than root.
  await chmod(folder, 0o755);
  const engine = await openEngine(folder, hasOwnMounts);
  cleanUps.push(
    () => engine.stop(),
    () => rm(folder, { recursive: true }),
  );
  console.log(`${engine.name}: ${minutes} minutes, seed ${settings.seed}`);
  for (const what of engine.leftOut) console.log(`Left out: ${what}.`);
  const soak = new Soak(home, engine, { ...settings, onProgress: (line) => console.log(line) });
  const problems = await soak.run();
  console.log(`\n${reportOf(soak)}`);
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(problems.length === 0 ? 'Nothing was wrong.' : `${problems.length} PROBLEMS, seed ${settings.seed}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}

function positive(name: 'minutes' | 'every-seconds' | 'connections' | 'contacts' | 'seed'): number {
  const value = Number(options[name]);
  if (value > 0) return value;
  return fail(`--${name} must be a number above 0; it is "${options[name]}".`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
