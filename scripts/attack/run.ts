// Two organizations share a server. One attacks it with one load after the other; the other reads, writes and searches as always,
// and what it notices of the attack is measured.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Home, type ServerProcess, startFirst } from '../../packages/server/test/process/server-process.ts';
import { Latencies } from '../soak/latencies.ts';
import type { Answers, Attack } from './attacker.ts';
import { loads, mediumBotContacts, smallBotContacts, smallBots } from './loads.ts';

export interface AttackOptions {
  /** The service's settings. */
  env: Record<string, string>;
  connections: number;
  /** Of each load. */
  seconds: number;
  /** Contacts of the organization that attacks. */
  contacts: number;
  /** Left out: all. */
  only?: readonly string[] | undefined;
  /** Does what the database has left to do after so many contacts at once, which would be measured with the first loads. */
  tidyUp(): Promise<unknown>;
  onProgress(line: string): void;
}

const operations = ['read', 'write', 'search'] as const;
export type OperationName = (typeof operations)[number];

export interface Noticed {
  load: string;
  /** What the other organization measured. */
  latencies: Record<OperationName, Latencies>;
  /** Statuses that it did not expect. */
  failures: string[];
  /** The most that the server's process had, in MiB. */
  memoryMiB: number;
  /** What the attacker was answered. */
  answers: Answers;
}

interface Tenant {
  botId: string;
  secret: string;
}

/** Between two requests of the organization that is attacked: it is no load by itself. */
const pauseMs = 5;
const memoryEveryMs = 50;
const ownContacts = 1000;

/** The first is of a quiet server. */
export async function attackServer(home: Home, options: AttackOptions): Promise<Noticed[]> {
  const env = { ROSTER_LOG_LEVEL: 'warn', ROSTER_WEBHOOK_PRIVATE: '1', ...options.env };
  const server = await startFirst(home, { env, nodeOptions: ['--max-semi-space-size=8'] });
  const attacked = { botId: server.firstRun.botId, secret: server.firstRun.secret };
  const attacker = await createAttacker(home, env, server.url);
  const contacts = await fill(server, attacked, ownContacts, () => {});
  await fill(server, attacker, options.contacts, (count) => {
    options.onProgress(`the organization that attacks has ${count} of ${options.contacts} contacts`);
  });
  for (const [at, botId] of attacker.otherBots.entries()) {
    const [most, share] = at === 0 ? [mediumBotContacts, 1] : [smallBotContacts, smallBots];
    const count = Math.min(most, Math.ceil(options.contacts / share));
    await fill(server, { botId, secret: attacker.secret }, count, () => {});
  }
  await options.tidyUp();
  const found = [
    await measure(server, attacked, contacts, 'none', async () => {
      await delay(options.seconds * 1000);
      return {};
    }),
  ];
  for (const { name } of loads.filter(({ name }) => options.only?.includes(name) ?? true)) {
    options.onProgress(name);
    const { connections, seconds } = options;
    const attack = { ...attacker, load: name, url: server.url, connections, seconds };
    found.push(await measure(server, attacked, contacts, name, (begin) => runAttack(attack, begin)));
    await untilQuiet(server, attacked, contacts);
  }
  return found;
}

/** By the operator's commands, as a second customer gets in. */
async function createAttacker(
  home: Home,
  env: Record<string, string>,
  url: string,
): Promise<Tenant & { otherBots: string[] }> {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.run({ args: [...args, '--json'], env });
    if (code !== 0) throw new Error(`roster ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
  await run('org', 'create', 'Attacker');
  const bot = await run('bot', 'create', 'Attacker', '--org', 'Attacker');
  const permissions = 'contacts:read,contacts:write,tokens:write,account:read,account:write';
  const secret = await run('secret', 'create', '--name', 'Attacker', '--org', 'Attacker', '--permissions', permissions);
  const otherBots: string[] = [];
  for (let at = 0; at <= smallBots; at++) {
    const headers = { authorization: `Bearer ${secret.secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: `Attacker ${at}` });
    const response = await fetch(`${url}/v1/account/bots`, { method: 'POST', headers, body });
    const { data } = (await response.json()) as { data: { id: string } };
    otherBots.push(data.id);
  }
  return { botId: bot.id, otherBots, secret: secret.secret };
}

