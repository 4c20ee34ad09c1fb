// Conformance: provisioning, which finds or creates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import type { Provisioning } from '../../src/store/tenants/provisioning.ts';
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
} from '../sample.ts';
import { type Engine, type OpenedStore, openStore, shareStore } from './engine.ts';

/** With new ids, as each caller has. */
function sampleProvisioning(name: string, changes: Partial<Provisioning> = {}, secretChanges = {}): Provisioning {
  const organization = sampleOrganization({ name });
  const bot = sampleBot(organization.id, { name: 'Shop' });
  const entry = (action: 'bot.create' | 'secret.create' | 'invitation.create') =>
    sampleAuditEntry(organization.id, { action });
  return {
    organization,
    bot,
    secret: sampleSecret(organization.id, { name: 'Setup', bots: [bot.id], ...secretChanges }),
    isNewSecret: true,
    invitation: {
      stored: sampleInvitation(organization.id, { email: 'dana@example.com', role: 'owner' }),
      hash: sampleHash(),
    },
    audit: { bot: entry('bot.create'), secret: entry('secret.create'), invitation: entry('invitation.create') },
    ...changes,
  };
}

async function provision(store: Store, wanted: Provisioning) {
  const outcome = await store.provision(wanted, sampleContext());
  assert.ok(outcome.kind === 'provisioned', JSON.stringify(outcome));
  return outcome;
}

/** Of each part whether it is new. */
function newnessOf({ organization, bot, secret, owner }: Awaited<ReturnType<typeof provision>>) {
  return [organization.isNew, bot.isNew, secret.isNew, owner?.isNew];
}

/** Invitations and entries of the first organization of this name, and all of the rest. */
async function countAll(store: Store, name: string) {
  const organizations = await store.listOrganizations();
  const id = organizations.find((organization) => organization.name === name)?.id ?? '';
  return {
    organizations: organizations.length,
    bots: (await store.listBots()).length,
    secrets: (await store.listSecrets()).length,
    invitations: (await store.listInvitations(id, sampleNowMs)).length,
    entries: (await store.listAudit(id, { before: undefined, limit: 100 })).entries.length,
  };
}

const allOnce = { organizations: 1, bots: 1, secrets: 1, invitations: 1, entries: 3 };

