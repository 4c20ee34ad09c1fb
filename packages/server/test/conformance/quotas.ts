// Conformance: how many there may be of a thing is kept within the transaction that makes one more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import {
  sampleAuditEntry,
  sampleBot,
  sampleContext,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleSession,
  sampleToken,
} from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';

export function testQuotas(engine: Engine): void {
  const start = shareStore(engine);
  const addOrganization = async () => {
    const { store } = await start();
    const organization = sampleOrganization();
    await store.createOrganization(organization, sampleContext());
    return { store, organizationId: organization.id };
  };

  test('an organization has as many bots as it may, whoever creates them at once', async () => {
    const { store, organizationId } = await addOrganization();
    const other = await addOrganization();
    const create = (id: string, max?: number) => store.createBot(sampleBot(id), max, sampleContext());
    assert.equal(await create(organizationId, 3), true);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => create(organizationId, 3)));
    assert.equal(outcomes.filter((isCreated) => isCreated).length, 2);
    assert.equal((await store.listBots(organizationId)).length, 3);
    assert.equal(await create(other.organizationId, 3), true, 'others have their own');
    assert.equal(await create(organizationId), true, 'without a limit');
    const bots = await store.listBots(organizationId);
    for (const { id } of bots.slice(0, 2)) await store.deleteBot(id, sampleContext());
    assert.equal(await create(organizationId, 3), true, 'a deleted one makes room');
  });

  test('a bot that is refused leaves no audit entry', async () => {
    const { store, organizationId } = await addOrganization();
    await store.createBot(sampleBot(organizationId), undefined, sampleContext());
    const entry = sampleAuditEntry(organizationId, { action: 'bot.create' });
    assert.equal(await store.createBot(sampleBot(organizationId), 1, sampleContext({ audit: { entry } })), false);
    assert.deepEqual((await store.listAudit(organizationId, { before: undefined, limit: 10 })).entries, []);
  });

  test('of secrets that are revoked or expired, as many are kept as may be active, those that were so last', async () => {
    const [{ store, organizationId }, other] = [await addOrganization(), await addOrganization()];
    const theirs = sampleSecret(other.organizationId, { revokedAtMs: 1 });
    await store.createSecret(theirs, 2, sampleContext());
    const ends = {
      active: {},
      'revoked last': { revokedAtMs: sampleNowMs },
      revoked: { revokedAtMs: 2 },
      'expired before the last': { expiresAtMs: 3 },
      expired: { expiresAtMs: 1 },
      'would expire later': { expiresAtMs: 2 * sampleNowMs, revokedAtMs: 1 },
      new: {},
    };
    for (const [at, [name, end]] of Object.entries(ends).entries()) {
      const secret = sampleSecret(organizationId, { id: makeId('secret', at), name, ...end });
      assert.equal(await store.createSecret(secret, 2, sampleContext()), true, name);
    }
    const listed = async (id: string) => (await store.listSecrets(id)).map(({ name }) => name);
    assert.deepEqual(await listed(organizationId), ['active', 'revoked last', 'expired before the last', 'new']);
    assert.deepEqual(await listed(other.organizationId), [theirs.name]);
  });

  test('an organization has as many active secrets as it may, whoever creates them at once', async () => {
    const { store, organizationId } = await addOrganization();
    const create = (changes = {}) => store.createSecret(sampleSecret(organizationId, changes), 2, sampleContext());
    assert.equal(await create({ expiresAtMs: sampleNowMs }), true);
    assert.equal(await create({ revokedAtMs: sampleNowMs }), true);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => create()));
    assert.equal(outcomes.filter((outcome) => outcome === true).length, 2);
    assert.deepEqual(await create(), { kind: 'limit_reached' });
    assert.equal((await store.listSecrets(organizationId)).length, 4);
  });

  test('an organization has as many open invitations as it may, whoever creates them at once', async () => {
    const { store, organizationId } = await addOrganization();
    const expired = sampleInvitation(organizationId, { expiresAtMs: sampleNowMs });
    await store.createInvitation(expired, sampleHash(), undefined, sampleContext());
    const again = sampleInvitation(organizationId);
    const invite = (invitation = sampleInvitation(organizationId)) =>
      store.createInvitation({ ...invitation, createdAtMs: sampleNowMs }, sampleHash(), 3, sampleContext());
    assert.equal(await invite(again), true);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => invite()));
    assert.equal(outcomes.filter((outcome) => outcome === true).length, 2);
    assert.deepEqual(await invite(), { kind: 'limit_reached' });
    assert.equal((await store.listInvitations(organizationId, sampleNowMs)).length, 3);
    const replacing = { ...sampleInvitation(organizationId), email: again.email, emailKey: again.emailKey };
    assert.equal(await invite(replacing), true, 'one that replaces another');
    await store.revokeInvitation(organizationId, replacing.id, sampleContext());
    assert.equal(await invite(), true, 'one that was withdrawn makes room');
  });

  test('of too many tokens of a contact the oldest go, whoever creates them at once', async () => {
    const { store, botId, create } = await start();
    const [contact, neighbour] = [await create(), await create()];
    const tokens = Array.from({ length: 8 }, (_, index) => sampleToken({ createdAtMs: sampleNowMs + index }));
    for (const token of tokens.slice(0, 5))
      await store.createContactToken(botId, contact.id, token, 5, sampleContext());
    await store.createContactToken(botId, neighbour.id, sampleToken(), 5, sampleContext());
    const live = async () => {
      const found = await Promise.all(tokens.map(({ hash }) => store.findVisitor(botId, hash)));
      return found.map((visitor) => visitor !== undefined);
    };
    assert.deepEqual(await live(), [true, true, true, true, true, false, false, false]);
    await Promise.all(
      tokens.slice(5).map((token) => store.createContactToken(botId, contact.id, token, 5, sampleContext())),
    );
    assert.deepEqual(await live(), [false, false, false, true, true, true, true, true]);
    const { tokens: others } = await store.listContactTokens(botId, neighbour.id, { nowMs: 0, limit: 10 });
    assert.equal(others.length, 1);
  });

  test('a hundredth of very many tokens goes at once', async () => {
    const { store, botId, create } = await start();
    const { id } = await create();
    const make = (index: number) =>
      store.createContactToken(botId, id, sampleToken({ createdAtMs: sampleNowMs + index }), 200, sampleContext());
    await Promise.all(Array.from({ length: 200 }, (_, index) => make(index)));
    const list = async () => (await store.listContactTokens(botId, id, { nowMs: 0, limit: 1000 })).tokens;
    assert.equal((await list()).length, 200);
    await make(200);
    const left = await list();
    assert.deepEqual([left.length, left[0]?.createdAtMs], [198, sampleNowMs + 3]);
  });

  test('of too many sessions of a member the oldest end', async () => {
    const { store, organizationId } = await addOrganization();
    const join = async () => {
      const [hash, session] = [sampleHash(), sampleSession()];
      await store.createInvitation(sampleInvitation(organizationId), hash, undefined, sampleContext());
      const joining = sampleJoining();
      const outcome = await store.acceptInvitation(hash, joining, session, sampleContext());
      assert.ok(outcome.kind === 'joined');
      return { member: outcome.member, passwordHash: joining.passwordHash, session };
    };
    const [one, other] = [await join(), await join()];
    const sessions = Array.from({ length: 4 }, (_, index) => sampleSession({ createdAtMs: sampleNowMs + 1 + index }));
    for (const session of sessions) {
      const proof = { passwordHash: one.passwordHash, sessionsMax: 3 };
      assert.equal(await store.createSession(one.member.id, session, proof, sampleContext()), true);
    }
    const hashes = [one.session, ...sessions, other.session].map(({ hash }) => hash);
    const found = await Promise.all(hashes.map((hash) => store.findSession(hash)));
    assert.deepEqual(
      found.map((session) => session !== undefined),
      [false, false, true, true, true, true],
    );
  });
}
