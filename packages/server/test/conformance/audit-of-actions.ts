// Conformance: a write that is given an audit entry leaves it in its own transaction. An action that is done leaves
// exactly one entry; one that is refused, or whose entry cannot be written, leaves neither entry nor change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@roster/contract';
import { lowestId, makeId } from '../../src/contacts/ids.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { AuditRecord } from '../../src/store/account/account-store.ts';
import type { Store } from '../../src/store/store.ts';
import { takeWebhooks } from '../leases.ts';
import {
  keepSecrets,
  sampleAuditEntry,
  sampleBot,
  sampleContext,
  sampleFields,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleSession,
  sampleToken,
  sampleWebhook,
  withKey,
} from '../sample.ts';
import { newAttribute, sampleSegment } from './attributes.ts';
import { type Engine, openStore, shareStore, type TestBot } from './engine.ts';
import { addDeliveries, addWebhook } from './webhooks.ts';

type Fixture = Awaited<ReturnType<typeof prepare>>;

/** An organization with a bot, a secret, an owner and a member, and everything that an action of the port needs. */
async function prepare({ store, botId }: TestBot) {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const organizationId = organization.id;
  const secret = sampleSecret(organizationId);
  await store.createSecret(secret, undefined, sampleContext());
  const [fields, otherFields] = [sampleFields(), sampleFields()];
  const created = await store.createContact(botId, fields, sampleContext());
  await store.createContact(botId, otherFields, sampleContext());
  assert.ok(created.kind === 'created');
  const join = async (role: 'owner' | 'member') => {
    const [hash, joining, session] = [sampleHash(), sampleJoining(), sampleSession()];
    await store.createInvitation(sampleInvitation(organizationId, { role }), hash, undefined, sampleContext());
    const joined = await store.acceptInvitation(hash, joining, session, sampleContext());
    assert.ok(joined.kind === 'joined');
    return { ...joined.member, passwordHash: joining.passwordHash, session };
  };
  const [owner, member] = [await join('owner'), await join('member')];
  const invite = async (changes = {}) => {
    const [invitation, hash] = [sampleInvitation(organizationId, changes), sampleHash()];
    assert.ok(await store.createInvitation(invitation, hash, undefined, sampleContext()));
    return { ...invitation, hash };
  };
  const audit = (): AuditRecord => ({ entry: sampleAuditEntry(organizationId) });
  const contactId = created.contact.id;
  return { store, organizationId, botId, secret, fields, otherFields, contactId, owner, member, invite, audit };
}

type Action = (fixture: Fixture, audit: AuditRecord) => Promise<unknown>;

const later = sampleNowMs + 1000;
const missingContact = makeId('contact', 1);
const missingMember = makeId('member', 1);

