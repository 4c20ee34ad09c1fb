// Ends the primary of a pair of PostgreSQL servers under a write load, promotes the standby, and checks that the service
// went on by itself: no answered write is lost, none is done in part or twice; and how long the gap was.
// Run it: npm run failover-test -- --rounds 5
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeHome, startFirst } from '../packages/server/test/process/server-process.ts';
import { UnexpectedAnswer, Writer } from './crash-load.ts';
import { checkSearch, checkTotal, exportAll, type Send, senderTo } from './first-bot.ts';
import { PostgresPair } from './postgres-pair.ts';

const usage = `node scripts/failover.ts [--rounds 5] [--connections 8] [--contacts 2000] [--detection-ms 1000]
  [--async [--cut-ms 200]] [--freeze] [--restart]

--detection-ms  how long after its end the primary is replaced: what a cluster manager needs to notice
--async         the standby is asynchronous: shows what is lost then, and does not fail because of it
--cut-ms        the standby loses touch with the primary so long before the primary ends
--freeze        the primary stops without a word, its connections stay open: as when a machine or a network fails
--restart       the primary itself is started again, and the standby has no part in it`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8' },
    contacts: { type: 'string', default: '2000' },
    'detection-ms': { type: 'string', default: '1000' },
    'cut-ms': { type: 'string' },
    async: { type: 'boolean', default: false },
    freeze: { type: 'boolean', default: false },
    restart: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(usage);
  process.exit(0);
}
if (options.restart && (options.async || options.freeze)) {
  console.error('--restart is about the primary alone: leave out --async and --freeze.');
  process.exit(1);
}
const rounds = wholeNumber('rounds', 1);
const connections = wholeNumber('connections', 1);
const contacts = wholeNumber('contacts', 1);
const detectionMs = wholeNumber('detection-ms', 0);
const cutMs = options['cut-ms'] === undefined && options.async ? 200 : wholeNumber('cut-ms', 0);

/** What an asynchronous standby loses is what this run is to show. */
const problemsAre = options.async ? 'contacts lost or older than answered' : 'PROBLEMS';
/** Before the primary ends, and again after the first write that was answered by the new one. */
const loadMs = 2000;
/** Whatever hangs, the script ends. */
const roundDeadlineMs = 120_000;
const readinessPauseMs = 50;

interface Answer {
  status: number;
  atMs: number;
  tookMs: number;
}

const cleanUps: (() => unknown)[] = [];
setTimeout(() => {
  console.error('The failover test did not end in time.');
  process.exit(1);
}, rounds * roundDeadlineMs).unref();
try {
  process.exitCode = (await runRounds()) || options.async ? 0 : 1;
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}

async function runRounds(): Promise<boolean> {
  const pair = await PostgresPair.start();
  cleanUps.push(() => pair.stop());
  const home = await makeHome({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) });
  const server = await startFirst(home, { env: { DATABASE_URL: pair.url } });
  let hasEnded = false;
  server.exited.then(() => {
    hasEnded = true;
  });
  const send = senderTo(server, server.firstRun);
  const perWriter = Math.ceil(contacts / connections);
  const writers = Array.from({ length: connections }, (_, i) => new Writer(i, Math.ceil(perWriter * 1.2)));
  await Promise.all(writers.map((writer) => writer.fill(send, perWriter)));
  console.log(
    `PostgreSQL ${pair.primary.version}, ${connections} writers, ${describeRun()}; service: process ${server.pid}`,
  );

  const gapsMs: number[] = [];
  let problemsInAll = 0;
  let answeredInAll = 0;
  for (let round = 1; round <= rounds; round++) {
    await pair.connect({ isSynchronous: !options.async && !options.restart });
    await untilReady(server.url);
    const answers: Answer[] = [];
    const { endedMs, replacedMs, redMs, unexpected } = await failOver(
      pair,
      server.url,
      writers,
      watched(send, answers),
    );
    const stored = await exportAll(send);
    const problems = [...unexpected, ...(await checkTotal(send, stored.size)), ...(await checkSearch(send, stored))];
    for (const writer of writers) problems.push(...writer.check(stored).problems);
    for (const { email } of stored.values()) problems.push(`no writer wrote ${email}`);
    if (hasEnded) problems.push('the service ended');

    const gap = longestGap(answers, endedMs);
    gapsMs.push(gap.tookMs);
    problemsInAll += problems.length;
    const done = answers.filter(({ status }) => status < 300);
    answeredInAll += done.length;
    const refused = answers.filter(({ status }) => status === 503).length;
    const tookMs = done.map((answer) => answer.tookMs).sort((a, b) => a - b);
    const at = (share: number) => whole(tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0);
    console.log(
      `round ${round}/${rounds}: no write answered for ${whole(gap.tookMs)} ms (from ${whole(gap.fromMs - endedMs)} to ` +
        `${whole(gap.toMs - endedMs)} ms after the end of the primary; replaced at ${whole(replacedMs - endedMs)} ms), ` +
        `not ready for ${whole(redMs)} ms; ${done.length} writes answered, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms, ` +
        `${refused} answered 503: ${problems.length === 0 ? 'ok' : `${problems.length} ${problemsAre}`}`,
    );
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  }
  const verdict = hasEnded ? 'ENDED' : 'not restarted';
  await server.stop();
  gapsMs.sort((a, b) => a - b);
  const median = whole(gapsMs[Math.floor(gapsMs.length / 2)] ?? 0);
  console.log(
    `${rounds} failovers, ${answeredInAll} answered writes, gap ${median} ms in the median and ${whole(gapsMs.at(-1) ?? 0)} at most, ` +
      `the service was ${verdict}: ${problemsInAll === 0 ? 'nothing was lost' : `${problemsInAll} ${problemsAre}`}`,
  );
  return problemsInAll === 0;
}

