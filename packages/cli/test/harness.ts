// The command, in the process of the test or as one of its own, and servers for it to speak to.
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AttributeType, type Contact, type ContactWith, Roster } from '@roster/client';
import type { Permission } from '@roster/contract';
import { hashCredential, makeSecret } from '../../server/src/account/credentials.ts';
import type { FirstRun } from '../../server/src/process/first-run.ts';
import { startServer, type TestServer } from '../../server/test/harness.ts';
import { lastFirst } from '../../server/test/last-first.ts';
import { type HomeHere, makeHomeHere, type ServerHere } from '../../server/test/process/serve-here.ts';
import { makeHome, startFirst } from '../../server/test/process/server-process.ts';
import { until } from '../../server/test/process/waiting.ts';
import { type Receiver, startReceiver } from '../../server/test/receiver.ts';
import { sampleBot, sampleCaller, sampleContext, sampleSecret } from '../../server/test/sample.ts';
import { wholeFile } from '../../server/test/whole-file.ts';
import { allCommands } from '../src/commands/all-commands.ts';
import type { EndSignal, Invocation } from '../src/invocation.ts';
import { run } from '../src/run.ts';
import { afterFirstStart } from './prepared-data.ts';

export type { Receiver, TestServer };
export { makeHome, startFirst, startReceiver, startServer, until, wholeFile };

export const entry = fileURLToPath(new URL('../roster.mjs', import.meta.url));

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** The executable that the command believes to be. */
  execPath?: string;
  /** What stdin holds. */
  input?: string | Buffer;
  cwd?: string;
}

/** Nothing of the tests' own environment reaches the command but PATH. */
const environmentOf = (env: Record<string, string> = {}) => ({
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  NO_COLOR: '1',
  ...env,
});

/** Runs a command in this process, which is what tests do that are not about processes: it takes a hundredth of the time. */
export function runCli(args: readonly string[], options?: RunOptions): Promise<Ran> {
  return runHere(args, options).ended;
}

/** The real command as a process of its own, for tests of signals, pipes and what Node itself is given. */
export function spawnCli(args: readonly string[], { env, input, cwd }: RunOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: environmentOf(env),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  return child;
}

export async function finish(child: ChildProcess): Promise<Ran> {
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text;
    });
  }
  [ran.code] = (await once(child, 'close')) as [number | null];
  return ran;
}

interface RunningHere {
  /** What it printed until now. */
  printed: Record<'stdout' | 'stderr', string>;
  signals: Signals;
  ended: Promise<Ran>;
}

/** Of one command in this process. One that comes before the command listens is not lost: it reaches the first listener for it. */
class Signals {
  readonly #listeners = new EventEmitter<Record<EndSignal, []>>();
  #early: EndSignal | undefined;

