// The database dies under a write load, as by a power cut: what the service says meanwhile, and what is there afterwards.
import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { Writer } from '../../../../scripts/crash-load.ts';
import { checkTotal, exportAll, type Send, senderTo } from '../../../../scripts/first-bot.ts';
import type { FirstRun } from '../../src/process/first-run.ts';
import { readRetryMs } from '../../src/store/postgres/retries.ts';
import { makeHomeHere } from '../process/serve-here.ts';
import { callFirstBot } from '../process/server-process.ts';
import { unlessBusy } from '../process/unless-busy.ts';
import { until } from '../process/waiting.ts';
import { query } from './databases.ts';
import { type PostgresServer, startPostgres } from './server.ts';

const writersCount = 6;
/** So many before the kill, for it to come in the middle, and so many after it. */
const writesEach = 10 * writersCount;
/** Requests are retried for as long as this, at least: a read, also that of the credential. The last pause is left out. */
const retriedMs = readRetryMs - 500;
/** A database that is back within this time leaves enough for a retry on any machine. */
const soonMs = readRetryMs / 2;

suite('a database that is killed under a write load', () => {
  let postgres: PostgresServer;
  before(async () => {
    // Not the settings that trade durability for speed.
    postgres = await startPostgres({ settings: {} });
  });
  after(() => postgres?.stop());

  test('is out of reach: 503; after its restart no answered write is lost, and none is there in part', async (t) => {
    const { server, writers } = await startOn(t, postgres);
    const { send, refusals } = watchedSender(server);
    const load = startLoad(writers, send);
    await load.untilMore(writesEach);
    await postgres.crash();

    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    const reads = ['/readyz', 'contacts?query=w1', 'export'].map((path) => send('GET', path));
    for (const { status } of await Promise.all(reads)) assert.equal(status, 503);
    await until('every writer to be refused', () => refusals.length >= 3 + writersCount);
    await postgres.restart();
    await load.untilMore(writesEach);
    await load.stop();

    for (const { retryAfter, text } of refusals) {
      assert.match(retryAfter ?? '', /^\d+$/, 'Retry-After');
      assert.equal(JSON.parse(text).code, 'unavailable');
      assert.doesNotMatch(text, /127\.0\.0\.1|ECONN/, 'where the database is concerns no client');
    }
    assert.equal((await unlessBusy(() => fetch(`${server.url}/readyz`))).status, 200);
    assert.deepEqual(await compare(send, writers), []);
    await server.stop();
  });

  test('that is back soon: writes in flight are answered as if nothing had happened, and are done once', async (t) => {
    const { server, writers } = await startOn(t, postgres);
    const { send, refusals } = watchedSender(server);
    const load = startLoad(writers, send);
    await load.untilMore(writesEach);
    const killedAtMs = performance.now();
    await postgres.crash();
    await postgres.restart();
    const awayMs = performance.now() - killedAtMs;
    await load.untilMore(writesEach);
    await load.stop();
    // On a busy machine the database may be away for longer than a request is retried; none is refused before that.
    const early = refusals.filter(({ tookMs }) => awayMs < soonMs || tookMs < retriedMs);
    assert.deepEqual(early, [], `the database was away for ${Math.round(awayMs)} ms`);
    assert.deepEqual(await compare(send, writers), []);
  });
});

let databases = 0;

async function startOn(t: TestContext, postgres: PostgresServer) {
  const name = `roster_${++databases}`;
  await query(postgres.url('postgres'), `CREATE DATABASE ${name}`);
  const server = await (await makeHomeHere(t)).startFirst({ DATABASE_URL: postgres.url(name) });
  const writers = Array.from({ length: writersCount }, (_, number) => new Writer(number, 500));
  await Promise.all(writers.map((writer) => writer.fill(senderTo(server, server.firstRun), 20)));
  return { server, writers };
}

function watchedSender({ url, firstRun }: { url: string; firstRun: FirstRun }) {
  const refusals: { retryAfter: string | null; text: string; tookMs: number }[] = [];
  const send: Send = async (method, path, body) => {
    const sentAtMs = performance.now();
    const reply = await callFirstBot(url, firstRun, method, path, body);
    const text = await reply.text();
    const tookMs = performance.now() - sentAtMs;
    if (reply.status === 503) refusals.push({ retryAfter: reply.headers.get('retry-after'), text, tookMs });
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) };
  };
  return { send, refusals };
}

function startLoad(writers: readonly Writer[], send: Send) {
  let isOver = false;
  const written = () => writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
  const ended = Promise.all(writers.map((writer) => writer.write(send, () => isOver)));
  return {
    /** Fails when a writer got an answer that it should not get. */
    async untilMore(count: number): Promise<void> {
      const end = written() + count;
      await Promise.race([until('the writers to go on', () => written() >= end), ended]);
    },
    async stop(): Promise<void> {
      isOver = true;
      await ended;
    },
  };
}

/** What is stored and should not be, or the other way round. */
async function compare(send: Send, writers: readonly Writer[]): Promise<string[]> {
  const stored = await exportAll(send);
  const problems = await checkTotal(send, stored.size);
  for (const writer of writers) problems.push(...writer.check(stored).problems);
  for (const { email } of stored.values()) problems.push(`no writer wrote ${email}`);
  return problems;
}
