// roster events follow: what it prints, and where it goes on from after each way to end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type Desk, makeDesk, startServer, until, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

interface Line {
  type: string;
  contactId: string;
  position: string | null;
  contact?: { name: string; tags?: string[]; attributes?: Record<string, unknown> } | null;
}

async function create(desk: Desk, name: string): Promise<string> {
  const { data } = await desk.roster.contacts.create({ name, email: `${name.toLowerCase()}@x` });
  return data.id;
}

const follow = ['events', 'follow'];
const idsOf = (lines: readonly Line[]) => lines.map(({ contactId }) => contactId);

suite('events follow', () => {
  test('prints what there is and what happens, and names the position to continue from', async (t) => {
    const desk = await makeDesk(t, server);
    const ann = await create(desk, 'Ann');
    const running = desk.start(follow);
    await running.lines(1);
    const joe = await create(desk, 'Joe');
    const lines = await running.lines<Line>(2);
    assert.deepEqual(idsOf(lines), [ann, joe]);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['contact.created', 'contact.created'],
    );
    const { code, stderr } = await running.stop();
    const { next } = await desk.roster.events.list({ after: 'now' });
    assert.equal(stderr, `roster: Interrupted. To continue from here, pass --after ${next}.\n`);
    assert.equal(code, 130);

    const kim = await create(desk, 'Kim');
    const again = desk.start([...follow, '--after', next]);
    const [first] = await again.lines<Line>(1);
    assert.deepEqual([first?.contactId, first?.type], [kim, 'contact.created']);
    assert.equal((await again.stop('SIGTERM')).code, 130);
  });

  test('has in each line a position that skips no later event', async (t) => {
    const desk = await makeDesk(t, server);
    const ids = [await create(desk, 'Ann'), await create(desk, 'Joe'), await create(desk, 'Kim')];
    const running = desk.start(follow);
    const lines = await running.lines<Line>(3);
    await running.stop();
    for (const [at, { position }] of lines.entries()) {
      const { data } = await desk.roster.events.list({ after: position ?? undefined });
      const rest = data.map(({ contactId }) => contactId);
      assert.deepEqual(rest.slice(-(2 - at) || rest.length), ids.slice(at + 1));
    }
    assert.equal(lines[2]?.position, (await desk.roster.events.list({ after: 'now' })).next);
  });

  test('selects types and a contact, and adds the contact as it is', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define({ plan: 'text' });
    const ann = await create(desk, 'Ann');
    await create(desk, 'Joe');
    await desk.roster.contacts.update(ann, { attributes: { plan: 'pro' }, addTags: ['vip'] });
    await desk.roster.contacts.delete(await create(desk, 'Kim'));
    const of = ['--contact', 'ann@x', '--type', 'contact.updated', '--type', 'contact.deleted'];
    const running = desk.start([...follow, ...of, '--include', 'contact,attributes,tags']);
    const [line] = await running.lines<Line & { fields: string[] }>(1);
    assert.deepEqual(
      [line?.contactId, line?.type, line?.fields, line?.contact?.attributes, line?.contact?.tags],
      [ann, 'contact.updated', ['attributes.plan', 'tags'], { plan: 'pro' }, ['vip']],
    );
    await desk.roster.contacts.delete(ann);
    const deleted = (await running.lines<Line>(2))[1];
    assert.deepEqual([deleted?.contactId, deleted?.type, deleted?.contact], [ann, 'contact.deleted', null]);
    await running.stop();
  });

  test('continues after an outage, and says that there was one', async (t) => {
    const desk = await makeDesk(t, server);
    const proxy = await startProxy(t);
    const running = desk.start([...follow, '--after', 'now'], { env: { ROSTER_URL: proxy.url } });
    await proxy.asked;
    await proxy.close();
    await running.noted('Trying again.\n');
    assert.match(running.stderr, /^Cannot reach the server: /);
    const ann = await create(desk, 'Ann');
    await proxy.open();
    assert.deepEqual(idsOf(await running.lines<Line>(1)), [ann]);
    await running.noted('Connected again.\n');
    await running.stop();
  });

  test('of an expired position says what to do', async (t) => {
    const desk = await makeDesk(t, server);
    const { next } = await desk.roster.events.list({ after: 'now' });
    const { code, stdout, stderr } = await desk.run([...follow, '--after', '000000000000-1', '--json']);
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    assert.deepEqual([code, stdout, error.code], [3, '', 'events_expired']);
    assert.match(
      error.message,
      new RegExp(`^The position has expired: .*"roster contacts export", then continue with --after ${next}\\.$`),
    );
  });
});