  send(signal: EndSignal): void {
    if (!this.#listeners.emit(signal)) this.#early = signal;
  }

  on(signal: EndSignal, listener: () => void): void {
    this.#listeners.on(signal, listener);
    if (this.#early !== signal) return;
    this.#early = undefined;
    // Not before the caller has what it needs to act on a signal, as with those of a process.
    queueMicrotask(() => this.#listeners.emit(signal));
  }

  off(signal: EndSignal, listener: () => void): void {
    this.#listeners.off(signal, listener);
  }
}

function runHere(
  args: readonly string[],
  { env, execPath = process.execPath, input, cwd = process.cwd() }: RunOptions = {},
): RunningHere {
  const printed = { stdout: '', stderr: '' };
  const signals = new Signals();
  const invocation: Invocation = {
    argv: [execPath, entry, ...args],
    execPath,
    env: environmentOf(env),
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    stdout: collectInto(printed, 'stdout'),
    stderr: collectInto(printed, 'stderr'),
    on: (signal, listener) => signals.on(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
  };
  const leave = enterProcess(cwd);
  const ended = run(invocation, allCommands)
    .finally(leave)
    .then((code) => ({ code, ...printed }));
  return { printed, signals, ended };
}

function collectInto(printed: Record<string, string>, name: string): Writable {
  const decoder = new StringDecoder('utf8');
  return new Writable({
    write(chunk: Buffer, _, done) {
      printed[name] += decoder.write(chunk);
      done();
    },
  });
}

let entered: { folder: string; before: { folder: string; umask: number }; count: number } | undefined;

/**
 * A process has one folder, so commands that run side by side share theirs. What a command changes of its process does not
 * outlast it: with its umask, another test would find files private that nobody made private.
 */
function enterProcess(folder: string): () => void {
  if (entered === undefined) {
    const before = { folder: process.cwd(), umask: process.umask() };
    process.chdir(folder);
    entered = { folder, before, count: 0 };
  }
  if (entered.folder !== folder) throw new Error(`a command still runs in ${entered.folder}`);
  entered.count++;
  return () => {
    if (entered === undefined || --entered.count > 0) return;
    const { before } = entered;
    entered = undefined;
    process.umask(before.umask);
    process.chdir(before.folder);
  };
}

/** A command that runs until it is stopped. */
export interface Running {
  /** What it printed until now. */
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stdout as JSON, when there are so many. */
  lines<Line = Record<string, unknown>>(count: number): Promise<Line[]>;
  /** Resolves when stdout has this. */
  printed(text: string): Promise<void>;
  /** Resolves when stderr has this. */
  noted(text: string): Promise<void>;
  /** By Ctrl-C unless another signal is named. */
  stop(signal?: EndSignal): Promise<Ran>;
  ended: Promise<Ran>;
}

/** In this process, as `runCli`. */
export function startCli(t: Pick<TestContext, 'after'>, args: readonly string[], options?: RunOptions): Running {
  const { printed, signals, ended } = runHere(args, options);
  let isAsked = false;
  const stop = (signal: EndSignal = 'SIGINT') => {
    // The second signal ends a process at once, and this one is that of the tests.
    if (!isAsked) signals.send(signal);
    isAsked = true;
    return ended;
  };
  t.after(() => stop());
  let isEnded = false;
  ended.then(() => {
    isEnded = true;
  });
  return Object.assign(
    watchFor(printed, () => isEnded),
    { stop, ended },
  );
}

/** As a process, which can also be killed or lose the reader of its output. */
export function startProcess(
  t: Pick<TestContext, 'after'>,
  args: readonly string[],
  options?: RunOptions,
): Omit<Running, 'stop'> & { child: ChildProcess; stop(signal?: NodeJS.Signals): Promise<Ran> } {
  const child = spawnCli(args, options);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (text) => (printed[name] += text));
  const ended = finish(child);
  t.after(() => {
    child.kill('SIGKILL');
    return ended;
  });
  const stop = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  return Object.assign(
    watchFor(printed, () => child.exitCode !== null),
    { stop, ended, child },
  );
}

type Watch = Pick<Running, 'stdout' | 'stderr' | 'lines' | 'printed' | 'noted'>;

function watchFor(printed: Record<'stdout' | 'stderr', string>, isEnded: () => boolean): Watch {
  /** One that has ended will never print it. */
  const when = (what: string, isTrue: () => boolean) =>
    until(what, () => {
      if (isTrue()) return true;
      if (isEnded()) throw new Error(`ended before ${what}: ${printed.stdout}${printed.stderr}`);
      return false;
    });
  return {
    get stdout() {
      return printed.stdout;
    },
    get stderr() {
      return printed.stderr;
    },
    async lines(count) {
      const whole = () => printed.stdout.split('\n').slice(0, -1);
      await when(`${count} lines`, () => whole().length >= count);
      return whole().map((line) => JSON.parse(line));
    },
    printed: (text) => when(`"${text}"`, () => printed.stdout.includes(text)),
    noted: (text) => when(`"${text}"`, () => printed.stderr.includes(text)),
  };
}

export async function makeFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-cli-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A new bot without contacts, a folder, and the command set up for both. */
export interface Desk {
  folder: string;
  env: Record<string, string>;
  botId: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Starts one that runs until it is stopped. */
  start(args: readonly string[], options?: RunOptions): Running;
  /** The same as a process. */
  spawn(args: readonly string[], options?: RunOptions): ReturnType<typeof startProcess>;
  /** Runs it with --json, and reads what it printed. */
  json<Answer = Record<string, unknown>>(...args: string[]): Promise<Answer>;
  write(name: string, content: string | Buffer): Promise<string>;
  read(name: string): Promise<string>;
  /** The contacts of the bot, in the order of their emails. */
  contacts(): Promise<Contact[]>;
  /** Attributes and tags of each contact, by email. */
  values(): Promise<Record<string, ContactValues>>;
  /** Defines attributes: their types by key. */
  define(types: Record<string, AttributeType>): Promise<void>;
  /** For what the test itself does to the bot. */
  roster: Roster;
}

type ContactValues = Pick<ContactWith<'attributes' | 'tags'>, 'attributes' | 'tags'>;

export async function makeDesk(t: Pick<TestContext, 'after'>, server: TestServer): Promise<Desk> {
  // Commands end before their folder does.
  const lifetime = lastFirst(t);
  const folder = await makeFolder(lifetime);
  const bot = sampleBot(server.mine.organizationId);
  await server.store.createBot(bot, undefined, sampleContext());
  const env = { ROSTER_URL: server.url, ROSTER_BOT: bot.id, ROSTER_SECRET: server.mine.secret };
  const inFolder = (options: RunOptions = {}) => ({ cwd: folder, ...options, env: { ...env, ...options.env } });
  const runIt = (args: readonly string[], options?: RunOptions) => runCli(args, inFolder(options));
  const roster = new Roster({ baseUrl: server.url, botId: bot.id, secret: server.mine.secret });
  return {
    folder,
    env,
    botId: bot.id,
    roster,
    run: runIt,
    start: (args, options) => startCli(lifetime, args, inFolder(options)),
    spawn: (args, options) => startProcess(lifetime, args, inFolder(options)),
    async json<Answer>(...args: string[]) {
      const { stdout, stderr } = await runIt([...args, '--json']);
      if (stdout === '') throw new Error(`no result: ${stderr}`);
      return JSON.parse(stdout) as Answer;
    },
    async write(name, content) {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    },
    read: (name) => readFile(join(folder, name), 'utf8'),
    async contacts() {
      const { contacts } = await server.store.exportContacts(bot.id, { after: undefined, limit: 1000 }, sampleCaller);
      return contacts.toSorted((a, b) => (a.email < b.email ? -1 : 1));
    },
    async values() {
      const found: Record<string, ContactValues> = {};
      const all = roster.contacts.exportAll({ include: ['attributes', 'tags'] });
      for await (const { email, attributes, tags } of all) found[email] = { attributes, tags };
      return found;
    },
    async define(types) {
      for (const [key, type] of Object.entries(types)) await roster.attributes.define(key, { type, label: key });
    },
  };
}

/** A secret of the tests' organization with these permissions only. */
export async function addSecret(
  { store, mine }: TestServer,
  scope: { permissions: readonly Permission[] },
): Promise<string> {
  const secret = makeSecret();
  await store.createSecret(
    sampleSecret(mine.organizationId, { ...scope, hash: hashCredential(secret) }),
    undefined,
    sampleContext(),
  );
  return secret;
}

/** The operator's commands for one database, in this process. */
export interface OperatorCommands {
  /** What leads commands to the database. */
  env: Record<string, string>;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs it with --json, and reads what it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer has many shapes, and the assertion names the one it wants.
  json(...args: string[]): Promise<any>;
}

/** A database of the first start, and the operator's commands for it. All in this process. */
export interface Station extends OperatorCommands {
  home: HomeHere;
  firstRun: FirstRun;
}

/** On SQLite, with a running server: it does the work of the commands. */
export async function makeServingStation(t: Pick<TestContext, 'after'>): Promise<Station & { server: ServerHere }> {
  const home = await makeHomeHere(t);
  const server = await home.startFirst();
  return { home, firstRun: server.firstRun, server, ...operatorCommands(home) };
}

/** On SQLite, without a server: each command opens the database, for half a second. */
export async function makeClosedStation(t: Pick<TestContext, 'after'>): Promise<Station> {
  const home = await makeHomeHere(t);
  const { firstRun, copyTo } = await afterFirstStart();
  await copyTo(home.dataDir);
  return { home, firstRun, ...operatorCommands(home) };
}

/** On PostgreSQL: each command opens the database, which takes no time. */
export async function makePostgresStation(t: Pick<TestContext, 'after'>): Promise<Station> {
  const home = await makeHomeHere(t);
  // Only tests of PostgreSQL load its driver.
  const { createDatabase } = await import('../../server/test/postgres/databases.ts');
  const { url, drop } = await createDatabase('plain');
  t.after(drop);
  const env = { DATABASE_URL: url };
  const server = await home.startFirst(env);
  await server.stop();
  return { home, firstRun: server.firstRun, ...operatorCommands(home, env) };
}

export function operatorCommands(
  { folder, dataDir }: Pick<HomeHere, 'folder' | 'dataDir'>,
  settings: Record<string, string> = {},
): OperatorCommands {
  const env = { ROSTER_DATA_DIR: dataDir, ...settings };
  const runIt: OperatorCommands['run'] = (args, options = {}) =>
    runCli(args, { cwd: folder, ...options, env: { ...env, ...options.env } });
  return {
    env,
    run: runIt,
    async json(...args) {
      const { stdout, stderr } = await runIt([...args, '--json']);
      if (stdout === '') throw new Error(`no result: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
