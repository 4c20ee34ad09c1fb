// A connection that breaks around the COMMIT of a write: the write is done once, and answered as done.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { lowestId, makeId } from '../../src/contacts/ids.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { AuditEntry, AuditRecord } from '../../src/store/account/account-store.ts';
import { isRefused } from '../../src/store/account/audit-sql.ts';
import type { Store } from '../../src/store/store.ts';
import {
  keepSecrets,
  noContactValues,
  sampleAuditEntry,
  sampleBot,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleNowMs,
  sampleSecret,
  sampleSession,
  sampleToken,
  withKey,
} from '../sample.ts';
import { prepareBreakingStore } from './breaking-store.ts';

const laterMs = sampleNowMs + 60_000;

suite('a write whose connection breaks', () => {
  const on = prepareBreakingStore();

  const moments = {
    'after its COMMIT was carried out': { at: 'COMMIT', when: 'after' },
    'before its COMMIT reaches the database': { at: 'COMMIT', when: 'before' },
  } as const;

  for (const [moment, next] of Object.entries(moments)) {
    suite(moment, () => {
      test('a create is done once and answered with the contact', async () => {
        const { botId, exportAll } = await on.addBot();
        const outcome = await on.breaking(next, () => on.store.createContact(botId, sampleFields(), sampleContext()));
        assert.ok(outcome.kind === 'created', outcome.kind);
        assert.deepEqual(await exportAll(), [outcome.contact]);
        await on.assertCounted(botId, 1);
      });

      test('creates that share the transaction are done once and answered with the contacts', async () => {
        const { botId, exportAll } = await on.addBot();
        let nowMs = sampleNowMs;
        const create = () => on.store.createContact(botId, sampleFields(), sampleContext({ nowMs: nowMs++ }));
        for (let before = 0; before < 3; before++) await create();
        const outcomes = await on.breaking(next, () => Promise.all([create(), create()]));
        const contacts = outcomes.map((outcome) => outcome.kind === 'created' && outcome.contact);
        assert.deepEqual((await exportAll()).slice(3), contacts);
        await on.assertCounted(botId, 5);
        await create();
        await on.assertCounted(botId, 6);
      });

      test('an upsert is done once and answered with the ids', async () => {
        const { botId, create, exportAll } = await on.addBot();
        const known = await create();
        const items = [sampleFields(), { ...withKey({ email: known.email }), name: 'Renamed' }, sampleFields()];
        const outcome = await on.breaking(next, () =>
          on.store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs })),
        );
        const all = await exportAll();
        const outcomes = ['created', 'updated', 'created'];
        assert.deepEqual(outcome, { kind: 'upserted', ids: [all[1]?.id, known.id, all[2]?.id], outcomes });
        assert.equal(all[0]?.updatedAt, new Date(laterMs).toISOString(), 'moved once');
        await on.assertCounted(botId, 3);
      });

      test('an upsert that creates nothing says what it updated', async () => {
        const { botId, create } = await on.addBot();
        const [one, other] = [await create(), await create()];
        const items = [{ ...withKey({ email: one.email }), name: 'Renamed' }, withKey({ email: other.email })];
        const outcome = await on.breaking(next, () =>
          on.store.upsertContacts(botId, items, sampleContext({ nowMs: laterMs })),
        );
        assert.deepEqual(outcome, { kind: 'upserted', ids: [one.id, other.id], outcomes: ['updated', 'unchanged'] });
      });

      test('an update is done once and answered with the contact', async () => {
        const { botId, create, exportAll } = await on.addBot();
        const { id } = await create();
        const changes = withKey({ email: 'new@example.com', name: 'New' });
        const outcome = await on.breaking(next, () =>
          on.store.updateContact(botId, id, changes, sampleContext({ nowMs: laterMs })),
        );
        const [contact] = await exportAll();
        assert.deepEqual(outcome, { kind: 'updated', contact, values: noContactValues });
        assert.ok(outcome.kind === 'updated' && outcome.contact.name === 'New');
      });

      test('an update and a deletion of one version are answered as done, and not refused for their own change', async () => {
        const { botId, create } = await on.addBot();
        const { id, updatedAt } = await create();
        const seen = { id, updatedAtMs: [Date.parse(updatedAt)] };
        const updated = await on.breaking(next, () =>
          on.store.updateContact(botId, seen, { name: 'New' }, sampleContext({ nowMs: laterMs })),
        );
        assert.equal(updated.kind, 'updated');
        const now = { id, updatedAtMs: [laterMs] };
        assert.equal(await on.breaking(next, () => on.store.deleteContact(botId, now, sampleContext())), true);
        await on.assertCounted(botId, 0);
      });

      test('a delete is answered as done', async () => {
        const { botId, create } = await on.addBot();
        const { id } = await create();
        assert.equal(await on.breaking(next, () => on.store.deleteContact(botId, id, sampleContext())), true);
        await on.assertCounted(botId, 0);
      });

      test('a deletion of many is answered as it was done', async () => {
        const { botId, create } = await on.addBot();
        const [one, two] = [await create(), await create()];
        const ids = [one.id, makeId('contact', 1), two.id];
        assert.deepEqual(await on.breaking(next, () => on.store.deleteContacts(botId, ids, sampleContext())), [
          true,
          false,
          true,
        ]);
        await on.assertCounted(botId, 0);
      });

      test('a token is made once, and its revocation answered as done', async () => {
        const { botId, create } = await on.addBot();
        const { id } = await create();
        const token = sampleToken();
        assert.equal(
          await on.breaking(next, () => on.store.createContactToken(botId, id, token, undefined, sampleContext())),
          true,
        );
        assert.equal((await on.other.findVisitor(botId, token.hash))?.id, id);
        assert.equal(
          await on.breaking(next, () => on.store.revokeContactToken(botId, token.hash, sampleContext())),
          true,
        );
        assert.equal(await on.other.findVisitor(botId, token.hash), undefined);
      });

      test('every write makes its events once', async () => {
        const { botId, create } = await on.addBot();
        const [{ id }, other] = [await create(), await create()];
        const { store } = on;
        const context = sampleContext({ nowMs: laterMs });
        const [token, fields] = [sampleToken(), sampleFields()];
        await on.other.updateContact(botId, id, { tags: { set: [toTag('vip'), toTag('lead')] } }, sampleContext());
        await on.other.defineAttribute(
          botId,
          { key: 'plan', type: 'text', label: '', description: '' },
          sampleContext(),
        );
        const writes: Record<string, () => Promise<unknown>> = {
          'contact.created': () => store.createContact(botId, fields, context),
          'contact.updated': () => store.updateContact(botId, id, { name: 'New' }, context),
          'token.created': () => store.createContactToken(botId, id, token, undefined, context),
          'visitor.recognized': () => store.noteTokensSeen(botId, [{ hash: token.hash, seenAtMs: laterMs }], context),
          'token.revoked': () => store.revokeContactToken(botId, token.hash, context),
          'contact.deleted': () => store.deleteContact(botId, other.id, context),
          'tag.renamed': () => store.renameTag(botId, 'vip', toTag('VIP'), context),
          'tag.deleted': () => store.deleteTag(botId, 'lead', context),
          'attribute.deleted': () => store.deleteAttribute(botId, 'plan', context),
        };
        const after = (await store.findFeeds([botId])).get(botId)?.end;
        for (const write of Object.values(writes)) await on.breaking(next, write);
        const page = await store.readEvents(botId, { after, limit: 100 }, sampleCaller);
        assert.ok(page.kind === 'page');
        assert.deepEqual(
          page.events.map(({ type }) => type),
          Object.keys(writes),
        );
      });

      test('writes of all kinds that share the transaction are each done once', async () => {
        const { botId, create, exportAll } = await on.addBot();
        const [kept, deleted] = [await create(), await create()];
        const twice = sampleFields();
        const outcomes = await on.breaking(next, () =>
          Promise.all([
            on.store.createContact(botId, twice, sampleContext({ nowMs: laterMs })),
            on.store.createContact(botId, twice, sampleContext({ nowMs: laterMs })),
            on.store.updateContact(botId, kept.id, { name: 'New' }, sampleContext({ nowMs: laterMs })),
            on.store.deleteContact(botId, deleted.id, sampleContext()),
            on.store.deleteContact(botId, deleted.id, sampleContext()),
            on.store.createContactToken(botId, kept.id, sampleToken(), undefined, sampleContext()),
          ]),
        );
        const all = await exportAll();
        assert.deepEqual(outcomes, [
          { kind: 'created', contact: all[1], values: noContactValues },
          { kind: 'email_taken', contactId: all[1]?.id },
          { kind: 'updated', contact: all[0], values: noContactValues },
          true,
          false,
          true,
        ]);
        await on.assertCounted(botId, 2);
      });

      test('whoever joins, signs in, changes or resets a password or is removed does so once, and is answered so', async () => {
        const { organization } = await on.addBot();
        const audit = () => ({ entry: sampleAuditEntry(organization.id) });
        const join = async (through: Store) => {
          const [hash, joining, session] = [sampleHash(), sampleJoining(), sampleSession()];
          await on.other.createInvitation(
            sampleInvitation(organization.id, { role: 'owner' }),
            hash,
            undefined,
            sampleContext(),
          );
          const outcome = await through.acceptInvitation(hash, joining, session, sampleContext({ audit: audit() }));
          assert.equal(outcome.kind, 'joined');
          return { ...joining, session };
        };
        await join(on.other);
        const jane = await on.breaking(next, () => join(on.store));
        assert.ok(await on.other.findSession(jane.session.hash));
        const { id, passwordHash } = jane;
        const session = sampleSession();
        assert.equal(
          await on.breaking(next, () =>
            on.store.createSession(id, session, { passwordHash }, sampleContext({ audit: audit() })),
          ),
          true,
        );
        const change = { from: passwordHash, to: 'changed' };
        assert.equal(
          await on.breaking(next, () =>
            on.store.changePassword(id, change, sampleSession(), sampleContext({ audit: audit() })),
          ),
          true,
        );
        const link = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: laterMs };
        assert.equal(
          await on.breaking(next, () => on.store.createPasswordReset(id, link, sampleContext({ audit: audit() }))),
          true,
        );
        const reset = await on.breaking(next, () =>
          on.store.resetPassword(link.hash, 'reset', sampleSession(), sampleContext({ audit: audit() })),
        );
        assert.ok(reset);
        assert.equal(reset.member.id, id);
        const invitation = sampleInvitation(organization.id, { invitedBy: { kind: 'member', id, name: jane.name } });
        assert.equal(
          await on.breaking(next, () =>
            on.store.createInvitation(invitation, sampleHash(), undefined, sampleContext({ audit: audit() })),
          ),
          true,
        );
        const revoke = () =>
          on.store.revokeInvitation(organization.id, invitation.id, sampleContext({ audit: audit() }));
        assert.deepEqual(await on.breaking(next, revoke), invitation);
        assert.equal(await revoke(), false);
        const remove = () => on.store.removeMember(organization.id, id, keepSecrets, sampleContext({ audit: audit() }));
        assert.equal((await on.breaking(next, remove)).kind, 'done');
        assert.equal((await remove()).kind, 'missing');
        assert.equal((await on.other.listMembers(organization.id)).length, 1);
      });

      test('what members do leaves one audit entry each', async () => {
        const { botId, organization, create } = await on.addBot();
        const { id: contactId } = await create();
        const [bot, secret] = [sampleBot(organization.id), sampleSecret(organization.id)];
        const [invitation, hash] = [sampleInvitation(organization.id, { role: 'owner' }), sampleHash()];
        const [joining, session] = [sampleJoining(), sampleSession()];
        const { id: memberId, passwordHash } = joining;
        const [reset, later] = [sampleSession(), sampleSession()];
        const actions: ((audit: AuditRecord) => Promise<unknown>)[] = [
          (audit) => on.store.renameOrganization(organization.id, 'New', sampleContext({ audit })),
          (audit) => on.store.createBot(bot, undefined, sampleContext({ audit })),
          (audit) => on.store.updateBot(bot.id, { name: 'New' }, sampleContext({ audit })),
          (audit) => on.store.deleteBot(bot.id, sampleContext({ nowMs: laterMs, audit })),
          (audit) => on.store.createSecret(secret, undefined, sampleContext({ audit })),
          (audit) =>
            on.store.createSecret(
              sampleSecret(organization.id, { parentId: secret.id }),
              undefined,
              sampleContext({ audit }),
            ),
          (audit) => on.store.renameSecret(secret.id, 'New', sampleContext({ audit })),
          (audit) => on.store.revokeSecret(secret.id, sampleContext({ nowMs: laterMs, audit })),
          (audit) => on.store.createInvitation(invitation, hash, undefined, sampleContext({ audit })),
          (audit) => on.store.acceptInvitation(hash, joining, session, sampleContext({ audit })),
          (audit) => on.store.endSession(session.hash, sampleContext({ audit })),
          (audit) =>
            on.store.createSession(memberId, later, { passwordHash, rehashed: 'rehashed' }, sampleContext({ audit })),
          (audit) =>
            on.store.changePassword(
              memberId,
              { from: 'rehashed', to: 'changed' },
              sampleSession(),
              sampleContext({ audit }),
            ),
          (audit) => on.store.endSessions(memberId, undefined, sampleContext({ audit })),
          (audit) => on.store.createPasswordReset(memberId, reset, sampleContext({ audit })),
          (audit) => on.store.resetPassword(reset.hash, 'reset', sampleSession(), sampleContext({ audit })),
          (audit) => on.store.createContact(botId, sampleFields(), sampleContext({ nowMs: laterMs, audit })),
          (audit) =>
            on.store.updateContact(botId, contactId, { name: 'New' }, sampleContext({ nowMs: laterMs, audit })),
          (audit) => on.store.upsertContacts(botId, [sampleFields()], sampleContext({ nowMs: laterMs, audit })),
          (audit) => on.store.revokeContactTokens(botId, contactId, sampleContext({ audit })),
          (audit) => on.store.deleteContact(botId, contactId, sampleContext({ audit })),
          (audit) => on.store.recordAudit(sampleContext({ audit })),
        ];
        const entries = actions.map(() => sampleAuditEntry(organization.id));
        for (const [index, act] of actions.entries()) {
          const audit = { entry: entries[index] as AuditEntry };
          const outcome = await on.breaking(next, () => act(audit));
          assert.ok(!isRefused(outcome), `${act}: ${JSON.stringify(outcome)}`);
        }
        const page = await on.other.listAudit(organization.id, { before: undefined, limit: 100 });
        assert.deepEqual(page.entries, entries.toReversed());
      });

      test('audit entries that are merged count each action once', async () => {
        const { botId, organization, create } = await on.addBot();
        const merge = { from: lowestId('auditEntry', sampleNowMs * 1000) };
        const audit = () => ({ entry: sampleAuditEntry(organization.id, { action: 'contact.update' }), merge });
        const { id } = await create();
        for (const name of ['first', 'second', 'third']) {
          await on.breaking(next, () =>
            on.store.updateContact(botId, id, { name }, sampleContext({ nowMs: laterMs, audit: audit() })),
          );
        }
        await on.breaking(next, () => on.store.recordAudit(sampleContext({ audit: audit() })));
        const { entries } = await on.other.listAudit(organization.id, { before: undefined, limit: 10 });
        assert.deepEqual(
          entries.map(({ count }) => count),
          [4],
        );
      });

      test('a bot is made once, and its deletion answered as done', async () => {
        const { organization } = await on.addBot();
        const bot = sampleBot(organization.id);
        await on.breaking(next, () => on.store.createBot(bot, undefined, sampleContext()));
        assert.deepEqual(await on.other.findBot(bot.id), bot);
        const remove = () => {
          const audit = { entry: sampleAuditEntry(organization.id) };
          return on.store.deleteBot(bot.id, sampleContext({ nowMs: laterMs, audit }));
        };
        assert.equal(await on.breaking(next, remove), true);
        assert.equal(await remove(), false);
      });
    });
  }
});
