// `npm run bench:compare`: what requests cost this clone and another one, in alternation within one run. The other one must have been
// installed (`npm ci`). Exits with 1 when a response was wrong.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeProgressBar, type ProgressBar } from '../packages/cli/src/terminal/progress-bar.ts';
import { prepareValuedSet } from './data-sets.ts';
import type { Engine } from './engine.ts';
import { type Exchange, run } from './load.ts';
import { names } from './operation-names.ts';
import { create, deleteCreated, type Operation, operations, type Target } from './operations.ts';
import { openPostgresEngine } from './postgres-engine.ts';
import { endAll } from './processes.ts';
import { oneContact } from './response-checks.ts';
import { changedValues, listsOf, valuedContact } from './sample-values.ts';
import { Service, thisTree } from './service.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { pairedRatio, type Slice, summarize } from './statistics.ts';

const usage = `Usage: npm run bench:compare -- --other PATH [options]

  --other PATH               the other clone, in which "npm ci" has run
  --engine sqlite|postgres   storage engine of both (sqlite)
  --contacts 100000          contacts of the bot, each with eight attributes and three tags
  --connections 50           concurrent connections
  --rounds 7                 repetitions of each measurement
  --seconds 1                duration of each measurement
  --only WORD                operations whose names contain it; may repeat

Prints CPU time per request of the server's process, and of the database's where that is another, for both clones, and the median of
the ratios within the rounds: below 1, this clone takes less.`;

