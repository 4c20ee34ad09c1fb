// Ctrl-C in the middle of an import, and the same import again: the same end, and no contact twice. Also of an export and a
// move.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { lastFirst } from '../../server/test/last-first.ts';
import { createDatabase, query } from '../../server/test/postgres/databases.ts';
import type { EndSignal } from '../src/invocation.ts';
import {
  type Desk,
  finish,
  makeClosedStation,
  makeDesk,
  spawnCli,
  startCli,
  startProcess,
  startServer,
  wholeFile,
} from './harness.ts';

const server = await startServer(wholeFile);

const csvOf = (count: number) =>
  `name,email\n${Array.from({ length: count }, (_, n) => `Person ${n},p${n}@x`).join('\n')}\n`;

/** Passes requests on, and stops for good at the one with this number: the command is in the middle of its work then. */
async function startGate(t: { after(end: () => void): void }, stopAt: number) {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  let requests = 0;
  const gate = createServer(async (incoming, outgoing) => {
    if (++requests >= stopAt) {
      reached.resolve();
      await opened.promise;
    }
    const { method, headers, url } = incoming;
    const onward = request(`${server.url}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    opened.resolve();
    gate.closeAllConnections();
    gate.close();
  });
  await new Promise((resolve) => gate.once('listening', resolve));
  const url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
  return { url, reached: reached.promise, open: opened.resolve };
}

async function total(desk: Desk): Promise<number> {
  return (await desk.json<{ pagination: { total: number } }>('contacts', 'search')).pagination.total;
}

suite('an interrupted import', () => {
  test('finishes the requests in flight, says so, and a second run completes it', async (t) => {
    const desk = await makeDesk(t, server);
    // Requests have 1000 each, and four are in flight. More of them are left than a signal that arrives late lets through.
    const count = 12_000;
    await desk.write('people.csv', csvOf(count));
    const gate = await startGate(t, 4);
    const child = spawnCli(['contacts', 'import', 'people.csv', '--json'], {
      cwd: desk.folder,
      env: { ...desk.env, ROSTER_URL: gate.url },
    });
    const ended = finish(child);
    await gate.reached;
    child.kill('SIGINT');
    gate.open();
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 130, stderr);
    const summary = JSON.parse(stdout) as { isInterrupted: boolean; imported: number; rows: number };
    assert.equal(summary.isInterrupted, true);
    assert.ok(summary.imported >= 4000 && summary.imported < count, stdout);
    assert.equal(await total(desk), summary.imported, 'what it says was imported, and nothing else');

    const again = await desk.json<{ imported: number; isInterrupted: boolean }>('contacts', 'import', 'people.csv');
    assert.deepEqual([again.imported, again.isInterrupted], [count, false]);
    assert.equal(await total(desk), count);
  });

  test('ends at once at the second Ctrl-C, and a second run completes it', async (t) => {
    const desk = await makeDesk(t, server);
    // Requests have 1000 each: one has come through, and four are in flight.
    const count = 5000;
    await desk.write('people.csv', csvOf(count));
    const gate = await startGate(t, 3);
    const child = spawnCli(['contacts', 'import', 'people.csv'], {
      cwd: desk.folder,
      env: { ...desk.env, ROSTER_URL: gate.url },
    });
    let stderr = '';
    const stopping = new Promise<void>((resolve) => {
      child.stderr?.on('data', (text) => {
        stderr += text;
        if (stderr.includes('Stopping')) resolve();
      });
    });
    const ended = finish(child);
    await gate.reached;
    child.kill('SIGINT');
    await stopping;
    child.kill('SIGINT');
    assert.equal((await ended).code, 130);
    await desk.run(['contacts', 'import', 'people.csv']);
    assert.equal(await total(desk), count);
  });

  test('an interrupted export leaves no file', async (t) => {
    const desk = await makeDesk(t, server);
    // Pages of 1000, of which it has written some.
    const contacts = Array.from({ length: 5000 }, (_, n) => ({ name: `Person ${n}`, email: `p${n}@x` }));
    await desk.roster.contacts.upsertAll(contacts);
    const gate = await startGate(t, 5);
    const child = spawnCli(['contacts', 'export', 'out.csv'], {
      cwd: desk.folder,
      env: { ...desk.env, ROSTER_URL: gate.url },
    });
    const ended = finish(child);
    await gate.reached;
    child.kill('SIGINT');
    assert.equal((await ended).code, 130);
    assert.deepEqual(await readdir(desk.folder), []);
  });
});

/** Passes all on to a database, and stops at the first statement on organizations: a move looks there before it writes. */
async function startDatabaseGate(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const gate = createTcpServer((client) => {
    const database = connect(Number(port), hostname);
    client.on('data', async (bytes) => {
      if (bytes.includes('organizations')) {
        reached.resolve();
        client.pause();
        await opened.promise;
        client.resume();
      }
      database.write(bytes);
    });
    database.pipe(client);
    client.on('close', () => database.destroy()).on('error', () => {});
    database.on('close', () => client.destroy()).on('error', () => {});
  });
  await once(gate.listen(0, '127.0.0.1'), 'listening');
  const url = Object.assign(new URL(databaseUrl), { port: (gate.address() as AddressInfo).port }).href;
  const close = () => once(gate.close(), 'close');
  return { url, reached: reached.promise, open: opened.resolve, close };
}

suite('an interrupted move', () => {
  const interrupted = async (t: TestContext, start: typeof startCli | typeof startProcess, signal: EndSignal) => {
    const lifetime = lastFirst(t);
    const { env } = await makeClosedStation(lifetime);
    const { url, drop } = await createDatabase('plain');
    lifetime.after(drop);
    const gate = await startDatabaseGate(url);
    lifetime.after(() => gate.close());
    const { stop } = start(lifetime, ['move', 'to-postgres'], { env: { ...env, DATABASE_URL: gate.url } });
    await gate.reached;
    const stopped = stop(signal);
    gate.open();
    const { code, stderr } = await stopped;
    assert.equal(stderr, 'roster: Interrupted. Nothing was moved.\n');
    assert.equal(code, 130);
    assert.deepEqual(await query(url, 'SELECT FROM organizations'), []);
  };

  test('by SIGINT moves nothing, says so, and ends as interrupted', (t) => interrupted(t, startCli, 'SIGINT'));

  test('by SIGTERM moves nothing, says so, and ends as interrupted', (t) => interrupted(t, startProcess, 'SIGTERM'));
});
