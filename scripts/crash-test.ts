// Kills the real server with SIGKILL under a write load, again and again, and checks after each restart that every
// answered write is there and the file is whole. Run it: npm run crash-test -- --rounds 50
import { randomInt } from 'node:crypto';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { FirstRun } from '../packages/server/src/first-run.ts';
import {
  callFirstBot,
  type Home,
  makeHome,
  type ServerProcess,
  startFirst,
} from '../packages/server/test/process/server-process.ts';
import { type Send, type Stored, Writer } from './crash-load.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    connections: { type: 'string', default: '8' },
    // More than a scan takes (indexThreshold), so that the search index is at work when the server dies.
    contacts: { type: 'string', default: '11000' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log('node scripts/crash-test.ts [--rounds 50] [--connections 8] [--contacts 11000]');
  process.exit(0);
}
const rounds = wholeNumber('rounds');
const connections = wholeNumber('connections');
const contacts = wholeNumber('contacts');

/** The moment of the kill, after the load began: early ones hit the first commits, late ones the checkpoints. */
const killAfterMsMax = 600;
/** Every so many rounds the restart is killed too, while it recovers. */
const killRestartEvery = 4;

const cleanUps: (() => unknown)[] = [];
const home = await makeHome({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) });
try {
  process.exitCode = (await runRounds(home)) ? 0 : 1;
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}

async function runRounds(home: Home): Promise<boolean> {
  const first = await startFirst(home);
  const { firstRun } = first;
  let server: ServerProcess = first;
  // Some room to grow: creates outnumber deletes until then.
  const writers = Array.from(
    { length: connections },
    (_, i) => new Writer(i, Math.ceil((contacts * 1.2) / connections)),
  );
  const perWriter = Math.ceil(contacts / connections);
  await Promise.all(writers.map((writer) => writer.fill(senderTo(server, firstRun), perWriter)));

  let lost = 0;
  let underWayInAll = 0;
  for (let round = 1; round <= rounds; round++) {
    const load = Promise.all(writers.map((writer) => writer.write(senderTo(server, firstRun))));
    await Promise.race([delay(randomInt(killAfterMsMax)), load]);
    await server.stop('SIGKILL');
    await load;
    const underWay = writers.filter((writer) => writer.hasUnderWay).length;
    underWayInAll += underWay;

    const problems = await checkFile(home.dataDir);
    if (round % killRestartEvery === 0) await home.run({ deadlineMs: randomInt(100, 700) });
    const restartedMs = performance.now();
    server = await home.start();
    const tookMs = Math.round(performance.now() - restartedMs);
    const stored = await exportAll(server, firstRun);
    const count = stored.size;
    problems.push(...(await checkTotal(server, firstRun, count)), ...(await checkSearch(server, firstRun, stored)));
    let happened = 0;
    for (const writer of writers) {
      const found = writer.check(stored);
      problems.push(...found.problems);
      if (found.didHappen) happened++;
    }
    for (const { email } of stored.values()) problems.push(`nobody wrote ${email}`);

    lost += problems.length;
    const answered = writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
    console.log(
      `round ${round}/${rounds}: ${answered} writes answered so far, ${underWay} under way at the kill (${happened} happened), ` +
        `${count} contacts, restart ${tookMs} ms: ${problems.length === 0 ? 'ok' : `${problems.length} PROBLEMS`}`,
    );
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  }
  await server.stop();
  const answered = writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
  const verdict = lost === 0 ? 'nothing was lost' : `${lost} PROBLEMS`;
  console.log(`${rounds} kills, ${answered} answered writes, ${underWayInAll} under way at a kill: ${verdict}`);
  return lost === 0;
}

/** Checks a copy: opening the file itself would recover it, which is the server's task. */
async function checkFile(dataDir: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-crash-copy-'));
  const path = join(folder, 'roster.db');
  for (const suffix of ['', '-wal']) {
    const source = join(dataDir, `roster.db${suffix}`);
    if (await stat(source).catch(() => undefined)) await copyFile(source, path + suffix);
  }
  const db = new DatabaseSync(path);
  const rows = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  const problems = rows.map(({ integrity_check }) => integrity_check).filter((verdict) => verdict !== 'ok');
  db.close();
  if (problems.length === 0) await rm(folder, { recursive: true });
  else problems.push(`a copy of the damaged file is in ${folder}`);
  return problems;
}

function senderTo(server: ServerProcess, firstRun: FirstRun): Send {
  return async (method, path, body) => {
    const reply = await callFirstBot(server.url, firstRun, method, path, body);
    const text = await reply.text();
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) };
  };
}

async function exportAll(server: ServerProcess, firstRun: FirstRun): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>();
  let after: string | null = '';
  while (after !== null) {
    const path: string = `export?limit=1000${after && `&after=${after}`}`;
    const { status, json } = await senderTo(server, firstRun)('GET', path);
    if (status !== 200) throw new Error(`the export was answered ${status}: ${JSON.stringify(json)}`);
    const page = json as { data: Stored[]; next: string | null };
    for (const contact of page.data) stored.set(contact.email, contact);
    after = page.next;
  }
  return stored;
}

/** The total is a kept count, which a crash must not set apart from the rows. */
async function checkTotal(server: ServerProcess, firstRun: FirstRun, count: number): Promise<string[]> {
  const { json } = await senderTo(server, firstRun)('POST', 'contacts?limit=1');
  const { total } = (json as { pagination: { total: number } }).pagination;
  return total === count ? [] : [`the total is ${total}, but there are ${count} contacts`];
}

/** The email picks the contact, and the name its last version: an index that missed an update does not find it. */
async function checkSearch(server: ServerProcess, firstRun: FirstRun, stored: Map<string, Stored>): Promise<string[]> {
  const all = [...stored.values()];
  const sample = Array.from({ length: Math.min(20, all.length) }, () => all[randomInt(all.length)] as Stored);
  const found = sample.map(async ({ id, email, name }) => {
    const query = encodeURIComponent(`${email} ${name}`);
    const { json } = await senderTo(server, firstRun)('POST', `contacts?query=${query}`);
    const { data } = json as { data: Stored[] };
    return data.length === 1 && data[0]?.id === id ? [] : [`a search for "${email} ${name}" finds ${data.length}`];
  });
  return (await Promise.all(found)).flat();
}

function wholeNumber(name: 'rounds' | 'connections' | 'contacts'): number {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  console.error(`--${name} must be a whole number from 1; it is "${options[name]}".`);
  process.exit(1);
}
