// A rolling restart: servers that share a database are stopped and started one after the other, under load through their
// proxy. No request may fail, and no write may be lost.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Writer } from '../crash-load.ts';
import { exportAll, type Send, senderTo } from '../first-bot.ts';
import type { Access, Service } from './service.ts';

const writerCount = 8;
const contactsPerWriter = 100;
const readerCount = 4;
const rounds = 2;
/** Before the first restart, between two and after the last. */
const loadMs = 2000;

export async function restartInTurn<Name extends string>(
  access: Access,
  servers: Map<Name, Service>,
  start: (name: Name) => Promise<Service>,
): Promise<string> {
  const { send, counts, failures } = watch(senderTo(access, { organizationId: '', ...access }));
  const own = new Set((await exportAll(send)).keys());
  let isOver = false;
  const writers = Array.from({ length: writerCount }, (_, index) => new Writer(index, contactsPerWriter));
  const readers = Array.from({ length: readerCount }, async () => {
    while (!isOver) await send('GET', 'contacts?limit=10').catch(() => delay(100));
  });
  const load = Promise.allSettled([...writers.map((writer) => writer.write(send, () => isOver)), ...readers]);
  await delay(loadMs);
  for (let round = 1; round <= rounds; round++) {
    for (const [name, server] of servers) {
      assert.equal(await server.stop(), 0, `${name} ends in order`);
      servers.set(name, await start(name));
      await delay(loadMs);
    }
  }
  isOver = true;
  for (const result of await load) if (result.status === 'rejected') failures.push(String(result.reason));
  assert.deepEqual(failures, []);
  const stored = await exportAll(send);
  for (const email of own) stored.delete(email);
  assert.deepEqual(
    writers.flatMap((writer) => writer.check(stored).problems),
    [],
  );
  assert.deepEqual([...stored.keys()], [], 'contacts that nobody wrote');
  return `${rounds * servers.size} restarts of one of ${servers.size} servers: ${counts.reads} reads and ${counts.writes} writes, none failed, the slowest took ${Math.round(counts.slowestMs)} ms`;
}

/** A status of the server's own, and an answer that does not come, are failures. */
function watch(send: Send) {
  const counts = { reads: 0, writes: 0, slowestMs: 0 };
  const failures: string[] = [];
  const watched: Send = async (method, path, body) => {
    const startedMs = performance.now();
    try {
      const answer = await send(method, path, body);
      if (answer.status >= 500) failures.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
      return answer;
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${method} ${path}: ${message} ${cause}`);
      throw error;
    } finally {
      counts[method === 'GET' ? 'reads' : 'writes']++;
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedMs);
    }
  };
  return { send: watched, counts, failures };
}
