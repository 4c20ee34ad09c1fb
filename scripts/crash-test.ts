// Kills the real server with SIGKILL under a write load, round after round, and checks after each restart that every
// acknowledged write is there, the feed tells the same contacts, and the file passes an integrity check. Run it: npm run crash-test -- --rounds 50
import { randomInt } from 'node:crypto';
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Home, makeHome, type ServerProcess, startFirst } from '../packages/server/test/process/server-process.ts';
import { Writer } from './crash-load.ts';
import { checkSearch, checkTotal, exportAll, FeedReader, senderTo } from './first-bot.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    connections: { type: 'string', default: '8' },
    // More than indexThreshold, so that searches use the index and it is being maintained when the server is killed.
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

/**
 * How long after the start of the load the server is killed: early kills hit the first commits, late ones checkpoints.
 */
const killAfterMsMax = 600;
/** In every fourth round the restart is killed too, during recovery. */
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
  // 20% more than the initial contacts: creates outnumber deletes until this limit is reached.
  const writers = Array.from(
    { length: connections },
    (_, i) => new Writer(i, Math.ceil((contacts * 1.2) / connections)),
  );
  const perWriter = Math.ceil(contacts / connections);
  await Promise.all(writers.map((writer) => writer.fill(senderTo(server, firstRun), perWriter)));

  const feed = new FeedReader();
  let lost = 0;
  let inFlightTotal = 0;
  for (let round = 1; round <= rounds; round++) {
    const load = Promise.all(writers.map((writer) => writer.write(senderTo(server, firstRun))));
    await Promise.race([delay(randomInt(killAfterMsMax)), load]);
    await server.stop('SIGKILL');
    await load;
    const inFlight = writers.filter((writer) => writer.hasInFlight).length;
    inFlightTotal += inFlight;

    const problems = await checkFile(home.dataDir);
    if (round % killRestartEvery === 0) await home.run({ deadlineMs: randomInt(100, 700) });
    const restartedMs = performance.now();
    server = await home.start();
    const tookMs = Math.round(performance.now() - restartedMs);
    const send = senderTo(server, firstRun);
    const stored = await exportAll(send);
    const count = stored.size;
    problems.push(...(await checkTotal(send, count)), ...(await checkSearch(send, stored)));
    problems.push(...(await feed.check(send, stored)));
    let happened = 0;
    for (const writer of writers) {
      const found = writer.check(stored);
      problems.push(...found.problems);
      if (found.didHappen) happened++;
    }
    for (const { email } of stored.values()) problems.push(`no writer has written ${email}`);

    lost += problems.length;
    const answered = writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
    console.log(
      `round ${round}/${rounds}: ${answered} writes answered so far, ${inFlight} in flight at the kill (${happened} happened), ` +
        `${count} contacts, restart ${tookMs} ms: ${problems.length === 0 ? 'ok' : `${problems.length} PROBLEMS`}`,
    );
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  }
  await server.stop();
  const answered = writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
  const verdict = lost === 0 ? 'nothing was lost' : `${lost} PROBLEMS`;
  console.log(`${rounds} kills, ${answered} answered writes, ${inFlightTotal} in flight at a kill: ${verdict}`);
  return lost === 0;
}

/** Checks a copy: opening the file itself would recover it, and the test is whether the server does. */
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

function wholeNumber(name: 'rounds' | 'connections' | 'contacts'): number {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  console.error(`--${name} must be a whole number from 1; it is "${options[name]}".`);
  process.exit(1);
}
