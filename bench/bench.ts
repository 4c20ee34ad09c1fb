// `npm run bench`: how fast the service is, as shares of what the bare parts do in the same run.
// One server with a bot of many contacts; every operation in turn, several rounds, medians. Bounded in time.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { query } from '../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../packages/server/test/postgres/server.ts';
import { type Load, type Measured, run } from './load.ts';
import { person, rareWordOf } from './people.ts';
import { type Bar, type Result, summarise } from './report.ts';

const { values: options } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    contacts: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
  },
});
const [contacts, connections, rounds, seconds] = (['contacts', 'connections', 'rounds', 'seconds'] as const).map(
  (name) => {
    const value = Number(options[name]);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`);
    return value;
  },
) as [number, number, number, number];

const { engine } = options;
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine must be sqlite or postgres.');

/** What we hold ourselves to: share of bare `node:http`, or of the bare upserts. */
const bars: Record<string, Bar> =
  engine === 'sqlite'
    ? {
        retrieve: { atLeast: 0.45, of: 'bare' },
        create: { atLeast: 0.35, of: 'bare' },
        update: { atLeast: 0.35, of: 'bare' },
        search: { atLeast: 0.08, of: 'bare' },
        'upsert of 1000': { atLeast: 0.6, of: 'bare upserts' },
      }
    : {
        retrieve: { atLeast: 0.25, of: 'bare' },
        create: { atLeast: 0.12, of: 'bare' },
        search: { atLeast: 0.05, of: 'bare' },
        'upsert of 1000': { atLeast: 0.5, of: 'bare upserts' },
      };

type Loads = Record<string, Omit<Load, 'seconds'>>;

const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const children: ChildProcess[] = [];
// With the settings that a database comes with: every commit is synced.
const postgres = engine === 'postgres' ? await startPostgres({ settings: {} }) : undefined;
try {
  await main();
} finally {
  await Promise.all(children.map(end));
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  if (postgres !== undefined) {
    for (const name of ['roster', 'bare']) await query(postgres.url('postgres'), `CREATE DATABASE ${name}`);
  }
  const bare = start(spawn(process.execPath, ['bench/bare-http.ts']));
  const barePort = Number((await lineOf(bare, /listens on (\d+)/))[1]);
  const upserter = start(fork(`bench/bare-upserts-${engine}.ts`, { env: databaseOf('bare') }));

  const server = await startService();
  tell(`filling ${contacts} contacts`);
  const ids = await fill(server);
  await ask(upserter, { kind: 'fill', contacts });
  await settle(server);

  let next = contacts;
  const someId = () => ids[Math.floor(Math.random() * ids.length)] as string;
  const bareLoad = { port: barePort, connections, expected: [200], request: () => server.request('GET', 'contacts/x') };
  const search = server.load([200], () => {
    return server.request('GET', `contacts?query=${rareWordOf(Math.floor(Math.random() * contacts))}`);
  });
  const create = server.load([201], () => server.request('PUT', 'contacts', person(next++)));
  const reads: Loads = {
    bare: bareLoad,
    retrieve: server.load([200], () => server.request('GET', `contacts/${someId()}`)),
    search,
    list: server.load([200], () => server.request('GET', 'contacts')),
  };
  const writes: Loads = {
    bare: bareLoad,
    create,
    update: server.load([200], () => server.request('PATCH', `contacts/${someId()}`, { name: `Renamed ${next++}` })),
    'upsert of 1000': {
      ...server.load([200], () => {
        // Half of them exist: those of the upsert before, or of the filling.
        const from = next - 500;
        next += 500;
        return server.request('PATCH', 'contacts', { data: Array.from({ length: 1000 }, (_, i) => person(from + i)) });
      }),
      connections: 4,
    },
  };

  const measured = new Map<string, Measured[]>();
  const note = (name: string, result: Measured) => measured.set(name, [...(measured.get(name) ?? []), result]);
  const measureInTurn = async (round: number, loads: Loads) => {
    for (const [name, load] of Object.entries(loads)) {
      tell(`round ${round} of ${rounds}: ${name}`);
      note(name, await run({ ...load, seconds }));
      await settle(server);
    }
  };

  // All reads before the first write, since the writes make the bot larger.
  for (let round = 1; round <= rounds; round++) await measureInTurn(round, reads);
  for (let round = 1; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}: search beside writes`);
    const oneSearch = { ...search, connections: 1, seconds };
    note('search, alone', await run(oneSearch));
    const writing = run({ ...create, seconds: seconds + 0.5 });
    note('search, beside creates', await run(oneSearch));
    await writing;
    await settle(server);

    await measureInTurn(round, writes);
    tell(`round ${round} of ${rounds}: bare upserts`);
    const { perSecond } = (await ask(upserter, { kind: 'measure', seconds })) as { perSecond: number };
    note('bare upserts', { requests: 0, perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN });
  }
  tell('');

  const memoryMiB = (await server.metric('process_resident_memory_bytes')) / 1024 ** 2;
  const result: Result = {
    engine,
    contacts,
    connections,
    machine: machineName(),
    memoryMiB,
    measured: Object.fromEntries(measured),
  };
  console.log(summarise(result, bars));
  mkdirSync('bench/results', { recursive: true });
  const file = `bench/results/${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\nWritten to ${file}.`);
}