export function testProvisioning(engine: Engine): void {
  const start = shareStore(engine);
  /** With a name that no organization has, and how much more there is of everything since. */
  const prepare = async (opened?: OpenedStore) => {
    const { store } = opened ?? (await start());
    const { name } = sampleOrganization();
    const before: Record<string, number> = await countAll(store, name);
    return {
      store,
      name,
      sample: (changes?: Partial<Provisioning>, secretChanges?: object) =>
        sampleProvisioning(name, changes, secretChanges),
      async countNew() {
        const counts = Object.entries(await countAll(store, name));
        return Object.fromEntries(counts.map(([part, count]) => [part, count - (before[part] ?? 0)]));
      },
    };
  };

  test('of many callers at once one creates everything, and the others find it', async (t) => {
    const { store, sample, countNew } = await prepare(await openStore(t, engine));
    const callers = Array.from({ length: 12 }, () => sample());
    const outcomes = await Promise.all(callers.map((wanted) => provision(store, wanted)));
    const [creator, ...others] = outcomes.filter(({ organization }) => organization.isNew);
    assert.ok(creator !== undefined && others.length === 0);
    assert.deepEqual(newnessOf(creator), [true, true, true, true]);
    for (const outcome of outcomes) {
      assert.deepEqual(
        [outcome.organization.id, outcome.bot.id, outcome.secret.id],
        [creator.organization.id, creator.bot.id, creator.secret.id],
      );
    }
    assert.deepEqual(await countNew(), allOnce);
    const secret = (await store.listSecrets(creator.organization.id))[0];
    assert.deepEqual([secret?.name, secret?.bots], ['Setup', [creator.bot.id]]);
    const { entries } = await store.listAudit(creator.organization.id, { before: undefined, limit: 10 });
    assert.deepEqual(entries.map(({ action }) => action).toSorted(), [
      'bot.create',
      'invitation.create',
      'secret.create',
    ]);
  });

  test('a repeated call creates nothing, and one that wants more creates only that', async () => {
    const { store, sample, countNew } = await prepare();
    const first = sample({ invitation: undefined });
    assert.deepEqual(newnessOf(await provision(store, first)), [true, true, true, undefined]);
    const same = sample({ isNewSecret: false, invitation: undefined }, { hash: first.secret.hash });
    assert.deepEqual(newnessOf(await provision(store, same)), [false, false, false, undefined]);
    assert.deepEqual(newnessOf(await provision(store, sample())), [false, false, false, true]);
    assert.deepEqual(await countNew(), allOnce);
    const other = sample({ bot: sampleBot(first.organization.id, { name: 'Support' }) });
    assert.deepEqual(newnessOf(await provision(store, other)), [false, true, true, false]);
    assert.deepEqual(await countNew(), { ...allOnce, bots: 2, secrets: 2, entries: 5 });
  });

  test('a secret that is given is stored beside the one of an earlier call', async () => {
    const { store, sample } = await prepare();
    await provision(store, sample());
    const given = sample({ isNewSecret: false });
    assert.deepEqual(newnessOf(await provision(store, given)), [false, false, true, false]);
    assert.equal((await store.findSecret(given.secret.hash))?.id, given.secret.id);
  });

  test('a secret that was revoked, has expired or is for another bot is refused, and nothing is done', async () => {
    const { store, sample, countNew } = await prepare();
    const first = sample({ invitation: undefined });
    await provision(store, first);
    const before = await countNew();
    const again = (secretChanges: object, changes: Partial<Provisioning> = {}) =>
      store.provision(sample({ isNewSecret: false, ...changes }, secretChanges), sampleContext());
    const refused = { kind: 'refused', part: 'secret' };
    const { hash, id } = first.secret;
    const otherBot = sampleBot(first.organization.id, { name: 'Support' });
    assert.deepEqual(await again({ hash }, { bot: otherBot }), refused);
    assert.deepEqual(await again({ hash }, { organization: sampleOrganization({ name: 'Other' }) }), refused);
    const expired = sampleSecret(first.organization.id, { expiresAtMs: sampleNowMs });
    await store.createSecret(expired, undefined, sampleContext());
    assert.deepEqual(await again({ hash: expired.hash }), refused);
    assert.equal(await store.revokeSecret(id, sampleContext()), true);
    assert.deepEqual(await again({ hash }), refused);
    assert.deepEqual(await countNew(), { ...before, secrets: 2 });
    // The way out of it: another secret.
    assert.deepEqual(newnessOf(await provision(store, sample())), [false, false, true, true]);
  });

  test('a name that several organizations or bots have is refused, and nothing is done', async () => {
    const { store, name, sample, countNew } = await prepare();
    const { organization, bot } = await provision(store, sample());
    const twin = sampleBot(organization.id, { name: 'Shop' });
    await store.createBot(twin, undefined, sampleContext());
    assert.deepEqual(await store.provision(sample(), sampleContext()), { kind: 'refused', part: 'bot' });
    await store.deleteBot(twin.id, sampleContext());
    assert.equal((await provision(store, sample())).bot.id, bot.id, 'a deleted bot does not count');
    await store.createOrganization(sampleOrganization({ name }), sampleContext());
    assert.deepEqual(await store.provision(sample(), sampleContext()), { kind: 'refused', part: 'organization' });
    assert.equal((await countNew())['secrets'], 1);
  });

  test('a member keeps their role, and an invitation that has expired makes room for another', async () => {
    const { store, sample } = await prepare();
    const first = sample();
    await provision(store, first);
    const open = await provision(store, sample());
    const expiresAtMs = first.invitation?.stored.expiresAtMs ?? 0;
    assert.deepEqual(open.owner, { role: 'owner', isNew: false, expiresAtMs });
    const later = sampleInvitation(first.organization.id, {
      email: 'DANA@example.com',
      role: 'owner',
      createdAtMs: expiresAtMs,
      expiresAtMs: expiresAtMs + 1000,
    });
    const hash = sampleHash();
    const renewed = await provision(store, sample({ invitation: { stored: later, hash } }));
    assert.deepEqual(renewed.owner, { role: 'owner', isNew: true, expiresAtMs: later.expiresAtMs });
    const other = sampleHash();
    await store.createInvitation(
      sampleInvitation(first.organization.id, { email: 'joe@example.com', role: 'viewer' }),
      other,
      undefined,
      sampleContext(),
    );
    assert.equal(
      (await store.acceptInvitation(other, sampleJoining(), sampleSession(), sampleContext())).kind,
      'joined',
    );
    const stored = sampleInvitation(first.organization.id, { email: 'Joe@example.com', role: 'owner' });
    const found = await provision(store, sample({ invitation: { stored, hash: sampleHash() } }));
    assert.deepEqual(found.owner, { role: 'viewer', isNew: false, expiresAtMs: undefined });
  });
}
