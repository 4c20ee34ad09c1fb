// Conformance: what secrets may do, which secrets were created with which, and what ends together with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionNames } from '@roster/contract';
import type { Secret, Store } from '../../src/store/store.ts';
import {
  keepSecrets,
  sampleBot,
  sampleContext,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleSession,
} from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';

const laterMs = sampleNowMs + 1000;

export function testSecretScopes(engine: Engine): void {
  const start = shareStore(engine);

  async function prepare() {
    const { store } = await start();
    const { id: organizationId } = await addOrganization(store);
    const add = async (changes: Partial<Secret> = {}) => {
      const secret = sampleSecret(organizationId, changes);
      assert.equal(await store.createSecret(secret, undefined, sampleContext()), true);
      return secret;
    };
    const revokedAt = async ({ hash }: Secret) => (await store.findSecret(hash))?.revokedAtMs;
    return { store, organizationId, add, revokedAt };
  }

  test('a secret keeps its permissions, its bots and its creator; no bot is not the same as all bots', async () => {
    const { store, organizationId, add } = await prepare();
    const bots = [sampleBot(organizationId).id, sampleBot(organizationId).id];
    const scopes = [
      { permissions: permissionNames, bots: undefined },
      { permissions: ['account:read'] as const, bots },
      { permissions: [], bots: [] },
    ];
    const [invitation, joining] = [sampleHash(), sampleJoining()];
    await store.createInvitation(
      sampleInvitation(organizationId, { role: 'owner' }),
      invitation,
      undefined,
      sampleContext(),
    );
    await store.acceptInvitation(invitation, joining, sampleSession(), sampleContext());
    for (const scope of scopes) {
      const { hash, ...state } = await add({ ...scope, createdBy: 'Zoë', creatorId: joining.id });
      const { hash: _, ...found } = (await store.findSecret(hash)) as Secret;
      assert.deepEqual(found, state);
      assert.deepEqual(
        (await store.listSecrets(organizationId)).find(({ id }) => id === state.id),
        state,
      );
    }
  });

  test('the list of bots stays as it is when one of them is deleted', async () => {
    const { store, organizationId, add } = await prepare();
    const bot = sampleBot(organizationId);
    await store.createBot(bot, undefined, sampleContext());
    const { hash } = await add({ bots: [bot.id] });
    await store.deleteBot(bot.id, sampleContext({ nowMs: laterMs }));
    assert.deepEqual((await store.findSecret(hash))?.bots, [bot.id]);
  });

  test('a secret is revoked with all that were created with it, at any depth, and with no other', async () => {
    const { store, add, revokedAt } = await prepare();
    const parent = await add();
    const [child, other] = [await add({ parentId: parent.id }), await add()];
    const [grandchild, gone] = [await add({ parentId: child.id }), await add({ parentId: child.id })];
    await store.revokeSecret(gone.id, sampleContext());
    assert.equal(await store.revokeSecret(child.id, sampleContext({ nowMs: laterMs })), true);
    assert.deepEqual(await Promise.all([parent, other].map(revokedAt)), [undefined, undefined]);
    assert.deepEqual(await Promise.all([child, grandchild].map(revokedAt)), [laterMs, laterMs]);
    assert.equal(await revokedAt(gone), sampleNowMs);
    assert.equal(await store.revokeSecret(parent.id, sampleContext({ nowMs: laterMs + 1 })), true);
    assert.equal(await revokedAt(grandchild), laterMs);
  });

  test('no secret is created with one that is revoked or does not exist', async () => {
    const { store, organizationId, add } = await prepare();
    const parent = await add();
    await store.revokeSecret(parent.id, sampleContext({ nowMs: laterMs }));
    for (const parentId of [parent.id, sampleSecret(organizationId).id]) {
      const child = sampleSecret(organizationId, { parentId });
      assert.deepEqual(await store.createSecret(child, undefined, sampleContext()), { kind: 'not_allowed' });
      assert.equal(await store.findSecret(child.hash), undefined);
    }
  });

  test('no secret outlives the one that it was created with, however both happen at once', async () => {
    const { store, organizationId, add, revokedAt } = await prepare();
    for (let round = 0; round < 10; round++) {
      const parent = await add();
      const children = Array.from({ length: 6 }, () => sampleSecret(organizationId, { parentId: parent.id }));
      const creating = (some: Secret[]) => some.map((child) => store.createSecret(child, undefined, sampleContext()));
      const early = creating(children.slice(0, 3));
      const revoking = store.revokeSecret(parent.id, sampleContext({ nowMs: laterMs }));
      await Promise.all([...early, revoking, ...creating(children.slice(3))]);
      for (const child of children) {
        const found = await store.findSecret(child.hash);
        assert.ok(found === undefined || (await revokedAt(child)) === laterMs);
      }
    }
  });

  test('removing a member revokes the secrets that they created, and those created with them, if asked to', async () => {
    const { store, organizationId, add, revokedAt } = await prepare();
    const join = async () => {
      const [hash, joining] = [sampleHash(), sampleJoining()];
      await store.createInvitation(
        sampleInvitation(organizationId, { role: 'owner' }),
        hash,
        undefined,
        sampleContext(),
      );
      await store.acceptInvitation(hash, joining, sampleSession(), sampleContext());
      return joining.id;
    };
    const [first, second] = [await join(), await join(), await join()];
    const [own, kept, others] = [await add({ creatorId: first }), await add({ creatorId: second }), await add()];
    const child = await add({ parentId: own.id });
    assert.equal((await store.removeMember(organizationId, second, keepSecrets, sampleContext())).kind, 'done');
    assert.equal(await revokedAt(kept), undefined);
    const revoking = { revokeSecretsAtMs: laterMs };
    assert.equal((await store.removeMember(organizationId, first, revoking, sampleContext())).kind, 'done');
    assert.deepEqual(await Promise.all([own, child].map(revokedAt)), [laterMs, laterMs]);
    assert.deepEqual(await Promise.all([kept, others].map(revokedAt)), [undefined, undefined]);
  });

  test('a removal that is refused revokes nothing', async () => {
    const { store, organizationId, add, revokedAt } = await prepare();
    const [hash, joining] = [sampleHash(), sampleJoining()];
    await store.createInvitation(sampleInvitation(organizationId, { role: 'owner' }), hash, undefined, sampleContext());
    await store.acceptInvitation(hash, joining, sampleSession(), sampleContext());
    const own = await add({ creatorId: joining.id });
    const revoking = { revokeSecretsAtMs: laterMs };
    assert.deepEqual(await store.removeMember(organizationId, joining.id, revoking, sampleContext()), {
      kind: 'last_owner',
    });
    assert.equal(await revokedAt(own), undefined);
  });

  test('the open invitations of a secret end with it, and with the one that it was created with', async () => {
    const { store, organizationId, add } = await prepare();
    const parent = await add();
    const [child, other] = [await add({ parentId: parent.id }), await add()];
    const invite = async ({ id, name }: Secret) => {
      const hash = sampleHash();
      const invitation = sampleInvitation(organizationId, { invitedBy: { kind: 'secret', id, name } });
      assert.ok(await store.createInvitation(invitation, hash, undefined, sampleContext()));
      return { hash, invitation };
    };
    const [ended, open] = [await invite(child), await invite(other)];
    const listed = await store.listInvitations(organizationId, sampleNowMs);
    assert.deepEqual(
      listed.map(({ invitedBy }) => invitedBy).toSorted((a, b) => (a?.id ?? '').localeCompare(b?.id ?? '')),
      [ended, open]
        .map(({ invitation }) => invitation.invitedBy)
        .toSorted((a, b) => (a?.id ?? '').localeCompare(b?.id ?? '')),
    );
    await store.revokeSecret(parent.id, sampleContext());
    assert.equal(await store.findLink(ended.hash, sampleNowMs), undefined);
    assert.equal(
      (await store.acceptInvitation(ended.hash, sampleJoining(), sampleSession(), sampleContext())).kind,
      'missing',
    );
    assert.equal(
      (await store.acceptInvitation(open.hash, sampleJoining(), sampleSession(), sampleContext())).kind,
      'joined',
    );
  });
}

async function addOrganization(store: Store) {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  return organization;
}
