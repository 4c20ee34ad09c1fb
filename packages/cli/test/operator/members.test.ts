// The operator's operations on members where no server runs: this process opens the store itself.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Config } from '@roster/server/operator';
import { hashCredential } from '../../../server/src/account/credentials.ts';
import { toMemberAnswer } from '../../../server/src/answers/answers.ts';
import { makeId } from '../../../server/src/contacts/ids.ts';
import type { Member } from '../../../server/src/store/account/account-store.ts';
import { openStore } from '../../../server/src/store/open.ts';
import type { Store } from '../../../server/src/store/store.ts';
import { sampleContext, sampleJoining, sampleSession, sampleWebhook } from '../../../server/test/sample.ts';
import { engines, open } from './setup.ts';

const missing = { name: 'OperatorError', code: 'not_found' };
const unknownMember = makeId('member', 1);

const memberAnswer = (member: Member) => ({ ...toMemberAnswer(member), organizationId: member.organizationId });

const joinedFrom = { browser: 'Safari on macOS', address: '192.0.2.7' };

/** While no operator has the store. */
function openStoreOf(config: Config): Promise<Store> {
  return openStore({
    ...config,
    readers: 1,
    onFatal(error) {
      throw error;
    },
  });
}

/** Become members, as by the console. */
async function joinBy(config: Config, ...links: string[]): Promise<Member[]> {
  const store = await openStoreOf(config);
  const nowMs = Date.now();
  const members: Member[] = [];
  for (const link of links) {
    const session = sampleSession({ createdAtMs: nowMs, expiresAtMs: nowMs + 86_400_000, ...joinedFrom });
    const token = link.slice(link.lastIndexOf('/') + 1);
    const outcome = await store.acceptInvitation(hashCredential(token), sampleJoining(), session, sampleContext());
    assert.ok(outcome.kind === 'joined');
    members.push(outcome.member);
  }
  await store.close();
  return members;
}