/** The environment of a process that uses this database, if the engine has any. */
function databaseOf(name: string): NodeJS.ProcessEnv {
  return { ...process.env, ...(postgres && { DATABASE_URL: postgres.url(name) }) };
}

interface Service {
  request(method: string, path: string, body?: unknown): string;
  load(expected: number[], request: () => string): Omit<Load, 'seconds'>;
  fetch(method: string, path: string, body: unknown): Promise<unknown>;
  metric(name: string): Promise<number>;
}

async function startService(): Promise<Service> {
  const server = start(
    // As `npm start` runs it.
    spawn(process.execPath, ['--max-semi-space-size=4', 'packages/server/start.mjs'], {
      env: {
        ...databaseOf('roster'),
        ROSTER_PORT: '0',
        ROSTER_DATA_DIR: join(folder, 'data'),
        ROSTER_LOG_LEVEL: 'warn',
      },
    }),
  );
  const output = await lineOf(server, /listens on (http\S+)/);
  const url = new URL(output[1] as string);
  const bot = /bot_\w+/.exec(output.input)?.[0];
  const secret = /rst_\w+/.exec(output.input)?.[0];
  const port = Number(url.port);
  return {
    request(method, path, body) {
      const head = `${method} /v1/bots/${bot}/${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${secret}\r\n`;
      if (body === undefined) return `${head}\r\n`;
      const bytes = Buffer.from(JSON.stringify(body));
      return `${head}Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`;
    },
    load: (expected, request) => ({ port, connections, expected, request }),
    async fetch(method, path, body) {
      const response = await fetch(`${url.origin}/v1/bots/${bot}/${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
    async metric(name) {
      const text = await (await fetch(`${url.origin}/metrics`)).text();
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    },
  };
}

async function fill(server: Service): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < contacts; from += 1000) {
    const data = Array.from({ length: Math.min(1000, contacts - from) }, (_, i) => person(from + i));
    const answer = (await server.fetch('PATCH', 'contacts', { data })) as { data: { id: string }[] };
    ids.push(...answer.data.map(({ id }) => id));
    tell(`filling ${contacts} contacts: ${from + data.length}`);
  }
  return ids;
}

/** Lets the server finish what it does in the background, so that one measurement does not pay for another. */
async function settle(server: Service): Promise<void> {
  const deadlineMs = performance.now() + 30_000;
  let quiet = 0;
  let cpuSeconds = await server.metric('process_cpu_seconds_total');
  while (quiet < 2 && performance.now() < deadlineMs) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = await server.metric('process_cpu_seconds_total');
    quiet = now - cpuSeconds < 0.03 ? quiet + 1 : 0;
    cpuSeconds = now;
  }
}

function start(child: ChildProcess): ChildProcess {
  children.push(child);
  child.stderr?.on('data', (text: Buffer) => process.stderr.write(text));
  return child;
}

/** Waits for a line; `input` of the match is everything printed so far. */
function lineOf(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (text: Buffer) => {
      output += text;
      const match = pattern.exec(output);
      if (match !== null) resolve(match);
    });
    child.once('exit', () => reject(new Error(`a process ended before it was ready: ${output}`)));
  });
}

function ask(child: ChildProcess, command: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('the bare upserts ended')));
    child.send(command);
  });
}

function end(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return Promise.resolve();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  else child.kill();
  return ended;
}

function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '' && !/: \d+$/.test(text)) process.stderr.write(`${text}\n`);
}

function machineName(): string {
  const [first] = cpus();
  return `${first?.model.trim()} × ${cpus().length}, ${process.arch}, Node ${process.version}`;
}