suite('a position file', () => {
  test('is continued from after a kill, and no event is lost', async (t) => {
    const desk = await makeDesk(t, server);
    const args = [...follow, '--position-file', 'position'];
    const ann = await create(desk, 'Ann');
    const running = desk.spawn(args);
    await running.lines(1);
    const joe = await create(desk, 'Joe');
    const { next } = await desk.roster.events.list({ after: 'now' });
    await until('the position to be kept', async () => (await desk.read('position').catch(() => '')) === `${next}\n`);
    assert.deepEqual(idsOf(await running.lines<Line>(2)), [ann, joe]);
    await running.stop('SIGKILL');

    const kim = await create(desk, 'Kim');
    // The file goes before --after, which is for the first run.
    const again = desk.start([...args, '--after', 'now']);
    assert.deepEqual(idsOf(await again.lines<Line>(1)), [kim]);
    const { stderr } = await again.stop();
    assert.equal(stderr, 'roster: Interrupted. To continue from here, pass --position-file position again.\n');
  });

  test('stays behind an event that nobody could read', async (t) => {
    const desk = await makeDesk(t, server);
    const args = [...follow, '--position-file', 'position', '--after', 'now'];
    const running = desk.spawn(args);
    await until('the position to be kept', () => desk.read('position').then(Boolean, () => false));
    const kept = await desk.read('position');
    running.child.stdout?.destroy();
    const ann = await create(desk, 'Ann');
    const { code, stderr } = await running.ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(await desk.read('position'), kept);
    const again = desk.start(args);
    assert.deepEqual(idsOf(await again.lines<Line>(1)), [ann]);
    await again.stop();
  });

  test('advances with events of other types, so that it does not expire', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.write('position', `${(await desk.roster.events.list({ after: 'now' })).next}\n`);
    await create(desk, 'Ann');
    const { next } = await desk.roster.events.list({ after: 'now' });
    const running = desk.start([...follow, '--position-file', 'position', '--type', 'contact.deleted']);
    await until('the position to advance', async () => (await desk.read('position')) === `${next}\n`);
    assert.equal((await running.stop()).stdout, '');
  });

  test('that has expired stays as it is, and the advice names it', async (t) => {
    const desk = await makeDesk(t, server);
    const { next } = await desk.roster.events.list({ after: 'now' });
    await desk.write('position', '000000000000-1\n');
    const { code, stderr } = await desk.run([...follow, '--position-file', 'position']);
    assert.equal(code, 3);
    assert.ok(stderr.includes(`write ${next} to position and run this again.`), stderr);
    assert.equal(await desk.read('position'), '000000000000-1\n');
  });

  test('is not taken for one if it holds something else', async (t) => {
    const desk = await makeDesk(t, server);
    for (const text of ['', 'name,email\n']) {
      const path = await desk.write('people.csv', text);
      const { code, stderr } = await desk.run([...follow, '--position-file', path]);
      assert.deepEqual([code, /does not contain a position/.test(stderr)], [3, true], stderr);
      assert.equal(await desk.read('people.csv'), text);
    }
    const nowhere = await desk.run([...follow, '--position-file', join('missing', 'position')]);
    assert.deepEqual([nowhere.code, /no such file or folder/.test(nowhere.stderr)], [1, true], nowhere.stderr);
  });
});

suite('exit codes and errors of events', () => {
  const cases: [args: string[], message: RegExp][] = [
    [['follow', '--after', 'yesterday'], /Pass a position/],
    [['follow', '--type', 'contact.made'], /Allowed choices are contact\.created, /],
    [['follow', '--include', 'contact,phone'], /Pass any of contact, attributes, tags/],
    [['listen'], /--forward/],
    [['listen', '--forward', 'localhost:3000'], /Pass a URL, like http/],
    [['listen', '--forward', 'http://127.0.0.1:3000', '--secret', 'whsec_short'], /24 to 64 bytes/],
  ];
  test('name the option that is wrong, with exit code 2', async (t) => {
    const desk = await makeDesk(t, server);
    for (const [args, message] of cases) {
      const ran = await desk.run(['events', ...args]);
      assert.deepEqual([ran.code, ran.stdout, ran.stderr.trimEnd().split('\n').length], [2, '', 1], ran.stderr);
      assert.match(ran.stderr, message);
    }
  });

  test('a server that was never there is reported, not waited for', async (t) => {
    const desk = await makeDesk(t, server);
    const { code, stderr } = await desk.run(follow, { env: { ROSTER_URL: 'http://127.0.0.1:9' } });
    assert.deepEqual([code, /^roster: Cannot reach the server/.test(stderr)], [1, true], stderr);
  });
});

/** Stands before the server, and can go away and come back at the same address. */
async function startProxy(t: { after(end: () => void): void }) {
  const asked = Promise.withResolvers<void>();
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const onward = request(`${server.url}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
    if (/wait=[1-9]/.test(url)) asked.resolve();
  });
  let port = 0;
  const open = () => once(proxy.listen(port, '127.0.0.1'), 'listening');
  await open();
  port = (proxy.address() as AddressInfo).port;
  const close = () => {
    proxy.closeAllConnections();
    return proxy.listening ? once(proxy.close(), 'close') : undefined;
  };
  t.after(close);
  return { url: `http://127.0.0.1:${port}`, asked: asked.promise, open, close };
}
