// roster webhook: the commands against a server that really delivers, to a receiver on this machine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { type NewWebhook, Roster, type Webhook } from '@roster/client';
import { Webhook as Verifier } from 'standardwebhooks';
import { makeHomeHere } from '../../server/test/process/serve-here.ts';
import { type Ran, type Receiver, runCli, startReceiver, until, wholeFile } from './harness.ts';

const home = await makeHomeHere(wholeFile);
// A delivery that failed stays pending for the length of a test.
const served = await home.startFirst({ ROSTER_WEBHOOK_PRIVATE: '1', ROSTER_WEBHOOK_RETRIES: '86400' });
const { botId, secret: firstSecret } = served.firstRun;
const everything = 'contacts:read,contacts:write,account:read,account:write';
const made = await runCli(['secret', 'create', '--name', 'Webhooks', '--permissions', everything], {
  env: { ROSTER_DATA_DIR: home.dataDir },
});
const env = { ROSTER_URL: served.url, ROSTER_BOT: botId, ROSTER_SECRET: made.stdout.trim() };
const roster = new Roster({ baseUrl: served.url, botId, secret: env.ROSTER_SECRET });

const run = (...args: string[]): Promise<Ran> => runCli(['webhook', ...args], { env });

async function json<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await run(...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Answer;
}

/** Of its own receiver. It ends with the test, or it would get the events of the others. */
async function makeWebhook(t: { after(end: () => unknown): void }, answer: () => number = () => 204) {
  const receiver = await startReceiver(t, answer);
  const { data } = await roster.webhooks.create({ url: receiver.url });
  t.after(() => roster.webhooks.delete(data.id).catch(() => {}));
  return { receiver, ...data };
}

/**
 * Nobody is shown the response of a private address, which those of the tests are: between the command and the server it gets one as of
 * a public address.
 */
