// The operator's commands for members: on a running server, by its socket, and on PostgreSQL, which each opens by itself.
// operator/members.test.ts has the operations on an SQLite database that no server has open.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hashCredential } from '../../server/src/account/credentials.ts';
import type { ServerHere } from '../../server/test/process/serve-here.ts';
import { sampleContext, sampleJoining, sampleSession, sampleWebhook } from '../../server/test/sample.ts';
import { makePostgresStation, makeServingStation, type Station } from './harness.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

for (const isRunning of [true, false]) {
  suite(isRunning ? 'on a running server' : 'on PostgreSQL, which each command opens', () => {
    test('members are invited, listed, signed out, given a role and a new password, and removed, by links that stdout holds alone', async (t) => {
      const make = isRunning ? makeServingStation : makePostgresStation;
      const station: Station & { server?: ServerHere } = await make(t);
      const { home, env, run, json } = station;
      const invited = await run(['member', 'invite', 'Jane@example.com', '--role', 'owner']);
      assert.match(invited.stdout, /^http\S+\/console#\/link\/[\w-]{43}\n$/, invited.stderr);
      assert.match(invited.stderr, /Send this link to Jane@example\.com/);
      assert.equal((await json('member', 'invite', 'vic@example.com', '--role', 'viewer')).role, 'viewer');
      const { link: _, ...second } = await json('member', 'invite', 'joe@example.com');
      const shape = ['id', 'organizationId', 'email', 'role', 'createdAt', 'expiresAt'];
      assert.deepEqual([Object.keys(second), second.role], [shape, 'member']);
      assert.deepEqual(await json('member', 'list'), []);
      const acme = await json('org', 'create', 'Acme');
      const elsewhere = await json('member', 'invite', 'jane@example.com', '--org', 'Acme');

      // Jane joins by the console, for which a server must run.
      const running = station.server ?? (await home.start(env));
      const accept = (path: string, body: object) =>
        fetch(`${running.url}/v1/account/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: running.url, 'user-agent': firefox },
          body: JSON.stringify({ password: 'correct horse battery', ...body }),
        });
      const tokenOf = (text: string) => text.trim().slice(text.trim().lastIndexOf('/') + 1);
      const joined = await accept('invitations/accept', { token: tokenOf(invited.stdout), name: 'Jane' });
      assert.equal(joined.status, 200);
      const cookie = joined.headers.getSetCookie().find((line) => line.startsWith('roster=')) as string;
      const statusOf = async (cookie: string) =>
        (await fetch(`${running.url}/v1/account/session`, { headers: { cookie } })).status;
      const { link: there } = elsewhere;
      assert.equal((await accept('invitations/accept', { token: tokenOf(there), name: 'Jane' })).status, 200);
      if (!isRunning) await running.stop();

      const [jane] = await json('member', 'list');
      assert.deepEqual([jane.email, jane.name, jane.role], ['Jane@example.com', 'Jane', 'owner']);
      const whichOne = await run(['member', 'reset-password', 'jane@EXAMPLE.com']);
      const advised = `several organizations. Add --org with one of ${jane.organizationId} (My organization), ${acme.id} (Acme).`;
      assert.ok(whichOne.code === 2 && whichOne.stderr.includes(advised), whichOne.stderr);
      assert.equal((await run(['member', 'remove', 'jane@example.com', '--yes'])).code, 2);
      const removed = await json('member', 'remove', 'jane@example.com', '--org', 'Acme', '--yes');
      assert.deepEqual([removed.organizationId, removed.email], [acme.id, 'jane@example.com']);
      const reset = await run(['member', 'reset-password', 'jane@EXAMPLE.com']);
      assert.match(reset.stdout, /^http\S+\/console#\/link\/[\w-]{43}\n$/, reset.stderr);
      assert.equal((await run(['member', 'remove', jane.id])).code, 2, 'there is no terminal to ask');
      const listed = await run(['member', 'sessions', 'jane@example.com']);
      assert.match(
        listed.stdout,
        /^id +browser +address +created +last used\nses_\w+ +Firefox on Linux +127\.0\.0\.1 +\w+ \d+, \d{4}, /,
      );
      assert.equal((await run(['member', 'end-sessions', jane.id])).code, 2, 'there is no terminal to ask');
      const unknown = await run(['member', 'end-sessions', jane.id, '--session', 'ses_x', '--yes']);
      assert.ok(unknown.code === 3 && unknown.stderr.includes(`Jane@example.com has no session "ses_x".`));
      if (isRunning) assert.equal(await statusOf(cookie), 200);
      const [session] = await json('member', 'sessions', jane.id);
      const shown = ['id', 'browser', 'address', 'createdAt', 'lastUsedAt', 'expiresAt'];
      assert.deepEqual(Object.keys(session), shown);
      assert.deepEqual(await json('member', 'end-sessions', jane.id, '--session', session.id, '--yes'), [session]);
      if (isRunning) assert.equal(await statusOf(cookie), 401);
      const all = await run(['member', 'end-sessions', jane.id, '--yes']);
      assert.equal(all.stdout, 'Ended all sessions of Jane@example.com (Jane).\n', all.stderr);
      assert.equal((await run(['member', 'set', jane.id])).code, 2, 'no role is named');
      assert.equal((await json('member', 'set', jane.id, '--role', 'owner')).role, 'owner');
      assert.equal((await run(['member', 'set', jane.id, '--role', 'viewer'])).code, 3, 'the last owner stays one');
      const refused = await run(['member', 'remove', jane.id, '--yes']);
      assert.equal(refused.code, 3);
      const advice = 'Add another owner first: "roster member set MEMBER --role owner"';
      assert.ok(refused.stderr.includes(`This is the last owner of the organization. ${advice}`), refused.stderr);
      if (isRunning) assert.equal((await accept('password/reset', { token: tokenOf(reset.stdout) })).status, 200);
    });
  });
}

test('member remove switches off the webhooks of the member with --disable-webhooks alone', async (t) => {
  const { server, firstRun, run, json } = await makeServingStation(t);
  const { store } = server.deps;
  for (const [email, ...flags] of [['jane@example.com'], ['joe@example.com', '--disable-webhooks']] as const) {
    const { link } = await json('member', 'invite', email);
    const token = hashCredential(link.slice(link.lastIndexOf('/') + 1));
    const outcome = await store.acceptInvitation(token, sampleJoining(), sampleSession(), sampleContext());
    assert.ok(outcome.kind === 'joined');
    const { id, name } = outcome.member;
    const webhook = sampleWebhook({ createdBy: { kind: 'member', id, name } });
    await store.createWebhook(firstRun.botId, webhook, 20, sampleContext());
    const { code, stderr } = await run(['member', 'remove', email, ...flags, '--yes']);
    assert.equal(code, 0, stderr);
    const kept = (await store.listWebhooks(firstRun.botId)).find((each) => each.id === webhook.id);
    assert.equal(kept?.isEnabled, flags.length === 0, email);
  }
});