for (const [name, makeConfig] of Object.entries(engines)) {
  suite(`an operator on ${name}`, () => {
    test('invites, lists, helps and removes members, by links that work once', async (t) => {
      const config = await makeConfig(t);
      let operator = await open(t, config);
      const join = async (link: string): Promise<Member> => {
        await operator.close();
        const [member] = await joinBy(config, link);
        operator = await open(t, config);
        return member as Member;
      };
      const { id } = await operator.createOrganization('Mine');
      const invitation = await operator.inviteMember(id, { email: ' Jane@example.com', role: 'owner' });
      const { link, createdAt, expiresAt } = invitation;
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 86_400_000);
      assert.deepEqual([invitation.email, invitation.role], ['Jane@example.com', 'owner']);
      assert.ok(link.startsWith(`${config.publicUrl}/console#/link/`));
      const jane = await join(link);
      assert.deepEqual(await operator.listMembers(), [memberAnswer(jane)]);
      assert.deepEqual(await operator.listMembers(id), [memberAnswer(jane)]);
      const taken = operator.inviteMember(id, { email: 'jane@example.com', role: 'member' });
      await assert.rejects(taken, { code: 'member_exists', message: /already exists/ });

      const reset = await operator.resetPassword(jane);
      assert.ok(reset.link.startsWith(`${config.publicUrl}/console#/link/`));
      assert.ok(Math.abs(Date.parse(reset.expiresAt) - Date.now() - 86_400_000) < 60_000);
      const { id: otherId } = await operator.createOrganization('Theirs');
      for (const wrong of [
        { ...jane, id: unknownMember },
        { ...jane, organizationId: otherId },
      ]) {
        await assert.rejects(operator.resetPassword(wrong), missing);
        await assert.rejects(operator.removeMember(wrong), missing);
      }
      await assert.rejects(operator.removeMember(jane), { code: 'last_owner', message: /last owner/ });
      const second = await operator.inviteMember(id, { email: 'joe@example.com', role: 'owner' });
      const joe = await join(second.link);
      await operator.removeMember(jane);
      await assert.rejects(operator.removeMember(jane), missing);
      assert.deepEqual(await operator.listMembers(id), [memberAnswer(joe)]);
      const faults = {
        code: 'invalid_request',
        message: /^email must be an email address.*; role must be one of owner, member, viewer\.$/,
      };
      await assert.rejects(operator.inviteMember(id, { email: 'nobody', role: 'king' as never }), faults);
    });

    test('switches off the webhooks of a member who is removed, where that is wanted', async (t) => {
      const config = await makeConfig(t);
      const first = await open(t, config);
      const { id } = await first.createOrganization('Mine');
      const bot = await first.createBot(id, { name: 'Support' });
      const { link } = await first.inviteMember(id, { email: 'jane@example.com', role: 'member' });
      const { link: second } = await first.inviteMember(id, { email: 'joe@example.com', role: 'member' });
      await first.close();
      const [jane, joe] = (await joinBy(config, link, second)) as [Member, Member];
      const store = await openStoreOf(config);
      for (const { id, name } of [jane, joe]) {
        const webhook = sampleWebhook({ createdBy: { kind: 'member', id, name } });
        await store.createWebhook(bot.id, webhook, 20, sampleContext());
      }
      await store.close();
      const operator = await open(t, config);
      await operator.removeMember(jane);
      await operator.removeMember(joe, { disableWebhooks: true });
      await operator.close();
      const again = await openStoreOf(config);
      const webhooks = await again.listWebhooks(bot.id);
      await again.close();
      assert.deepEqual(
        new Map(webhooks.map(({ createdBy, isEnabled }) => [createdBy?.id, isEnabled])),
        new Map([
          [jane.id, true],
          [joe.id, false],
        ]),
      );
    });

    test('changes the role of a member, and sees and ends their sessions', async (t) => {
      const config = await makeConfig(t);
      const first = await open(t, config);
      const { id } = await first.createOrganization('Mine');
      const { link } = await first.inviteMember(id, { email: 'jane@example.com', role: 'owner' });
      const { link: second } = await first.inviteMember(id, { email: 'joe@example.com', role: 'member' });
      const { id: otherId } = await first.createOrganization('Theirs');
      await first.close();
      const [jane, joe] = (await joinBy(config, link, second)) as [Member, Member];
      const operator = await open(t, config);

      assert.deepEqual(await operator.changeRole(joe, 'viewer'), { ...memberAnswer(joe), role: 'viewer' });
      await assert.rejects(operator.changeRole(jane, 'member'), { code: 'last_owner', message: /member set MEMBER/ });
      await assert.rejects(operator.changeRole({ ...joe, organizationId: otherId }, 'owner'), missing);
      await assert.rejects(operator.changeRole(joe, 'king' as never), { code: 'invalid_request' });

      const [session, ...others] = await operator.listSessions(joe);
      assert.ok(session !== undefined && others.length === 0);
      const { browser, address, isCurrent } = session;
      assert.deepEqual({ browser, address, isCurrent }, { ...joinedFrom, isCurrent: false });
      for (const wrong of [
        { ...joe, id: unknownMember },
        { ...joe, organizationId: otherId },
      ]) {
        await assert.rejects(operator.listSessions(wrong), missing);
        await assert.rejects(operator.endSession(wrong, session.id), missing);
        await assert.rejects(operator.endSessions(wrong), missing);
      }
      await assert.rejects(operator.endSession(jane, session.id), missing);
      await operator.endSession(joe, session.id);
      await assert.rejects(operator.endSession(joe, session.id), missing);
      assert.deepEqual(await operator.listSessions(joe), []);
      assert.equal((await operator.listSessions(jane)).length, 1);
      await operator.endSessions(jane);
      assert.deepEqual(await operator.listSessions(jane), []);
    });
  });
}