/** Every write of the port that takes an audit entry, in ways in which it happens and in which it is refused. */
const actions: Record<string, { done: Action; refused: Record<string, Action> }> = {
  renameOrganization: {
    done: ({ store, organizationId }, audit) =>
      store.renameOrganization(organizationId, 'New', sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) =>
        store.renameOrganization(makeId('organization', 1), 'New', sampleContext({ audit })),
    },
  },
  updateOrganizationSettings: {
    done: ({ store, organizationId }, audit) =>
      store.updateOrganizationSettings(organizationId, { membersMayManageWebhooks: true }, sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) =>
        store.updateOrganizationSettings(
          makeId('organization', 1),
          { membersMayManageWebhooks: true },
          sampleContext({ audit }),
        ),
    },
  },
  createBot: {
    done: ({ store, organizationId }, audit) =>
      store.createBot(sampleBot(organizationId), undefined, sampleContext({ audit })),
    refused: {},
  },
  updateBot: {
    done: ({ store, botId }, audit) => store.updateBot(botId, { name: 'New' }, sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) => store.updateBot(makeId('bot', 1), { name: 'New' }, sampleContext({ audit })),
    },
  },
  deleteBot: {
    done: ({ store, botId }, audit) => store.deleteBot(botId, sampleContext({ nowMs: later, audit })),
    refused: {
      missing: ({ store }, audit) => store.deleteBot(makeId('bot', 1), sampleContext({ nowMs: later, audit })),
    },
  },
  createSecret: {
    done: ({ store, organizationId }, audit) =>
      store.createSecret(sampleSecret(organizationId), undefined, sampleContext({ audit })),
    refused: {
      'parent revoked': async ({ store, organizationId, secret }, audit) => {
        assert.equal(await store.revokeSecret(secret.id, sampleContext({ nowMs: later })), true);
        return store.createSecret(
          sampleSecret(organizationId, { parentId: secret.id }),
          undefined,
          sampleContext({ audit }),
        );
      },
    },
  },
  renameSecret: {
    done: ({ store, secret }, audit) => store.renameSecret(secret.id, 'New', sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) => store.renameSecret(makeId('secret', 1), 'New', sampleContext({ audit })),
    },
  },
  revokeSecret: {
    done: ({ store, secret }, audit) => store.revokeSecret(secret.id, sampleContext({ nowMs: later, audit })),
    refused: {
      'revoked already': async ({ store, secret }, audit) => {
        assert.equal(await store.revokeSecret(secret.id, sampleContext({ nowMs: later })), true);
        return store.revokeSecret(secret.id, sampleContext({ nowMs: later, audit }));
      },
    },
  },
  createContact: {
    done: ({ store, botId }, audit) =>
      store.createContact(botId, sampleFields(), sampleContext({ nowMs: later, audit })),
    refused: {
      'email taken': ({ store, botId, fields }, audit) =>
        store.createContact(botId, fields, sampleContext({ nowMs: later, audit })),
      'no such bot': ({ store }, audit) =>
        store.createContact(makeId('bot', 1), sampleFields(), sampleContext({ nowMs: later, audit })),
      'undefined attribute': ({ store, botId }, audit) =>
        store.createContact(
          botId,
          sampleFields({ attributes: { 1000000: 'x' } }),
          sampleContext({ nowMs: later, audit }),
        ),
    },
  },
  updateContact: {
    done: ({ store, botId, contactId }, audit) =>
      store.updateContact(botId, contactId, { name: 'New' }, sampleContext({ nowMs: later, audit })),
    refused: {
      missing: ({ store, botId }, audit) =>
        store.updateContact(botId, missingContact, { name: 'New' }, sampleContext({ nowMs: later, audit })),
      'email taken': ({ store, botId, contactId, otherFields: { email, emailKey } }, audit) =>
        store.updateContact(botId, contactId, { email, emailKey }, sampleContext({ nowMs: later, audit })),
      'undefined attribute': ({ store, botId, contactId }, audit) =>
        store.updateContact(botId, contactId, { attributes: { 1000000: 'x' } }, sampleContext({ nowMs: later, audit })),
    },
  },
  upsertContacts: {
    done: ({ store, botId, fields }, audit) =>
      store.upsertContacts(botId, [fields, sampleFields()], sampleContext({ nowMs: later, audit })),
    refused: {
      nameless: ({ store, botId }, audit) =>
        store.upsertContacts(
          botId,
          [withKey({ email: 'nameless@example.com' })],
          sampleContext({ nowMs: later, audit }),
        ),
      'no such bot': ({ store, fields }, audit) =>
        store.upsertContacts(makeId('bot', 1), [fields], sampleContext({ nowMs: later, audit })),
    },
  },
  deleteContact: {
    done: ({ store, botId, contactId }, audit) => store.deleteContact(botId, contactId, sampleContext({ audit })),
    refused: {
      missing: ({ store, botId }, audit) => store.deleteContact(botId, missingContact, sampleContext({ audit })),
    },
  },
  deleteContacts: {
    done: ({ store, botId, contactId }, audit) =>
      store.deleteContacts(botId, [contactId, missingContact], sampleContext({ audit })),
    refused: {
      missing: ({ store, botId }, audit) => store.deleteContacts(botId, [missingContact], sampleContext({ audit })),
      'no such bot': ({ store, contactId }, audit) =>
        store.deleteContacts(makeId('bot', 1), [contactId], sampleContext({ audit })),
      'no contact is named': ({ store, botId }, audit) => store.deleteContacts(botId, [], sampleContext({ audit })),
    },
  },
  defineAttribute: {
    done: ({ store, botId }, audit) => store.defineAttribute(botId, newAttribute('plan'), sampleContext({ audit })),
    refused: {
      'no such bot': ({ store }, audit) =>
        store.defineAttribute(makeId('bot', 1), newAttribute('plan'), sampleContext({ audit })),
      'another type': async ({ store, botId }, audit) => {
        await store.defineAttribute(botId, newAttribute('plan', 'date'), sampleContext());
        return store.defineAttribute(botId, newAttribute('plan'), sampleContext({ audit }));
      },
    },
  },
  deleteAttribute: {
    async done({ store, botId }, audit) {
      await store.defineAttribute(botId, newAttribute('plan'), sampleContext());
      return store.deleteAttribute(botId, 'plan', sampleContext({ audit }));
    },
    refused: { missing: ({ store, botId }, audit) => store.deleteAttribute(botId, 'plan', sampleContext({ audit })) },
  },
  renameTag: {
    async done({ store, botId, contactId }, audit) {
      await store.updateContact(botId, contactId, { tags: { set: [toTag('vip')] } }, sampleContext({ nowMs: later }));
      return store.renameTag(botId, 'vip', toTag('lead'), sampleContext({ audit }));
    },
    refused: {
      missing: ({ store, botId }, audit) => store.renameTag(botId, 'vip', toTag('lead'), sampleContext({ audit })),
      'name taken': async ({ store, botId, contactId }, audit) => {
        await store.updateContact(
          botId,
          contactId,
          { tags: { set: [toTag('vip'), toTag('lead')] } },
          sampleContext({ nowMs: later }),
        );
        return store.renameTag(botId, 'vip', toTag('Lead'), sampleContext({ audit }));
      },
    },
  },
  deleteTag: {
    async done({ store, botId, contactId }, audit) {
      await store.updateContact(botId, contactId, { tags: { set: [toTag('vip')] } }, sampleContext({ nowMs: later }));
      return store.deleteTag(botId, 'vip', sampleContext({ audit }));
    },
    refused: { missing: ({ store, botId }, audit) => store.deleteTag(botId, 'vip', sampleContext({ audit })) },
  },
  defineSegment: {
    done: ({ store, botId }, audit) => store.defineSegment(botId, sampleSegment('large'), sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) =>
        store.defineSegment(makeId('bot', 1), sampleSegment('large'), sampleContext({ audit })),
      'too many': async ({ store, botId }, audit) => {
        for (let count = 0; count < limits.segmentsPerBot; count++) {
          await store.defineSegment(botId, sampleSegment(`s${count}`), sampleContext());
        }
        return store.defineSegment(botId, sampleSegment('more'), sampleContext({ audit }));
      },
    },
  },
  deleteSegment: {
    async done({ store, botId }, audit) {
      await store.defineSegment(botId, sampleSegment('large'), sampleContext());
      return store.deleteSegment(botId, 'large', sampleContext({ audit }));
    },
    refused: { missing: ({ store, botId }, audit) => store.deleteSegment(botId, 'large', sampleContext({ audit })) },
  },
  createWebhook: {
    done: ({ store, botId }, audit) => store.createWebhook(botId, sampleWebhook(), 20, sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) =>
        store.createWebhook(makeId('bot', 1), sampleWebhook(), 20, sampleContext({ audit })),
      'too many': ({ store, botId }, audit) => store.createWebhook(botId, sampleWebhook(), 0, sampleContext({ audit })),
    },
  },
  updateWebhook: {
    done: async (fixture, audit) =>
      fixture.store.updateWebhook(
        fixture.botId,
        (await addWebhook(fixture)).id,
        { description: 'New' },
        sampleContext({ nowMs: later, audit }),
      ),
    refused: {
      missing: ({ store, botId }, audit) =>
        store.updateWebhook(botId, makeId('webhook', 1), {}, sampleContext({ nowMs: later, audit })),
    },
  },
  deleteWebhook: {
    done: async (fixture, audit) =>
      fixture.store.deleteWebhook(fixture.botId, (await addWebhook(fixture)).id, sampleContext({ audit })),
    refused: {
      missing: ({ store, botId }, audit) => store.deleteWebhook(botId, makeId('webhook', 1), sampleContext({ audit })),
    },
  },
  replayEvents: {
    done: async (fixture, audit) =>
      fixture.store.replayEvents(fixture.botId, (await addWebhook(fixture)).id, undefined, sampleContext({ audit })),
    refused: {
      missing: ({ store, botId }, audit) =>
        store.replayEvents(botId, makeId('webhook', 1), 0, sampleContext({ audit })),
    },
  },
  skipDelivery: {
    async done(fixture, audit) {
      const { store, botId, webhookId, events } = await addDeliveries(fixture);
      return store.skipDelivery(botId, webhookId, events[0]?.id as string, sampleContext({ audit }));
    },
    refused: {
      missing: async (fixture, audit) => {
        const { id } = await addWebhook(fixture);
        return fixture.store.skipDelivery(fixture.botId, id, makeId('event', 1), sampleContext({ audit }));
      },
    },
  },
  saveAttempts: {
    async done(fixture, audit) {
      const { store, botId } = fixture;
      const { id } = await addWebhook(fixture);
      await takeWebhooks(store, botId, 'deliverer');
      const results = { owner: 'deliverer', attempts: [], failingSinceMs: null };
      return store.saveAttempts(botId, id, results, sampleContext({ audit }));
    },
    refused: {
      'no owner': async (fixture, audit) => {
        const results = { owner: 'deliverer', attempts: [], failingSinceMs: null };
        return fixture.store.saveAttempts(
          fixture.botId,
          (await addWebhook(fixture)).id,
          results,
          sampleContext({ audit }),
        );
      },
    },
  },
  revokeContactToken: {
    async done({ store, botId, contactId }, audit) {
      const token = sampleToken();
      await store.createContactToken(botId, contactId, token, undefined, sampleContext());
      return store.revokeContactToken(botId, token.hash, sampleContext({ audit }));
    },
    refused: {
      missing: ({ store, botId }, audit) => store.revokeContactToken(botId, sampleHash(), sampleContext({ audit })),
    },
  },
  revokeContactTokens: {
    async done({ store, botId, contactId }, audit) {
      await store.createContactToken(botId, contactId, sampleToken(), undefined, sampleContext());
      return store.revokeContactTokens(botId, contactId, sampleContext({ audit }));
    },
    refused: {
      missing: ({ store, botId }, audit) => store.revokeContactTokens(botId, missingContact, sampleContext({ audit })),
    },
  },
  changeRole: {
    done: ({ store, organizationId, member }, audit) =>
      store.changeRole(organizationId, member.id, { role: 'owner' }, sampleContext({ audit })),
    refused: {
      missing: ({ store, organizationId }, audit) =>
        store.changeRole(organizationId, missingMember, { role: 'owner' }, sampleContext({ audit })),
      'last owner': ({ store, organizationId, owner }, audit) =>
        store.changeRole(organizationId, owner.id, { role: 'member' }, sampleContext({ audit })),
    },
  },
  removeMember: {
    done: ({ store, organizationId, member }, audit) =>
      store.removeMember(organizationId, member.id, keepSecrets, sampleContext({ audit })),
    refused: {
      missing: ({ store, organizationId }, audit) =>
        store.removeMember(organizationId, missingMember, keepSecrets, sampleContext({ audit })),
      'last owner': ({ store, organizationId, owner }, audit) =>
        store.removeMember(organizationId, owner.id, keepSecrets, sampleContext({ audit })),
    },
  },
  createSession: {
    done: ({ store, member }, audit) =>
      store.createSession(member.id, sampleSession(), { passwordHash: member.passwordHash }, sampleContext({ audit })),
    refused: {
      'another password': ({ store, member }, audit) =>
        store.createSession(member.id, sampleSession(), { passwordHash: 'another' }, sampleContext({ audit })),
    },
  },
  endSession: {
    done: ({ store, member }, audit) => store.endSession(member.session.hash, sampleContext({ audit })),
    refused: {},
  },
  endSessions: {
    done: ({ store, member }, audit) => store.endSessions(member.id, undefined, sampleContext({ audit })),
    refused: {},
  },
  changePassword: {
    done: ({ store, member }, audit) =>
      store.changePassword(
        member.id,
        { from: member.passwordHash, to: 'new' },
        sampleSession(),
        sampleContext({ audit }),
      ),
    refused: {
      'another password': ({ store, member }, audit) =>
        store.changePassword(member.id, { from: 'another', to: 'new' }, sampleSession(), sampleContext({ audit })),
    },
  },
  createInvitation: {
    done: ({ store, organizationId }, audit) =>
      store.createInvitation(sampleInvitation(organizationId), sampleHash(), undefined, sampleContext({ audit })),
    refused: {
      'email of a member': ({ store, organizationId, member: { email } }, audit) =>
        store.createInvitation(
          sampleInvitation(organizationId, { email }),
          sampleHash(),
          undefined,
          sampleContext({ audit }),
        ),
    },
  },
  revokeInvitation: {
    async done({ store, organizationId, invite }, audit) {
      const { id } = await invite();
      return store.revokeInvitation(organizationId, id, sampleContext({ nowMs: later, audit }));
    },
    refused: {
      missing: ({ store, organizationId }, audit) =>
        store.revokeInvitation(organizationId, makeId('invitation', 1), sampleContext({ nowMs: later, audit })),
    },
  },
  createPasswordReset: {
    done: ({ store, member }, audit) => store.createPasswordReset(member.id, sampleSession(), sampleContext({ audit })),
    refused: {
      missing: ({ store }, audit) =>
        store.createPasswordReset(missingMember, sampleSession(), sampleContext({ audit })),
    },
  },
  acceptInvitation: {
    async done({ store, invite }, audit) {
      const { hash } = await invite();
      return store.acceptInvitation(hash, sampleJoining(), sampleSession(), sampleContext({ audit }));
    },
    refused: {
      missing: ({ store }, audit) =>
        store.acceptInvitation(sampleHash(), sampleJoining(), sampleSession(), sampleContext({ audit })),
    },
  },
  resetPassword: {
    async done({ store, member }, audit) {
      const link = sampleSession();
      await store.createPasswordReset(member.id, link, sampleContext());
      return store.resetPassword(link.hash, 'new', sampleSession(), sampleContext({ audit }));
    },
    refused: {
      missing: ({ store }, audit) =>
        store.resetPassword(sampleHash(), 'new', sampleSession(), sampleContext({ audit })),
    },
  },
};

