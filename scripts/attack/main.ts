// npm run attack: one organization attacks a server of its own with every load in turn; what another one notices is a table.
import { parseArgs } from 'node:util';
import { query } from '../../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../../packages/server/test/postgres/server.ts';
import { makeHome } from '../../packages/server/test/process/server-process.ts';
import { problemsOf, tableOf } from './report.ts';
import { attackServer } from './run.ts';

const { values: options } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '60' },
    contacts: { type: 'string', default: '1000000' },
    load: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(`npm run attack -- [--engine sqlite|postgres] [--seconds 60] [--connections 60] [--contacts 1000000] [--load NAME]…

Starts a server with two organizations. One of them sends each load for so many seconds over so many connections; the table says
what the other one notices, and the last lines what is more than it may be. Needs Linux.`);
  process.exit(0);
}
if (!['sqlite', 'postgres'].includes(options.engine)) fail('--engine takes sqlite or postgres.');
if (process.platform !== 'linux') fail('This needs Linux: it reads /proc.');

const cleanUps: (() => unknown)[] = [];
try {
  const home = await makeHome({ after: (cleanUp) => cleanUps.unshift(cleanUp as () => unknown) });
  const databaseUrl = options.engine === 'postgres' ? await openDatabase() : undefined;
  const noticed = await attackServer(home, {
    env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
    connections: positive('connections'),
    seconds: positive('seconds'),
    contacts: positive('contacts'),
    only: options.load,
    tidyUp: async () => databaseUrl && query(databaseUrl, 'VACUUM ANALYZE'),
    onProgress: (line) => console.error(line),
  });
  console.log(tableOf(noticed));
  const problems = problemsOf(noticed, positive('seconds'));
  for (const problem of problems) console.log(problem);
  console.log(problems.length === 0 ? 'Nothing was too much.' : `${problems.length} PROBLEMS`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}

async function openDatabase(): Promise<string> {
  const server = await startPostgres({ settings: { max_connections: '200' } });
  cleanUps.push(() => server.stop());
  await query(server.url('postgres'), 'CREATE DATABASE roster');
  return server.url('roster');
}

function positive(name: 'seconds' | 'connections' | 'contacts'): number {
  const value = Number(options[name]);
  if (value > 0) return value;
  return fail(`--${name} must be a number above 0; it is "${options[name]}".`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
