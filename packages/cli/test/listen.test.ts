// roster events listen: what a receiver on this machine gets, checked by the official package, and what is printed of it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { webhookMessageSchema } from '@roster/contract';
import { Webhook } from 'standardwebhooks';
import { makeDesk, type Receiver, startReceiver, startServer, wholeFile } from './harness.ts';

const server = await startServer(wholeFile);

/** The messages that came, each verified with the secret. */
const verified = ({ received }: Receiver, secret: string) =>
  received.map(({ headers, text }) =>
    webhookMessageSchema.parse(new Webhook(secret).verify(text, headers as Record<string, string>)),
  );

suite('events listen', () => {
  test('forwards each new event as a webhook would, signed with a new secret', async (t) => {
    const desk = await makeDesk(t, server);
    await desk.define({ plan: 'text' });
    await desk.roster.contacts.create({ name: 'Old', email: 'old@x' });
    const receiver = await startReceiver(t, ({ message }) => (message.type === 'contact.created' ? 200 : 302));
    const running = desk.start(['events', 'listen', '--forward', receiver.url, '--json']);
    const [start] = await running.lines<{ url: string; secret: string }>(1);
    assert.equal(start?.url, receiver.url);
    const values = { attributes: { plan: 'pro' }, tags: ['vip'] };
    const { data: contact } = await desk.roster.contacts.create({ name: 'Ann', email: 'ann@x', ...values });
    await running.lines(2);
    await desk.roster.contacts.delete(contact.id);
    const [, ...lines] = await running.lines(3);
    const { code, stderr } = await running.stop();
    assert.deepEqual([code, JSON.parse(stderr).error.code], [130, 'interrupted']);

    const { data: events } = await desk.roster.events.list({ contactId: contact.id });
    assert.deepEqual(
      verified(receiver, start?.secret ?? ''),
      events.map((event, at) => ({
        type: event.type,
        timestamp: event.at,
        data: { event, contact: at === 0 ? { ...contact, ...values } : null },
      })),
    );
    for (const [at, { headers }] of receiver.received.entries()) {
      assert.deepEqual([headers['webhook-id'], headers['content-type']], [events[at]?.id, 'application/json']);
      assert.match(headers['user-agent'] ?? '', /^Roster\/\d/);
    }
    for (const [at, { sentAt, durationMs, ...line }] of lines.entries()) {
      const { id, type } = events[at] ?? {};
      assert.deepEqual(line, { eventId: id, type, statusCode: [200, 302][at], error: null });
      assert.ok(typeof durationMs === 'number' && !Number.isNaN(Date.parse(String(sentAt))));
    }
  });

  test('goes on when the receiver is down, and says so', async (t) => {
    const desk = await makeDesk(t, server);
    const receiver = await startReceiver(t, ({ message }) => (message.type === 'contact.created' ? 500 : 204));
    await receiver.stop();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const only = ['--type', 'contact.created', '--type', 'contact.deleted'];
    const running = desk.start(['events', 'listen', '--forward', receiver.url, '--secret', secret, ...only]);
    await running.noted(`Forwarding new events to ${receiver.url}. Press Ctrl-C to stop.\n`);
    const { data: ann } = await desk.roster.contacts.create({ name: 'Ann', email: 'ann@x' });
    await running.printed('\n');
    await receiver.restart();
    await desk.roster.contacts.update(ann.id, { name: 'Anna' });
    await desk.roster.contacts.create({ name: 'Joe', email: 'joe@x' });
    await running.printed('500 in ');
    await desk.roster.contacts.delete(ann.id);
    await running.printed('204 in ');
    const { stdout, stderr } = await running.stop();
    const wanted = [
      /^failed {2}.* {2}contact\.created +evt_\w+ {2}connection refused: nothing is listening at http:\/\/127\.0\.0\.1:\d+$/,
      /^failed {2}.* {2}contact\.created +evt_\w+ {2}500 in [\d.,]+ ms$/,
      /^ok {6}.* {2}contact\.deleted +evt_\w+ {2}204 in [\d.,]+ ms$/,
    ];
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, wanted.length, stdout);
    for (const [at, pattern] of wanted.entries()) assert.match(lines[at] ?? '', pattern);
    assert.ok(!stderr.includes(secret) && stderr.endsWith('roster: Interrupted.\n'), stderr);
    assert.deepEqual(
      verified(receiver, secret).map(({ type }) => type),
      ['contact.created', 'contact.deleted'],
    );
  });
});