const entriesOf = async (store: Store, organizationId: string) =>
  (await store.listAudit(organizationId, { before: undefined, limit: 100 })).entries;

export function testAuditOfActions(engine: Engine): void {
  const start = shareStore(engine);
  const open = async () => prepare(await start());

  for (const [name, { done, refused }] of Object.entries(actions)) {
    test(`${name} leaves its audit entry when it is done`, async () => {
      const fixture = await open();
      const audit = fixture.audit();
      await done(fixture, audit);
      assert.deepEqual(await entriesOf(fixture.store, fixture.organizationId), [audit.entry]);
    });

    for (const [reason, act] of Object.entries(refused)) {
      test(`${name} leaves no audit entry when it is refused: ${reason}`, async () => {
        const fixture = await open();
        await act(fixture, fixture.audit());
        assert.deepEqual(await entriesOf(fixture.store, fixture.organizationId), []);
      });
    }
  }

  test('the audit entry of a deletion of many counts those that were deleted', async () => {
    const { store, organizationId, botId, contactId, otherFields, audit } = await open();
    const other = await store.findContactByEmail(botId, otherFields.emailKey);
    const ids = [contactId, missingContact, other?.id ?? '', contactId];
    assert.deepEqual(await store.deleteContacts(botId, ids, sampleContext({ audit: audit() })), [
      true,
      false,
      true,
      false,
    ]);
    assert.deepEqual(
      (await entriesOf(store, organizationId)).map(({ count }) => count),
      [2],
    );
  });

  test('createFirstOwner leaves its audit entry when it is done, and none when it is refused', async (t) => {
    const { store } = await openStore(t, engine);
    const organization = sampleOrganization();
    await store.createOrganization(organization, sampleContext());
    const codeHash = sampleHash();
    await store.keepSetUpCode(codeHash, sampleContext());
    const first = () => ({ ...sampleJoining(), ...withKey({ email: 'owner@example.com' }), session: sampleSession() });
    const [refused, done] = [sampleAuditEntry(organization.id), sampleAuditEntry(organization.id)];
    const organizationName = 'Example Ltd';
    await store.createFirstOwner(
      { ...first(), codeHash: sampleHash(), organizationName },
      sampleContext({ audit: { entry: refused } }),
    );
    await store.createFirstOwner({ ...first(), codeHash, organizationName }, sampleContext({ audit: { entry: done } }));
    await store.createFirstOwner(
      { ...first(), codeHash, organizationName },
      sampleContext({ audit: { entry: refused } }),
    );
    assert.deepEqual(await entriesOf(store, organization.id), [done]);
  });

  test('an action is not done when its audit entry cannot be written', async () => {
    const fixture = await open();
    const { store, organizationId, botId, member, contactId } = fixture;
    // No entry can be of an organization that does not exist.
    const unwritable = () => ({ entry: sampleAuditEntry(makeId('organization', 1)) });
    const before = await store.findContact(botId, contactId);
    await assert.rejects(
      store.updateContact(botId, contactId, { name: 'New' }, sampleContext({ nowMs: later, audit: unwritable() })),
    );
    await assert.rejects(store.deleteContact(botId, contactId, sampleContext({ audit: unwritable() })));
    await assert.rejects(
      store.createContact(botId, sampleFields(), sampleContext({ nowMs: later, audit: unwritable() })),
    );
    await assert.rejects(
      store.removeMember(organizationId, member.id, keepSecrets, sampleContext({ audit: unwritable() })),
    );
    assert.deepEqual(await store.findContact(botId, contactId), before);
    assert.equal(await store.countContacts(botId), 2);
    assert.equal((await store.listMembers(organizationId)).length, 2);
  });

  test('actions at once that merge their audit entries are counted once each, and refused ones not at all', async () => {
    const { store, organizationId, botId, fields } = await open();
    const merge = { from: lowestId('auditEntry', (sampleNowMs - 1000) * 1000) };
    const create = (contact = sampleFields()) =>
      store.createContact(
        botId,
        contact,
        sampleContext({ nowMs: later, audit: { entry: sampleAuditEntry(organizationId), merge } }),
      );
    await Promise.all([create(), create(fields), create(), create(fields), create()]);
    assert.deepEqual(
      (await entriesOf(store, organizationId)).map(({ count }) => count),
      [3],
    );
  });
}