const { values: options } = parseArgs({
  options: {
    other: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    contacts: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help || options.other === undefined) {
  console.log(usage);
  process.exit(options.help ? 0 : 2);
}

interface Side extends Target {
  engine: Engine;
  token: string;
}

const contacts = Number(options.contacts);
const home = fileURLToPath(new URL('data/compare/', import.meta.url));
const bar = makeProgressBar(process.stderr);
const sides: Side[] = [];
try {
  rmSync(home, { recursive: true, force: true });
  for (const [name, tree] of [
    ['this', thisTree],
    ['other', resolve(options.other)],
  ] as const) {
    sides.push(await startSide(join(home, name), tree, bar));
  }
  const rows = await measure(sides as [Side, Side]);
  console.log(rows.map((row) => `| ${row.join(' | ')} |`).join('\n'));
} finally {
  bar.end();
  await endAll();
  for (const { engine } of sides) await engine.close();
  rmSync(home, { recursive: true, force: true });
}

async function startSide(folder: string, tree: string, bar: ProgressBar): Promise<Side> {
  const engine = options.engine === 'postgres' ? await openPostgresEngine(folder) : openSqliteEngine(folder);
  const set = await prepareValuedSet(engine, folder, contacts, bar, tree);
  const storage = await engine.copy(set.name);
  const service = await Service.start(storage, tree);
  let token = '';
  const request = service.exchange(
    set.big,
    'POST',
    'auth/contact',
    tokenOf((text) => (token = text)),
    {
      id: set.idOf(0),
    },
  );
  await run({ name: 'a token', port: service.port, connections: 1, requests: 1, next: () => request });
  return { contacts, set, storage, service, created: [], nextContact: contacts, engine, token };
}

/** Expects a contact token. */
function tokenOf(onToken: (text: string) => void): Omit<Exchange, 'bytes'> {
  return {
    status: 200,
    check(body) {
      const { token } = body as { token?: string };
      if (token === undefined) return 'expected a token';
      onToken(token);
      return undefined;
    },
  };
}

/** Those of the benchmark, and what contacts with attributes and tags cost. */
function comparedOperations(): Operation[] {
  let changes = 0;
  const lists = listsOf(contacts);
  const listed = (name: string, kind: keyof typeof lists): Operation => ({
    name,
    next({ service, set }) {
      const { query } = lists[kind][changes++ % lists[kind].length] as { query: string };
      return service.exchange(set.big, 'GET', `contacts?${query}`, { status: 200 });
    },
  });
  const all: Operation[] = [
    ...operations.filter(({ name }) => name !== names.broadWritten && name !== names.smallBot),
    {
      name: 'recognize a visitor',
      isFromManyAddresses: true,
      next(target) {
        const { service, set } = target;
        const { token } = target as Side;
        return service.exchange({ ...set.big, secret: token }, 'GET', 'auth/contact', { status: 200 });
      },
    },
    {
      name: 'issue a token',
      isWrite: true,
      next(target) {
        const id = target.set.idOf(Math.floor(Math.random() * contacts));
        return target.service.exchange(
          target.set.big,
          'POST',
          'auth/contact',
          tokenOf(() => {}),
          { id },
        );
      },
    },
    {
      name: 'create with values',
      isWrite: true,
      next: (target) => create(target, valuedContact(target.nextContact++)),
    },
    {
      name: 'update of values',
      isWrite: true,
      next({ service, set }) {
        const n = Math.floor(Math.random() * contacts);
        const id = set.idOf(n);
        const expected = { status: 200, check: oneContact(id) };
        return service.exchange(set.big, 'PATCH', `contacts/${id}`, expected, changedValues(n, changes++));
      },
    },
    listed('list of a rare tag', 'rareTag'),
    listed('list of a range of numbers', 'numbers'),
    listed('list of a range of dates', 'dates'),
  ];
  const wanted = options.only;
  const isWanted = ({ name }: Operation) => wanted.length === 0 || wanted.some((word) => name.includes(word));
  // What creates for the next one brings that along.
  return all.filter((each, at) => isWanted(each) || (each.isForNext && isWanted(all[at + 1] as Operation)));
}

async function measure(sides: [Side, Side]): Promise<string[][]> {
  const compared = comparedOperations();
  const rounds = Number(options.rounds);
  bar.begin('comparing', compared.length * (rounds + 1));
  const slices = compared.map(() => [[], []] as [Measured[], Measured[]]);
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [at, operation] of compared.entries()) {
      for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const measured = await measureSlice(operation, sides[side] as Side);
        if (round > 0) slices[at]?.[side]?.push(measured);
      }
      bar.advance(1);
    }
  }
  bar.end();
  const hasDatabase = sides[0].engine.cpuUs !== undefined;
  const head = ['operation', 'other µs', 'this µs', 'ratio', 'spread', ...(hasDatabase ? ['with the database'] : [])];
  const refusedOf = (each: readonly Measured[]) => each.reduce((sum, { refused }) => sum + refused, 0);
  const rows = compared.map(({ name }, at) => {
    const [mine, others] = slices[at] as [Measured[], Measured[]];
    const [here, there] = [mine, others].map((each) => perRequest(each, false)) as [number[], number[]];
    const ratios = here.map((us, round) => us / (there[round] as number)).sort((a, b) => a - b);
    const spread = `${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)}`;
    const withDatabase = pairedRatio(perRequest(mine, true), perRequest(others, true)).toFixed(2);
    const [hereUs, thereUs] = [mine, others].map((each) => summarize(each).cpuUs?.toFixed(0)) as [string, string];
    const refused = refusedOf(mine) + refusedOf(others);
    const row = [
      name,
      thereUs,
      hereUs,
      pairedRatio(here, there).toFixed(2),
      spread,
      ...(hasDatabase ? [withDatabase] : []),
    ];
    return refused === 0 ? row : [`${name} (${refused} refused)`, ...row.slice(1)];
  });
  return [head, head.map(() => '---'), ...rows];
}

interface Measured extends Slice {
  databaseUs: number;
}

function perRequest(measured: readonly Measured[], withDatabase: boolean): number[] {
  return measured.map(({ cpuUs = 0, databaseUs, latenciesMs }) => {
    return (cpuUs + (withDatabase ? databaseUs : 0)) / latenciesMs.length;
  });
}

async function measureSlice(operation: Operation, side: Side): Promise<Measured> {
  const { service, engine } = side;
  const connections = Number(options.connections);
  const requests = operation.requestsMax?.(connections);
  const [cpuUs, databaseUs] = [await service.cpuUs(), (await engine.cpuUs?.()) ?? 0];
  const slice = await run({
    ...{ name: operation.name, port: service.port, connections },
    ...(!operation.isExhaustive && { seconds: Number(options.seconds) }),
    ...(requests !== undefined && { requests }),
    isFromManyAddresses: operation.isFromManyAddresses,
    // A machine that others use, too, may be too slow for so many connections: the table says so.
    mayBeRefused: true,
    next: () => operation.next(side),
  });
  if (operation.isWrite) await service.settle();
  const measured = {
    ...slice,
    cpuUs: (await service.cpuUs()) - cpuUs,
    databaseUs: ((await engine.cpuUs?.()) ?? 0) - databaseUs,
  };
  if (operation.isWrite && !operation.isForNext) {
    await deleteCreated(side);
    await service.settle();
  }
  return measured;
}
