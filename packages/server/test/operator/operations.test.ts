// The operator's operations where no server runs: this process opens the store itself.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { defaultBotSettings } from '@roster/contract';
import {
  type Config,
  type Member,
  migrate,
  openOperator,
  StoreInUseError,
  StoreOpenError,
} from '@roster/server/operator';
import { hashCredential, looksLikeSecret } from '../../src/account/credentials.ts';
import { openStore } from '../../src/store/open.ts';
import { createEmptyDatabase } from '../postgres/databases.ts';
import { sampleJoining, sampleSession } from '../sample.ts';
import { configOf, databaseConfig, engines, makeFolder, open } from './setup.ts';

const unknown = {
  organization: 'org_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
  bot: 'bot_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
  secret: 'sec_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
  member: 'mem_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
};

/** Becomes a member, as by the console, while no operator has the store. */
async function joinBy(config: Config, link: string): Promise<Member> {
  const store = await openStore({
    ...config,
    onFatal(error) {
      throw error;
    },
  });
  const session = sampleSession({ createdAtMs: Date.now() });
  const token = link.slice(link.lastIndexOf('/') + 1);
  const outcome = await store.acceptInvitation(hashCredential(token), sampleJoining(), session);
  await store.close();
  assert.ok(outcome.kind === 'joined');
  return outcome.member;
}

for (const [name, makeConfig] of Object.entries(engines)) {
  suite(`an operator on ${name}`, () => {
    test('creates, renames and lists organizations', async (t) => {
      const operator = await open(t, await makeConfig(t));
      assert.equal(operator.via, 'store');
      const one = await operator.createOrganization('  One ');
      const two = await operator.createOrganization('Two');
      assert.equal(one.name, 'One');
      assert.equal(await operator.renameOrganization(two.id, 'Second'), true);
      assert.equal(await operator.renameOrganization(unknown.organization, 'Nobody'), false);
      assert.deepEqual(await operator.listOrganizations(), [one, { ...two, name: 'Second' }]);
    });

    test('creates, changes, deletes and lists bots', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const { id } = await operator.createOrganization('Mine');
      const { id: otherId } = await operator.createOrganization('Theirs');
      const plain = await operator.createBot(id, { name: 'Support', greeting: undefined });
      const { id: botId, createdAtMs, ...settings } = plain;
      assert.deepEqual(settings, { organizationId: id, name: 'Support', ...defaultBotSettings });
      assert.ok(Math.abs(createdAtMs - Date.now()) < 60_000);
      const other = await operator.createBot(otherId, { name: 'Shop', color: '#ABCDEF', position: 'left' });
      assert.deepEqual([other.color, other.position], ['#abcdef', 'left']);
      const changed = await operator.updateBot(botId, { greeting: '', allowedOrigins: ['https://example.com/'] });
      assert.deepEqual(changed, { ...plain, greeting: '', allowedOrigins: ['https://example.com'] });
      assert.equal(await operator.updateBot(unknown.bot, { greeting: '' }), undefined);
      const listed = { ...changed, contactCount: 0 };
      assert.deepEqual(await operator.listBots(), [listed, { ...other, contactCount: 0 }]);
      assert.deepEqual(await operator.listBots(id), [listed]);
      assert.equal(await operator.deleteBot(botId), true);
      assert.equal(await operator.deleteBot(botId), false);
      assert.deepEqual(await operator.listBots(id), []);
    });

    test('creates, renames, revokes and lists secrets, and tells a secret once', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const { id } = await operator.createOrganization('Mine');
      const expiresAtMs = Date.now() + 60_000;
      const { secret, state } = await operator.createSecret(id, { name: 'Web shop', expiresAtMs });
      assert.ok(looksLikeSecret(secret));
      const { state: endless } = await operator.createSecret(id, { name: 'Endless' });
      assert.deepEqual([state.expiresAtMs, endless.expiresAtMs], [expiresAtMs, undefined]);
      assert.equal(await operator.renameSecret(state.id, 'Old shop'), true);
      assert.equal(await operator.revokeSecret(state.id), true);
      assert.equal(await operator.revokeSecret(state.id), false);
      assert.equal(await operator.revokeSecret(unknown.secret), false);
      assert.equal(await operator.renameSecret(unknown.secret, 'Nobody'), false);
      const [first, second, ...rest] = await operator.listSecrets(id);
      assert.ok(first?.revokedAtMs !== undefined && Math.abs(first.revokedAtMs - Date.now()) < 60_000);
      assert.deepEqual(first, { ...state, name: 'Old shop', revokedAtMs: first.revokedAtMs });
      assert.deepEqual([second, ...rest], [endless]);
      assert.ok(!JSON.stringify(await operator.listSecrets()).includes(secret));
    });

    test('invites, lists, helps and removes members, by links that work once', async (t) => {
      const config = await makeConfig(t);
      let operator = await open(t, config);
      const join = async (link: string): Promise<Member> => {
        await operator.close();
        const member = await joinBy(config, link);
        operator = await open(t, config);
        return member;
      };
      const { id } = await operator.createOrganization('Mine');
      const { invitation, link } = await operator.inviteMember(id, { email: ' Jane@example.com', role: 'owner' });
      const { createdAtMs, expiresAtMs } = invitation;
      assert.equal(expiresAtMs - createdAtMs, 7 * 86_400_000);
      assert.deepEqual([invitation.email, invitation.role], ['Jane@example.com', 'owner']);
      assert.ok(link.startsWith(`${config.publicUrl}/console#/link/`));
      const jane = await join(link);
      assert.deepEqual(await operator.listMembers(), [jane]);
      assert.deepEqual(await operator.listMembers(id), [jane]);
      const taken = operator.inviteMember(id, { email: 'jane@example.com', role: 'member' });
      await assert.rejects(taken, { code: 'refused', message: /member already/ });

      const reset = await operator.resetPassword(jane.id);
      assert.ok(reset?.link.startsWith(`${config.publicUrl}/console#/link/`));
      assert.ok(reset !== undefined && Math.abs(reset.expiresAtMs - Date.now() - 86_400_000) < 60_000);
      assert.equal(await operator.resetPassword(unknown.member), undefined);
      await assert.rejects(operator.removeMember(jane.id), { code: 'refused', message: /last owner/ });
      const second = await operator.inviteMember(id, { email: 'joe@example.com', role: 'owner' });
      const joe = await join(second.link);
      assert.equal(await operator.removeMember(jane.id), true);
      assert.equal(await operator.removeMember(jane.id), false);
      assert.deepEqual(await operator.listMembers(id), [joe]);
      const faults = {
        code: 'invalid',
        message: /^email must be an email address.*; role must be one of owner, member\.$/,
      };
      await assert.rejects(operator.inviteMember(id, { email: 'nobody', role: 'king' as never }), faults);
    });

    test('is told every fault of what it gave, and nothing is changed', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const { id } = await operator.createOrganization('Mine');
      const bot = await operator.createBot(id, { name: 'Support' });
      const wrong = { name: '\u0000', color: 'red', allowedOrigins: ['https://example.com', 'nowhere'], colour: 'red' };
      const message =
        /^name must not contain control characters; color must be .*; allowedOrigins 2 must be an origin .*; colour: there is no such setting\.$/;
      const invalid = { name: 'OperatorError', code: 'invalid', message };
      await assert.rejects(operator.createBot(id, wrong), invalid);
      await assert.rejects(operator.updateBot(bot.id, wrong), invalid);
      assert.deepEqual(await operator.listBots(), [{ ...bot, contactCount: 0 }]);
      const past = operator.createSecret(id, { name: 'Late', expiresAtMs: Date.now() - 1 });
      await assert.rejects(past, { code: 'invalid', message: /future/ });
      await assert.rejects(operator.createSecret(id, { name: ' ' }), {
        code: 'invalid',
        message: 'name must not be empty.',
      });
      await assert.rejects(operator.revokeSecret('First secret'), { message: 'secretId is not the id of a secret.' });
      assert.deepEqual(await operator.listSecrets(), []);
    });

    test('is told that an organization does not exist', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const missing = { code: 'missing', message: `There is no organization ${unknown.organization}.` };
      await assert.rejects(operator.createBot(unknown.organization, { name: 'Support' }), missing);
      await assert.rejects(operator.createSecret(unknown.organization, { name: 'Web shop' }), missing);
      await assert.rejects(operator.listBots(unknown.organization), missing);
      await assert.rejects(operator.listSecrets(unknown.organization), missing);
    });

    test('has each change logged by its ids, and no secret and no name', async (t) => {
      const logged: object[] = [];
      const logger = { info: (details: object) => logged.push(details) } as never;
      const operator = await open(t, await makeConfig(t), { logger });
      const { id: organizationId } = await operator.createOrganization('canary');
      const { id: botId } = await operator.createBot(organizationId, { name: 'canary' });
      const { secret, state } = await operator.createSecret(organizationId, { name: 'canary' });
      await operator.listSecrets();
      await operator.renameOrganization(organizationId, 'canary 2');
      await operator.updateBot(botId, { name: 'canary 2' });
      await operator.renameSecret(state.id, 'canary 2');
      await operator.revokeSecret(state.id);
      await operator.revokeSecret(state.id);
      await operator.deleteBot(botId);
      assert.deepEqual(logged, [
        { operation: 'createOrganization', organizationId },
        { operation: 'createBot', organizationId, botId },
        { operation: 'createSecret', organizationId, secretId: state.id },
        { operation: 'renameOrganization', organizationId },
        { operation: 'updateBot', botId },
        { operation: 'renameSecret', secretId: state.id },
        { operation: 'revokeSecret', secretId: state.id },
        { operation: 'deleteBot', botId },
      ]);
      assert.ok(!JSON.stringify(logged).includes(secret));
    });
  });
}

