// The real command as a child process, and servers for it to speak to. The one place from which the tests reach into
// the server.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AttributeType, type Contact, type ContactWith, Roster } from '@roster/client';
import type { Permission } from '@roster/contract';
import { hashCredential, makeSecret } from '../../server/src/account/credentials.ts';
import { startServer, type TestServer } from '../../server/test/harness.ts';
import { wholeFile } from '../../server/test/http/every-operation.ts';
import { makeHome, startFirst } from '../../server/test/process/server-process.ts';
import { until } from '../../server/test/process/waiting.ts';
import { type Receiver, startReceiver } from '../../server/test/receiver.ts';
import { sampleAsker, sampleBot, sampleSecret } from '../../server/test/sample.ts';

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
  /** What stdin holds. */
  input?: string | Buffer;
  cwd?: string;
}

/** Nothing of the tests' own environment reaches the command but PATH. */
export function spawnCli(args: readonly string[], { env = {}, input, cwd }: RunOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', NO_COLOR: '1', ...env },
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

export function runCli(args: readonly string[], options?: RunOptions): Promise<Ran> {
  return finish(spawnCli(args, options));
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
  stop(signal?: NodeJS.Signals): Promise<Ran>;
  ended: Promise<Ran>;
  child: ChildProcess;
}

export function startCli(t: Pick<TestContext, 'after'>, args: readonly string[], options?: RunOptions): Running {
  const child = spawnCli(args, options);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text) => (stdout += text));
  child.stderr?.on('data', (text) => (stderr += text));
  const ended = finish(child);
  t.after(() => child.kill('SIGKILL'));
  /** One that has ended will never print it. */
  const when = (what: string, isTrue: () => boolean) =>
    until(what, () => {
      if (isTrue()) return true;
      if (child.exitCode !== null) throw new Error(`ended before ${what}: ${stdout}${stderr}`);
      return false;
    });
  return {
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    async lines(count) {
      const whole = () => stdout.split('\n').slice(0, -1);
      await when(`${count} lines`, () => whole().length >= count);
      return whole().map((line) => JSON.parse(line));
    },
    printed: (text) => when(`"${text}"`, () => stdout.includes(text)),
    noted: (text) => when(`"${text}"`, () => stderr.includes(text)),
    stop(signal = 'SIGINT') {
      child.kill(signal);
      return ended;
    },
    ended,
    child,
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
  const folder = await makeFolder(t);
  const bot = sampleBot(server.mine.organizationId);
  await server.store.createBot(bot);
  const env = { ROSTER_URL: server.url, ROSTER_BOT: bot.id, ROSTER_TOKEN: server.mine.secret };
  const run = (args: readonly string[], options: RunOptions = {}) =>
    runCli(args, { cwd: folder, ...options, env: { ...env, ...options.env } });
  const roster = new Roster({ baseUrl: server.url, botId: bot.id, orgToken: server.mine.secret });
  return {
    folder,
    env,
    botId: bot.id,
    roster,
    run,
    start: (args, options = {}) => startCli(t, args, { cwd: folder, ...options, env: { ...env, ...options.env } }),
    async json<Answer>(...args: string[]) {
      const { stdout, stderr } = await run([...args, '--json']);
      if (stdout === '') throw new Error(`no result: ${stderr}`);
      return JSON.parse(stdout) as Answer;
    },
    async write(name, content) {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    },
    read: (name) => readFile(join(folder, name), 'utf8'),
    async contacts() {
      const { contacts } = await server.store.exportContacts(bot.id, { after: undefined, limit: 1000 }, sampleAsker);
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
  await store.createSecret(sampleSecret(mine.organizationId, { ...scope, hash: hashCredential(secret) }));
  return secret;
}

/** A server's data folder and the operator's commands for it, with the server running or stopped. */
export async function makeStation(
  t: Parameters<typeof makeHome>[0],
  isRunning: boolean,
  options?: Parameters<typeof startFirst>[1],
) {
  const home = await makeHome(t);
  const server = await startFirst(home, options);
  if (!isRunning) await server.stop();
  const env = { ROSTER_DATA_DIR: home.dataDir };
  const run = (args: string[], options: RunOptions = {}) =>
    runCli(args, { cwd: home.folder, ...options, env: { ...env, ...options.env } });
  const json = async (...args: string[]) => {
    const { stdout, stderr } = await run([...args, '--json']);
    if (stdout === '') throw new Error(`no result: ${stderr}`);
    return JSON.parse(stdout);
  };
  return { home, server, run, json, env };
}
