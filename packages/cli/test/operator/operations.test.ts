// The operator's operations where no server runs: this process opens the store itself.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { defaultBotSettings } from '@roster/contract';
import { migrate, StoreInUseError, StoreOpenError } from '@roster/server/operator';
import { pino } from 'pino';
import { looksLikeSecret } from '../../../server/src/account/credentials.ts';
import { openStore } from '../../../server/src/store/open.ts';
import { createEmptyDatabase } from '../../../server/test/postgres/databases.ts';
import { sampleContext } from '../../../server/test/sample.ts';
import { openOperator } from '../../src/operator/open-operator.ts';
import { configOf, databaseConfig, engines, makeFolder, open } from './setup.ts';

const unknown = {
  organization: 'org_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
  bot: 'bot_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
  secret: 'sec_a6j6h6k6v3s7n6b1m2r1x4w9j0k8a2q0q3',
};

const missing = { name: 'OperatorError', code: 'not_found' };

for (const [name, makeConfig] of Object.entries(engines)) {
  suite(`an operator on ${name}`, () => {
    test('creates, renames and lists organizations', async (t) => {
      const operator = await open(t, await makeConfig(t));
      assert.equal(operator.via, 'store');
      const one = await operator.createOrganization('  One ');
      const two = await operator.createOrganization('Two');
      assert.equal(one.name, 'One');
      assert.deepEqual(await operator.renameOrganization(two.id, 'Second'), { id: two.id, name: 'Second' });
      await assert.rejects(operator.renameOrganization(unknown.organization, 'Nobody'), missing);
      assert.deepEqual(await operator.listOrganizations(), [one, { ...two, name: 'Second' }]);
    });

    test('ends a pause of purging', async (t) => {
      const config = await makeConfig(t);
      const pausedUntilMs = Date.now() + 60_000;
      const store = await openStore({ ...config, onFatal: assert.fail });
      await store.savePurging({ purgedAtMs: 1, pausedUntilMs }, sampleContext());
      await store.close();
      const operator = await open(t, config);
      assert.deepEqual(await operator.purge(), { pausedUntil: new Date(pausedUntilMs).toISOString() });
      assert.deepEqual(await operator.purge(), { pausedUntil: null });
    });

    test('creates, changes, deletes and lists bots', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const { id } = await operator.createOrganization('Mine');
      const { id: otherId } = await operator.createOrganization('Theirs');
      const plain = await operator.createBot(id, { name: 'Support', greeting: undefined });
      const { id: botId, createdAt, widgetUrl, contactCount, ...settings } = plain;
      assert.deepEqual(settings, { organizationId: id, name: 'Support', ...defaultBotSettings });
      assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
      assert.ok(widgetUrl.endsWith(`/widget.js?bot=${botId}`));
      assert.equal(contactCount, 0);
      const other = await operator.createBot(otherId, { name: 'Shop', color: '#ABCDEF', position: 'left' });
      assert.deepEqual([other.color, other.position], ['#abcdef', 'left']);
      const changed = await operator.updateBot(plain, { greeting: '', allowedOrigins: ['https://example.com/'] });
      assert.deepEqual(changed, { ...plain, greeting: '', allowedOrigins: ['https://example.com'] });
      await assert.rejects(operator.updateBot({ ...plain, id: unknown.bot }, { greeting: '' }), missing);
      await assert.rejects(operator.updateBot({ ...plain, organizationId: otherId }, { greeting: '' }), missing);
      await assert.rejects(operator.deleteBot({ ...plain, organizationId: otherId }), missing);
      assert.deepEqual(await operator.listBots(), [changed, other]);
      assert.deepEqual(await operator.listBots(id), [changed]);
      await operator.deleteBot(plain);
      await assert.rejects(operator.deleteBot(plain), missing);
      assert.deepEqual(await operator.listBots(id), []);
    });

    test('creates, renames, revokes and lists secrets, and shows a secret once', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const { id } = await operator.createOrganization('Mine');
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const { secret, ...state } = await operator.createSecret(id, { name: 'Web shop', expiresAt });
      assert.ok(looksLikeSecret(secret));
      const { secret: _, ...endless } = await operator.createSecret(id, { name: 'Endless' });
      assert.deepEqual([state.expiresAt, endless.expiresAt], [expiresAt, null]);
      assert.deepEqual(await operator.renameSecret(state, 'Old shop'), { ...state, name: 'Old shop' });
      await operator.revokeSecret(state);
      const [first, second, ...rest] = await operator.listSecrets(id);
      assert.ok(Math.abs(Date.parse(first?.revokedAt ?? '') - Date.now()) < 60_000);
      assert.deepEqual(first, { ...state, name: 'Old shop', revokedAt: first?.revokedAt });
      assert.deepEqual([second, ...rest], [endless]);
      await operator.revokeSecret(state);
      assert.deepEqual((await operator.listSecrets(id))[0], first, 'a second revocation changes nothing');
      const { id: otherId } = await operator.createOrganization('Theirs');
      for (const wrong of [
        { ...state, id: unknown.secret },
        { ...state, organizationId: otherId },
      ]) {
        await assert.rejects(operator.revokeSecret(wrong), missing);
        await assert.rejects(operator.renameSecret(wrong, 'Nobody'), missing);
      }
      assert.ok(!JSON.stringify(await operator.listSecrets()).includes(secret));
    });

    test('gives a secret permissions and bots, of the organization that it is for', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const [{ id }, { id: otherId }] = [
        await operator.createOrganization('Mine'),
        await operator.createOrganization('Theirs'),
      ];
      const [bot, theirs] = [
        await operator.createBot(id, { name: 'Shop' }),
        await operator.createBot(otherId, { name: 'Shop' }),
      ];
      const made = await operator.createSecret(id, { name: 'x', permissions: ['account:write'], bots: [bot.id] });
      const { permissions, bots, createdBy, createdById } = made;
      assert.deepEqual({ permissions, bots }, { permissions: ['account:write'], bots: [bot.id] });
      assert.deepEqual({ createdBy, createdById }, { createdBy: null, createdById: null });
      await assert.rejects(operator.createSecret(id, { name: 'x', bots: [theirs.id] }), { code: 'invalid_request' });
    });

    test('gets every fault of an input at once, and nothing is changed', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const { id } = await operator.createOrganization('Mine');
      const bot = await operator.createBot(id, { name: 'Support' });
      const wrong = { name: '\u0000', color: 'red', allowedOrigins: ['https://example.com', 'nowhere'], colour: 'red' };
      const message =
        /^name must not contain control characters; color must be .*; allowedOrigins\.1 must be an origin .*; body contains unknown fields\.$/;
      const invalid = { name: 'OperatorError', code: 'invalid_request', message };
      await assert.rejects(operator.createBot(id, wrong), invalid);
      await assert.rejects(operator.updateBot(bot, wrong), invalid);
      assert.deepEqual(await operator.listBots(), [bot]);
      const expiresAt = new Date(Date.now() - 1).toISOString();
      const past = operator.createSecret(id, { name: 'Late', expiresAt });
      await assert.rejects(past, { code: 'invalid_request', message: /future/ });
      await assert.rejects(operator.createSecret(id, { name: ' ' }), {
        code: 'invalid_request',
        message: 'name must not be empty.',
      });
      await assert.rejects(operator.revokeSecret({ organizationId: id, id: 'First secret' }), missing);
      assert.deepEqual(await operator.listSecrets(), []);
    });

    test('cannot use an organization that does not exist', async (t) => {
      const operator = await open(t, await makeConfig(t));
      const missing = { code: 'not_found', message: 'There is no organization with this id.' };
      await assert.rejects(operator.createBot(unknown.organization, { name: 'Support' }), missing);
      await assert.rejects(operator.createSecret(unknown.organization, { name: 'Web shop' }), missing);
      await assert.rejects(operator.listBots(unknown.organization), missing);
      await assert.rejects(operator.listSecrets(unknown.organization), missing);
    });

    test('has each change logged by its ids, and no secret and no name', async (t) => {
      const logged: object[] = [];
      const logger = pino({ base: null, timestamp: false }, { write: (line) => logged.push(JSON.parse(line)) });
      const operator = await open(t, await makeConfig(t), { logger });
      const { id: organizationId } = await operator.createOrganization('canary');
      const bot = await operator.createBot(organizationId, { name: 'canary' });
      const botId = bot.id;
      const { secret, ...state } = await operator.createSecret(organizationId, { name: 'canary' });
      await operator.listSecrets();
      await operator.renameOrganization(organizationId, 'canary 2');
      await operator.updateBot(bot, { name: 'canary 2' });
      await operator.renameSecret(state, 'canary 2');
      await operator.revokeSecret(state);
      await operator.revokeSecret(state);
      await operator.deleteBot(bot);
      const line = { level: 30, msg: 'the operator made a change' };
      assert.deepEqual(logged, [
        { ...line, operation: 'operator.organizations.create', organizationId },
        { ...line, operation: 'operator.bots.create', organizationId, botId },
        { ...line, operation: 'operator.secrets.create', organizationId, secretId: state.id },
        { ...line, operation: 'operator.organization.update', organizationId },
        { ...line, operation: 'operator.bots.update', organizationId, botId },
        { ...line, operation: 'operator.secrets.update', organizationId, secretId: state.id },
        { ...line, operation: 'operator.secrets.revoke', organizationId, secretId: state.id },
        { ...line, operation: 'operator.bots.delete', organizationId, botId },
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
      assert.match(error.message, /roster\.db does not exist\. .*ROSTER_DATA_DIR.*roster migrate/);
      return true;
    });
    assert.ok(!existsSync(join(folder, 'data')));
  });

  test('waits for a process that has the folder, and takes it when that one is done', async (t) => {
    const config = await engines.SQLite(t);
    const first = await openOperator(config);
    const second = openOperator(config, { patienceMs: 300_000 });
    const { id } = await first.createOrganization('First');
    await first.close();
    const operator = await second;
    t.after(() => operator.close());
    assert.deepEqual(
      (await operator.listOrganizations()).map((organization) => organization.id),
      [id],
    );
  });

  test('reports a process that has the folder and does not answer', async (t) => {
    const config = await engines.SQLite(t);
    await open(t, config);
    await assert.rejects(openOperator(config, { patienceMs: 0 }), (error) => {
      assert.ok(error instanceof StoreInUseError);
      assert.match(error.message, /^Another process is using the data folder .* does not respond at .*roster\.sock\./);
      return true;
    });
  });

  test('on PostgreSQL does not change a schema under servers that run', async (t) => {
    const config = await databaseConfig(t, await createEmptyDatabase());
    await assert.rejects(openOperator(config), { name: 'StoreOpenError', message: /roster migrate/ });
    await migrate(config);
    const operator = await open(t, config);
    assert.deepEqual(await operator.listOrganizations(), []);
  });
});