function describeRun(): string {
  const end = `${detectionMs} ms after the primary ${options.freeze ? 'froze' : 'was killed'}`;
  if (options.restart) return `restarted ${end}`;
  const cut = cutMs > 0 ? `, cut off ${cutMs} ms before` : '';
  return `${options.async ? 'an asynchronous' : 'a synchronous'} standby${cut}, promoted ${end}`;
}

/** Writes, ends the primary, promotes the standby, and writes on for a while. */
async function failOver(pair: PostgresPair, url: string, writers: readonly Writer[], send: Watched) {
  let isOver = false;
  const load = Promise.allSettled(writers.map((writer) => writer.write(send, () => isOver)));
  const readiness = watchReadiness(url, () => isOver);
  await delay(loadMs);
  if (cutMs > 0) {
    await pair.cutLink();
    await delay(cutMs);
  }
  const endedMs = performance.now();
  if (options.freeze) pair.freezePrimary();
  else await pair.killPrimary();
  await delay(detectionMs);
  await (options.restart ? pair.primary.restart() : pair.promote());
  const replacedMs = performance.now();
  while (!send.answers.some(({ status, atMs }) => status < 300 && atMs > replacedMs)) await delay(20);
  await delay(loadMs);
  isOver = true;
  const results = await load;
  const redMs = await readiness;
  if (options.freeze) await pair.killStandby();
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  for (const failure of failures) if (!(failure instanceof UnexpectedAnswer)) throw failure;
  return { endedMs, replacedMs, redMs, unexpected: failures.map(({ message }) => `an unexpected answer: ${message}`) };
}

type Watched = Send & { answers: readonly Answer[] };

/** Notes the answers to writes. */
function watched(send: Send, answers: Answer[]): Watched {
  const sendWatched: Send = async (method, path, body) => {
    const startedMs = performance.now();
    const answer = await send(method, path, body);
    const atMs = performance.now();
    if (method !== 'GET') answers.push({ status: answer.status, atMs, tookMs: atMs - startedMs });
    return answer;
  };
  return Object.assign(sendWatched, { answers });
}

/** How long /readyz was red: from the first answer that was, or that did not come, to the first that was green again. */
async function watchReadiness(url: string, isOver: () => boolean): Promise<number> {
  let redFromMs: number | undefined;
  let redMs = 0;
  while (!isOver()) {
    const askedMs = performance.now();
    if (await isReady(url)) {
      if (redFromMs !== undefined) redMs += performance.now() - redFromMs;
      redFromMs = undefined;
    } else {
      redFromMs ??= askedMs;
    }
    await delay(readinessPauseMs);
  }
  return redMs;
}

async function untilReady(url: string): Promise<void> {
  while (!(await isReady(url))) await delay(readinessPauseMs);
}

async function isReady(url: string): Promise<boolean> {
  const reply = await fetch(`${url}/readyz`);
  await reply.arrayBuffer();
  return reply.ok;
}

/** The longest time without a successful answer that ends after the primary did. */
function longestGap(answers: readonly Answer[], endedMs: number) {
  const times = answers.filter(({ status }) => status < 300).map(({ atMs }) => atMs);
  const gaps = times
    .slice(1)
    .map((toMs, i) => ({ fromMs: times[i] as number, toMs, tookMs: toMs - (times[i] as number) }));
  const after = gaps.filter(({ toMs }) => toMs > endedMs);
  return after.reduce((longest, gap) => (gap.tookMs > longest.tookMs ? gap : longest), {
    fromMs: endedMs,
    toMs: endedMs,
    tookMs: 0,
  });
}

function whole(ms: number): number {
  return Math.round(ms);
}

function wholeNumber(name: 'rounds' | 'connections' | 'contacts' | 'detection-ms' | 'cut-ms', min: number): number {
  const value = Number(options[name] ?? min);
  if (Number.isInteger(value) && value >= min) return value;
  console.error(`--${name} must be a whole number from ${min}; it is "${options[name]}".`);
  process.exit(1);
}