async function showResponse(t: { after(end: () => unknown): void }, response: string): Promise<string> {
  const between = createServer(async (request, reply) => {
    const { method = '', url, headers } = request;
    const authorization = headers.authorization ?? '';
    const answered = await fetch(`${served.url}${url}`, { method, headers: { authorization } });
    const { data } = (await answered.json()) as { data: object };
    reply.writeHead(answered.status, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ data: { ...data, response } }));
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.after(() => between.close());
  return `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
}

let contacts = 0;
const createContact = async () => {
  const { data } = await roster.contacts.create({ name: 'Ann', email: `ann${contacts++}@x` });
  return data;
};

const received = ({ received }: Receiver, count: number) =>
  until(`${count} messages`, () => received.length >= count).then(() => received);

suite('webhook', () => {
  test('create prints the secret alone, which verifies what the receiver gets', async (t) => {
    const receiver = await startReceiver(t);
    const args = ['--type', 'contact.deleted', '--type', 'contact.created', '--description', 'CRM'];
    const { code, stdout, stderr } = await run('create', receiver.url, ...args);
    assert.deepEqual([code, /^whsec_\S+\n$/.test(stdout)], [0, true], stderr);
    const id = /^Created (whk_\w+)\. Copy this secret now/.exec(stderr)?.[1] ?? '';
    t.after(() => roster.webhooks.delete(id));
    const contact = await createContact();
    const [message] = await received(receiver, 1);
    new Verifier(stdout.trim()).verify(message?.text ?? '', message?.headers as Record<string, string>);
    assert.equal(message?.message.data.contact?.id, contact.id);

    const listed = (await json<Webhook[]>('list')).find((each) => each.id === id);
    assert.deepEqual(
      [listed?.url, listed?.types, listed?.description, listed?.isEnabled],
      [receiver.url, ['contact.created', 'contact.deleted'], 'CRM', true],
    );
    const table = (await run('list')).stdout;
    assert.match(table, /^id +url +state +types +description +created\n/);
    assert.ok(table.includes(`${id}  ${receiver.url}  enabled  contact.created, contact.deleted  CRM  `), table);
  });

  test('update changes what is named, and show shows it', async (t) => {
    const { id, url } = await makeWebhook(t);
    const args = ['--new-url', `${url}?v=2`, '--type', 'tag.deleted', '--description', 'New', '--disable'];
    const { stdout } = await run('update', id, ...args);
    const shown = new RegExp(
      `^id +${id}\nurl +${url}\\?v=2\ntypes +tag\\.deleted\ndescription +New\nstate +disabled\ncreated +\\S.*\n$`,
    );
    assert.match(stdout, shown);
    assert.match((await run('show', id)).stdout, shown);
    const again = await json<Webhook>('update', id, '--all-types', '--description', '', '--enable');
    assert.deepEqual([again.types, again.description, again.isEnabled, again.url], [null, '', true, `${url}?v=2`]);
  });

  test('test says how the receiver responded, by its exit code too', async (t) => {
    const { id, receiver } = await makeWebhook(t);
    const ok = await run('test', id);
    assert.deepEqual([ok.code, /^ok {2}The receiver responded with 204 in [\d.,]+ ms\.\n$/.test(ok.stdout)], [0, true]);
    assert.equal(receiver.received[0]?.message.type, 'webhook.test');
    receiver.answerWith(() => 500);
    const failed = await run('test', id);
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^failed {2}The receiver responded with 500 in [\d.,]+ ms\.\n$/);
    const ROSTER_URL = await showResponse(t, 'broken\u202e\nhere\n');
    const shown = await runCli(['webhook', 'test', id], { env: { ...env, ROSTER_URL } });
    assert.match(shown.stdout, /^failed {2}The receiver responded with 500 in [\d.,]+ ms: broken\\u\{202e\} here\n$/);
    const { code, stdout } = await run('test', id, '--json');
    const { status, statusCode } = JSON.parse(stdout) as { status: string; statusCode: number };
    assert.deepEqual([code, status, statusCode], [1, 'failed', 500]);
    await receiver.stop();
    assert.match((await run('test', id)).stdout, /^failed {2}No response: /);
  });

  test('rotate prints a new secret, and the old one signs along', async (t) => {
    const { id, secret, receiver } = await makeWebhook(t);
    const { code, stdout, stderr } = await run('rotate', id);
    assert.deepEqual([code, /24 hours/.test(stderr)], [0, true]);
    assert.notEqual(stdout.trim(), secret);
    await createContact();
    const [message] = await received(receiver, 1);
    for (const each of [secret, stdout.trim()]) {
      new Verifier(each).verify(message?.text ?? '', message?.headers as Record<string, string>);
    }
    const { secret: third } = await json<NewWebhook>('rotate', id);
    assert.match(third, /^whsec_/);
  });

  test('deliveries lists what failed, retry and replay send it again', async (t) => {
    const { id, receiver } = await makeWebhook(t, () => 503);
    const { next: end } = await roster.events.list({ after: 'now' });
    await createContact();
    await received(receiver, 1);
    await until('the attempt to be kept', async () => (await roster.webhooks.deliveries(id)).data[0]?.attempts === 1);
    const eventId = receiver.received[0]?.id ?? '';
    const pending = await run('deliveries', id, '--status', 'pending');
    assert.match(pending.stdout, /^event +type +status +attempts +last attempt +next attempt +response\n/);
    assert.match(pending.stdout, new RegExp(`^${eventId}  contact\\.created  pending +1  \\S.*  503$`, 'm'));
    assert.equal((await run('deliveries', id, '--status', 'failed')).stderr, 'No deliveries.\n');

    receiver.answerWith(() => 204);
    const { stdout } = await run('retry', id, eventId);
    assert.equal(stdout, `Sending ${eventId} again. To see how it went, run "roster webhook deliveries ${id}".\n`);
    await received(receiver, 2);
    await until('success', async () => (await roster.webhooks.deliveries(id)).data[0]?.status === 'succeeded');

    await createContact();
    await received(receiver, 3);
    const replayed = await run('replay', id, '--after', end);
    assert.equal(replayed.stdout, `Sending all events after ${end} to ${id} again.\n`);
    const ids = (await received(receiver, 5)).map((each) => each.id);
    assert.deepEqual(new Set(ids.slice(3)), new Set([eventId, ids[2]]));
    const first = await json<{ eventId: string }[]>('deliveries', id, '--limit', '1');
    assert.deepEqual(
      first.map((each) => each.eventId),
      [ids[2]],
    );
    assert.match((await run('deliveries', id, '--limit', '1')).stderr, /newest 1\. For more, pass --limit\./);
  });

  test('retry-failed sends what was given up again, and skip gives one up', async (t) => {
    const { id } = await makeWebhook(t, () => 410);
    await createContact();
    await until('it is off', async () => !(await roster.webhooks.retrieve(id)).data.isEnabled);
    const [delivery] = (await roster.webhooks.deliveries(id)).data;
    const eventId = delivery?.eventId ?? '';
    assert.equal((await run('retry-failed', id)).stderr, 'No failed deliveries.\n');
    assert.equal((await run('skip', id, eventId)).stdout, `Skipped ${eventId}.\n`);
    assert.equal((await json<{ status: string }>('skip', id, eventId)).status, 'skipped');
    assert.match((await run('deliveries', id, '--status', 'skipped')).stdout, new RegExp(`^${eventId} `, 'm'));
  });

  test('delete asks, unless --yes is passed', async (t) => {
    const { id, url } = await makeWebhook(t);
    const asked = await run('delete', id);
    assert.deepEqual([asked.code, /Pass --yes to go ahead/.test(asked.stderr)], [2, true], asked.stderr);
    assert.equal((await run('delete', id, '--yes')).stdout, `Deleted ${id} (${url}).\n`);
    const gone = await run('show', id);
    assert.deepEqual([gone.code, /Check the id and the bot/.test(gone.stderr)], [3, true], gone.stderr);
  });
});

suite('exit codes and errors of webhooks', () => {
  const unknown = `whk_${'a'.repeat(34)}`;
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['create'], 2, /missing required argument 'url'/i],
    [['create', 'shop.example.com'], 3, /^roster: Invalid input: url must be a URL, like https:/],
    [['create', 'https://shop.example.com', '--type', 'contact.made'], 2, /Allowed choices are contact\.created/],
    [['update', unknown], 2, /Nothing to update\. Pass at least one of --new-url, /],
    [['update', unknown, '--type', 'tag.deleted', '--all-types'], 2, /cannot be used with option '--type/],
    [['update', unknown, '--enable', '--disable'], 2, /cannot be used with option '--enable/],
    [['test', unknown], 3, /Check the id and the bot/],
    [['deliveries', unknown, '--status', 'lost'], 2, /Allowed choices are pending, succeeded, failed, skipped/],
    [['deliveries', unknown, '--limit', '0'], 2, /whole number of at least 1/],
    [['retry', unknown], 2, /missing required argument 'event'/i],
    [['replay', unknown, '--after', 'now'], 2, /Pass a position/],
  ];
  for (const [args, code, message] of cases) {
    test(`webhook ${args.join(' ')}: ${code}, in one line`, async () => {
      const ran = await run(...args);
      assert.deepEqual([ran.code, ran.stdout, ran.stderr.trimEnd().split('\n').length], [code, '', 1], ran.stderr);
      assert.match(ran.stderr, message);
    });
  }

  test('an expired position is 3, and says what to do', async (t) => {
    const { id } = await makeWebhook(t);
    const { code, stderr } = await run('replay', id, '--after', '000000000000-1');
    assert.deepEqual([code, /has expired: .*, leave out --after\.$/m.test(stderr)], [3, true], stderr);
  });

  test('the refusal of a secret without the permission says how to get one that has it', async () => {
    const { code, stderr } = await runCli(['webhook', 'create', 'https://shop.example.com/'], {
      env: { ...env, ROSTER_SECRET: firstSecret },
    });
    assert.equal(code, 3);
    assert.match(stderr, /account:write.*"roster secret create --permissions"/);
  });
});