async function fill({ url }: ServerProcess, tenant: Tenant, count: number, onProgress: (count: number) => void) {
  const { ask } = callerOf(url, tenant);
  await ask('PUT', 'attributes/notes', { type: 'text', label: 'Notes' });
  const ids: string[] = [];
  for (let from = 0; from < count; from += 1000) {
    const data = Array.from({ length: Math.min(1000, count - from) }, (_, index) => {
      const number = from + index;
      const notes = `Asked about order ${number * 7} and was called back. `.repeat(2);
      return {
        email: `c${number}@example.com`,
        name: `Contact ${number}`,
        phone: `+1 555 ${number}`,
        attributes: { notes },
        tags: ['vip', `group ${number % 20}`],
      };
    });
    const { status, json } = await ask('PATCH', 'contacts', { data });
    if (status !== 200) throw new Error(`an upsert was answered with ${status}: ${JSON.stringify(json)}`);
    if (ids.length < ownContacts) for (const { id } of (json as { data: { id: string }[] }).data) ids.push(id);
    if (from % 50_000 === 0) onProgress(from);
  }
  return ids;
}

function runAttack(attack: Attack, begin: () => void): Promise<Answers> {
  const child = fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), [JSON.stringify(attack)]);
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message === 'ready') begin();
      else resolve(message as Answers);
    });
    child.on('exit', (code) => code !== 0 && reject(new Error(`the attacker ended with ${code}`)));
  });
}

async function measure(
  server: ServerProcess,
  tenant: Tenant,
  contacts: readonly string[],
  load: string,
  attack: (begin: () => void) => Promise<Answers>,
): Promise<Noticed> {
  const latencies = { read: new Latencies(), write: new Latencies(), search: new Latencies() };
  const failures: string[] = [];
  let isOver = false;
  let memoryMiB = 0;
  const watch = setInterval(() => {
    memoryMiB = Math.max(memoryMiB, memoryOf(server.pid));
  }, memoryEveryMs);
  const use = async (name: OperationName) => {
    const { ask, close } = callerOf(server.url, tenant);
    for (let count = 0; !isOver; count++) {
      const [method, path, body] = requestOf(name, contacts, count);
      const startedMs = performance.now();
      const { status } = await ask(method, path, body).catch(() => ({ status: 0 }));
      latencies[name].add(performance.now() - startedMs);
      if (status !== 200) failures.push(`${name}: ${status}`);
      await delay(pauseMs);
    }
    close();
  };
  const begun = Promise.withResolvers<void>();
  const attacking = attack(begun.resolve);
  await Promise.race([begun.promise, attacking, ...(load === 'none' ? [Promise.resolve()] : [])]);
  const using = operations.map(use);
  const answers = await attacking;
  isOver = true;
  await Promise.all(using);
  clearInterval(watch);
  return { load, latencies, failures, memoryMiB, answers };
}

function requestOf(name: OperationName, contacts: readonly string[], count: number): [string, string, unknown?] {
  const id = contacts[(count * 7919) % contacts.length];
  if (name === 'read') return ['GET', `contacts/${id}`];
  if (name === 'write') return ['PATCH', `contacts/${id}`, { phone: `+1 555 ${performance.now()}` }];
  return ['POST', `contacts?query=${encodeURIComponent(`contact ${(count * 31) % contacts.length}`)}`];
}

/** What the server was asked for and nobody waits for any more is not to be part of the next measurement. */
async function untilQuiet({ url }: ServerProcess, tenant: Tenant, contacts: readonly string[]): Promise<void> {
  const { ask, close } = callerOf(url, tenant);
  for (let quick = 0; quick < 20; ) {
    const startedMs = performance.now();
    await ask('PATCH', `contacts/${contacts[0]}`, { phone: '1' }).catch(() => {});
    quick = performance.now() - startedMs < 100 ? quick + 1 : 0;
    await delay(pauseMs);
  }
  close();
}

function callerOf(url: string, { botId, secret }: Tenant) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (method: string, path: string, given?: unknown): Promise<{ status: number; json: unknown }> => {
    const body = given === undefined ? undefined : Buffer.from(JSON.stringify(given));
    const headers = {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const sent = send(new URL(`/v1/bots/${botId}/${path}`, url), { method, agent, headers }).end(body);
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = await response.toArray();
    return { status: response.statusCode, json: JSON.parse(Buffer.concat(chunks).toString() || 'null') };
  };
  return { ask, close: () => agent.destroy() };
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