suite('opening an operator', () => {
  test('on a folder without a database refuses, and makes none', async (t) => {
    const folder = await makeFolder(t);
    await assert.rejects(openOperator(configOf(folder)), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.message, /^There is no .*roster\.db\. .*ROSTER_DATA_DIR.*npm run migrate/);
      return true;
    });
    assert.ok(!existsSync(join(folder, 'data')));
  });

  test('waits for a process that has the folder, and takes it when that one is done', async (t) => {
    const config = await engines.SQLite(t);
    const first = await openOperator(config);
    const second = openOperator(config);
    const { id } = await first.createOrganization('First');
    await first.close();
    const operator = await second;
    t.after(() => operator.close());
    assert.deepEqual(
      (await operator.listOrganizations()).map((organization) => organization.id),
      [id],
    );
  });

  test('says so when a process has the folder and answers nobody', async (t) => {
    const config = await engines.SQLite(t);
    await open(t, config);
    await assert.rejects(openOperator(config, { patienceMs: 0 }), (error) => {
      assert.ok(error instanceof StoreInUseError);
      assert.match(error.message, /^Another process is using the data folder .* nobody answers at .*roster\.sock\./);
      return true;
    });
  });

  test('on PostgreSQL does not change a schema under servers that run', async (t) => {
    const config = await databaseConfig(t, await createEmptyDatabase());
    await assert.rejects(openOperator(config), { name: 'StoreOpenError', message: /npm run migrate/ });
    await migrate(config);
    const operator = await open(t, config);
    assert.deepEqual(await operator.listOrganizations(), []);
  });
});
