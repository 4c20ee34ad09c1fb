// Secrets as members make and revoke them, over HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { signInAs } from '../../test/console-client.ts';
import { codeOf, startServer } from '../../test/harness.ts';
import { wholeFile } from '../../test/http/every-operation.ts';
import { looksLikeSecret } from '../account/credentials.ts';
import { defaultQuotas } from '../account/quotas.ts';

const server = await startServer(wholeFile);
const { call, clock } = server;
const { page, member } = await signInAs(server, 'owner');
const create = async (body: object) => (await page.call('POST', 'secrets', { body })).json.data;

suite('secrets', () => {
  test('a new secret works at once, is shown once, and is listed with its prefix and its creator', async () => {
    const { secret, ...state } = await create({ name: 'Web shop' });
    assert.ok(looksLikeSecret(secret));
    assert.equal(state.prefix, secret.slice(0, 8));
    const never = { expiresAt: null, revokedAt: null, lastUsedAt: null };
    const { id, createdAt, prefix } = state;
    const creator = { createdBy: member.name, createdById: member.id };
    const scope = { permissions: ['contacts:read', 'contacts:write', 'tokens:write'], bots: null };
    assert.deepEqual(state, { id, name: 'Web shop', prefix, ...scope, ...creator, createdAt, ...never });
    assert.equal((await call('GET', 'contacts', { token: secret })).status, 200);
    const { json, text } = await page.call('GET', 'secrets');
    assert.deepEqual(json.data[0], state);
    assert.ok(!text.includes(secret));
  });

  test('one more than the server allows is refused, with what to do about it, until one is revoked', async (t) => {
    const quotas = { ...defaultQuotas, secretsPerOrganization: 2 };
    const limited = await startServer(t, { storeOf: server, config: { quotas } });
    const { page: owner } = await signInAs(limited, 'owner');
    const body = { name: 'Web shop' };
    assert.equal((await owner.call('POST', 'secrets', { body })).status, 201);
    const refused = await owner.call('POST', 'secrets', { body });
    assert.deepEqual(codeOf(refused), [400, 'limit_reached']);
    assert.match(refused.json.detail, /2 active secrets.*Revoke one.*ROSTER_SECRETS_PER_ORGANIZATION/);
    assert.equal((await owner.call('DELETE', `secrets/${limited.mine.secretId}`)).status, 204);
    assert.equal((await owner.call('POST', 'secrets', { body })).status, 201);
  });

  test('all are listed, newest first, those of the operator too', async () => {
    const made = [await create({ name: 'One' }), await create({ name: 'Two' })];
    const { json } = await page.call('GET', 'secrets');
    const ids = json.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids.slice(0, 2), [made[1].id, made[0].id]);
    assert.equal(ids.at(-1), server.mine.secretId);
    assert.equal(json.data.at(-1).createdBy, null);
  });

  test('one that expires works until then, and the past is no time to expire', async () => {
    const expiresAt = new Date(clock.nowMs + 1000).toISOString();
    const { secret } = await create({ name: 'Short', expiresAt });
    assert.equal((await call('GET', 'contacts', { token: secret })).status, 200);
    clock.nowMs += 1000;
    assert.equal((await call('GET', 'contacts', { token: secret })).status, 401);
    const late = await page.call('POST', 'secrets', { body: { name: 'Late', expiresAt } });
    assert.deepEqual(codeOf(late), [400, 'invalid_request']);
    assert.deepEqual(late.json.errors, [{ field: 'expiresAt', message: 'must be in the future' }]);
  });

  test('its expiry is a date and time with a time zone, in any form of ISO 8601, and is answered in UTC', async () => {
    const forms = ['2099-01-31T01:00:00+01:00', '2099-01-31T00:00:00Z', '2099-01-31T00:00:00.000000+00:00'];
    for (const expiresAt of forms) {
      assert.equal((await create({ name: 'Long', expiresAt })).expiresAt, '2099-01-31T00:00:00.000Z');
    }
    for (const expiresAt of ['2099-01-31', '2099-01-31T00:00:00', 'Sat, 31 Jan 2099 00:00:00 GMT', 4_073_500_800_000]) {
      const { status, json } = await page.call('POST', 'secrets', { body: { name: 'Long', expiresAt } });
      assert.deepEqual([status, json.errors[0].field], [400, 'expiresAt']);
    }
  });

  test('a revoked one is refused at once, and revoking it again is no error', async () => {
    const { id, secret } = await create({ name: 'Leaked' });
    assert.equal((await call('GET', 'contacts', { token: secret })).status, 200);
    for (let time = 0; time < 2; time++) assert.equal((await page.call('DELETE', `secrets/${id}`)).status, 204);
    assert.equal((await call('GET', 'contacts', { token: secret })).status, 401);
    const { json } = await page.call('GET', 'secrets');
    const listed = json.data.find((each: { id: string }) => each.id === id);
    assert.equal(listed.revokedAt, new Date(clock.nowMs).toISOString());
  });

  test('one is renamed, and stays the same secret', async () => {
    const { id, secret } = await create({ name: 'Old' });
    const reply = await page.call('PATCH', `secrets/${id}`, { body: { name: 'New' } });
    assert.deepEqual([reply.status, reply.json.data.name], [200, 'New']);
    assert.equal((await call('GET', 'contacts', { token: secret })).status, 200);
  });

  test('the time of the last use is listed, and a refused call does not count', async () => {
    const [used, unused] = [await create({ name: 'Used' }), await create({ name: 'Unused' })];
    clock.nowMs += 5000;
    await call('GET', 'contacts', { token: used.secret });
    await call('GET', 'contacts', { token: `${unused.secret}x` });
    await server.app.flush();
    const { json } = await page.call('GET', 'secrets');
    const lastUsed = ({ id }: { id: string }) => json.data.find((each: { id: string }) => each.id === id).lastUsedAt;
    assert.equal(lastUsed(used), new Date(clock.nowMs).toISOString());
    assert.equal(lastUsed(unused), null);
  });
});
