// The example of a mirror, examples/contact-mirror: run by its one command, and against the real server when its position expires.
// scripts/feed-test kills it at random moments.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ContactCopy } from '../../../examples/contact-mirror/contact-copy.ts';
import { mirrorContacts } from '../../../examples/contact-mirror/mirror.ts';
import { sampleContext } from '../../server/test/sample.ts';
import { Roster } from '../src/index.ts';
import { clientOfNewBot, collect, sampleContacts, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);
const folder = await mkdtemp(join(tmpdir(), 'roster-mirror-'));
wholeFile.after(() => rm(folder, { recursive: true }));

const include = ['attributes', 'tags'] as const;

function openCopy(t: TestContext, name: string): ContactCopy {
  const copy = new ContactCopy(join(folder, name));
  t.after(() => copy.close());
  return copy;
}

/** Runs the mirror until the copy has reached the end of the feed. Returns what it said. */
async function catchUp(roster: Roster, copy: ContactCopy): Promise<string[]> {
  const { next: end } = await roster.events.list({ after: 'now' });
  const stop = new AbortController();
  const said: string[] = [];
  await mirrorContacts(roster, copy, {
    signal: stop.signal,
    onChange(change) {
      said.push(change);
      if (copy.position === end) stop.abort();
    },
  });
  assert.deepEqual([...copy.contacts()], await collect(roster.contacts.exportAll({ include })));
  return said;
}

suite('the contact mirror', () => {
  test('is started by one command, copies what changes, and leaves nothing of its temporary server', async (t) => {
    const temporary = await mkdtemp(join(tmpdir(), 'roster-test-'));
    t.after(() => rm(temporary, { recursive: true, force: true }));
    // Without npm between us and the process, so that the signal reaches it.
    const child = spawn(process.execPath, ['examples/contact-mirror/start.ts'], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: { PATH: process.env['PATH'], TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const output = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
    let printed = '';
    const untilPrinted = async (pattern: RegExp): Promise<string[]> => {
      for (let found = pattern.exec(printed); ; found = pattern.exec(printed)) {
        if (found !== null) return found;
        const { value, done } = await output.next();
        assert.ok(!done, `it printed only: ${printed}`);
        printed += value;
      }
    };

    const [, botId = '', baseUrl = '', path = ''] = await untilPrinted(/of (bot_\w+) at (\S+) are copied to (\S+)\. /);
    const [, secret = ''] = await untilPrinted(/Bearer (rst_\w+)'/);
    await untilPrinted(/ all contacts were read\n/);
    const roster = new Roster({ botId, baseUrl, secret });
    await roster.contacts.upsert([{ name: 'Jane Doe', email: 'jane@example.com', tags: ['vip'] }]);
    await untilPrinted(/ 1 event\n/);
    const copy = new ContactCopy(path);
    assert.deepEqual([...copy.contacts()], await collect(roster.contacts.exportAll({ include })));
    copy.close();

    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    assert.deepEqual(await readdir(temporary), []);
  });

  test('goes on from its position, and reads all contacts when one event concerns all', async (t) => {
    const roster = await clientOfNewBot(server);
    await roster.attributes.define('plan', { type: 'text', label: 'Plan' });
    await roster.contacts.upsertAll(sampleContacts(1200).map((contact) => ({ ...contact, tags: ['new'] })));
    const copy = openCopy(t, 'positions.db');
    assert.deepEqual(await catchUp(roster, copy), ['all contacts were read']);

    const [first] = copy.contacts();
    await roster.contacts.update(first?.id ?? '', { attributes: { plan: 'pro' }, addTags: ['vip'] });
    assert.deepEqual(await catchUp(roster, copy), ['1 event']);
    const changes: (() => Promise<unknown>)[] = [
      () => roster.tags.rename('new', { name: 'Newcomer' }),
      () => roster.tags.delete('vip'),
      () => roster.attributes.delete('plan'),
    ];
    for (const change of changes) {
      await change();
      assert.deepEqual(await catchUp(roster, copy), ['all contacts were read']);
    }
  });

  test('reads all contacts when its position has expired, and removes what was deleted', async (t) => {
    const roster = await clientOfNewBot(server);
    await roster.contacts.upsertAll(sampleContacts(30));
    const copy = openCopy(t, 'expired.db');
    await catchUp(roster, copy);

    const [first] = copy.contacts();
    await roster.contacts.delete(first?.id ?? '');
    await roster.contacts.create({ name: 'New', email: 'new@example.com' });
    while (await server.store.purge(100, server.clock.nowMs + 1, sampleContext({ nowMs: server.clock.nowMs }))) {}
    assert.deepEqual(await catchUp(roster, copy), ['all contacts were read']);
  });

  test('does not write to a copy that another mirror has moved on', async (t) => {
    const roster = await clientOfNewBot(server);
    const [copy, same] = [openCopy(t, 'shared.db'), openCopy(t, 'shared.db')];
    await catchUp(roster, copy);
    const from = copy.position;
    await roster.contacts.create({ name: 'New', email: 'new@example.com' });
    await catchUp(roster, same);
    await assert.rejects(copy.apply([], { from, to: 'elsewhere' }), /Another process writes to this copy/);
    assert.equal(copy.position, same.position);
    assert.equal([...copy.contacts()].length, 1);
  });
});
