// A connection that breaks around the COMMIT of a write: the write is done once, and answered as done.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Client } from 'pg';
import { lowestId } from '../../src/contacts/ids.ts';
import type { AuditEntry, AuditRecord } from '../../src/store/account-store.ts';
import { isRefused } from '../../src/store/audit-row.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { OutcomeUnknownError, type Store } from '../../src/store/store.ts';
import { botIn } from '../conformance/engine.ts';
import {
  sampleAuditEntry,
  sampleBot,
  sampleFields,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleSession,
  sampleToken,
  withKey,
} from '../sample.ts';
import { createDatabase, query, type TestDatabase } from './databases.ts';
import { type Break, type BreakingProxy, startProxy } from './proxy.ts';

const laterMs = sampleNowMs + 60_000;

suite('a write whose connection breaks', () => {
  const cleanUps: (() => unknown)[] = [];
  let database: TestDatabase;
  let proxy: BreakingProxy;
  /** By way of the proxy. */
  let store: Store;
  /** Another server on the same database, whose connections hold. */
  let other: Store;

  before(async () => {
    database = await createDatabase('plain');
    proxy = await startProxy({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) }, database.url);
    store = await openPostgresStore({ url: proxy.url });
    other = await openPostgresStore({ url: database.url });
  });
  after(async () => {
    await store?.close();
    await other?.close();
    for (const cleanUp of cleanUps) await cleanUp();
    await database?.drop();
  });

  async function addBot() {
    const organization = sampleOrganization();
    await other.createOrganization(organization);
    const bot = sampleBot(organization.id);
    await other.createBot(bot);
    return { ...botIn(other, bot.id), organization };
  }

  async function breaking<Result>(next: Break, write: () => Promise<Result>): Promise<Result> {
    const breaks = proxy.breaks + 1;
    proxy.breakNext(next);
    const result = await write();
    assert.equal(proxy.breaks, breaks, 'the connection did not break');
    return result;
  }

  /** Whatever was written: the kept count is that of the rows. */
  async function assertCounted(botId: string, count: number): Promise<void> {
    const rows = await query(
      database.url,
      `SELECT contact_count::int AS kept, (SELECT count(*)::int FROM contacts WHERE bot_id = $1) AS rows
        FROM bot_states WHERE bot_id = $1`,
      [botId],
    );
    assert.deepEqual(rows, [{ kept: count, rows: count }]);
  }

  const moments = {
    'after its COMMIT was carried out': { at: 'COMMIT', when: 'after' },
    'before its COMMIT reaches the database': { at: 'COMMIT', when: 'before' },
  } as const;

  for (const [moment, next] of Object.entries(moments)) {
    suite(moment, () => {
      test('a create is done once and answered with the contact', async () => {
        const { botId, exportAll } = await addBot();
        const outcome = await breaking(next, () => store.createContact(botId, sampleFields(), sampleNowMs));
        assert.ok(outcome.kind === 'created', outcome.kind);
        assert.deepEqual(await exportAll(), [outcome.contact]);
        await assertCounted(botId, 1);
      });

      test('creates that are written unread are done once and answered with the contacts', async () => {
        const { botId, exportAll } = await addBot();
        let nowMs = sampleNowMs;
        const create = () => store.createContact(botId, sampleFields(), nowMs++);
        for (let before = 0; before < 3; before++) await create();
        const outcomes = await breaking(next, () => Promise.all([create(), create()]));
        const contacts = outcomes.map((outcome) => outcome.kind === 'created' && outcome.contact);
        assert.deepEqual((await exportAll()).slice(3), contacts);
        await assertCounted(botId, 5);
        await create();
        await assertCounted(botId, 6);
      });

      test('an upsert is done once and answered with the ids', async () => {
        const { botId, create, exportAll } = await addBot();
        const known = await create();
        const items = [sampleFields(), { ...withKey({ email: known.email }), name: 'Renamed' }, sampleFields()];
        const outcome = await breaking(next, () => store.upsertContacts(botId, items, laterMs));
        const all = await exportAll();
        assert.deepEqual(outcome, { kind: 'upserted', ids: [all[1]?.id, known.id, all[2]?.id] });
        assert.equal(all[0]?.updatedAt, new Date(laterMs).toISOString(), 'moved once');
        await assertCounted(botId, 3);
      });

      test('an update is done once and answered with the contact', async () => {
        const { botId, create, exportAll } = await addBot();
        const { id } = await create();
        const changes = withKey({ email: 'new@example.com', name: 'New' });
        const outcome = await breaking(next, () => store.updateContact(botId, id, changes, laterMs));
        assert.deepEqual(outcome, { kind: 'updated', contact: (await exportAll())[0] });
        assert.ok(outcome.kind === 'updated' && outcome.contact.name === 'New');
      });

      test('a delete is answered as done', async () => {
        const { botId, create } = await addBot();
        const { id } = await create();
        assert.equal(await breaking(next, () => store.deleteContact(botId, id)), true);
        await assertCounted(botId, 0);
      });

      test('a token is made once, and its revocation answered as done', async () => {
        const { botId, create } = await addBot();
        const { id } = await create();
        const token = sampleToken();
        assert.equal(await breaking(next, () => store.createContactToken(botId, id, token)), true);
        assert.equal((await other.findVisitor(botId, token.hash))?.id, id);
        assert.equal(await breaking(next, () => store.revokeContactToken(botId, token.hash)), true);
        assert.equal(await other.findVisitor(botId, token.hash), undefined);
      });

      test('writes of all kinds that share the transaction are each done once', async () => {
        const { botId, create, exportAll } = await addBot();
        const [kept, deleted] = [await create(), await create()];
        const twice = sampleFields();
        const outcomes = await breaking(next, () =>
          Promise.all([
            store.createContact(botId, twice, laterMs),
            store.createContact(botId, twice, laterMs),
            store.updateContact(botId, kept.id, { name: 'New' }, laterMs),
            store.deleteContact(botId, deleted.id),
            store.deleteContact(botId, deleted.id),
            store.createContactToken(botId, kept.id, sampleToken()),
          ]),
        );
        const all = await exportAll();
        assert.deepEqual(outcomes, [
          { kind: 'created', contact: all[1] },
          { kind: 'email_taken', contactId: all[1]?.id },
          { kind: 'updated', contact: all[0] },
          true,
          false,
          true,
        ]);
        await assertCounted(botId, 2);
      });

      test('whoever joins, signs in, changes or resets a password or is removed does so once, and is answered so', async () => {
        const { organization } = await addBot();
        const join = async (through: Store) => {
          const [hash, joining, session] = [sampleHash(), sampleJoining(), sampleSession()];
          await other.createInvitation(sampleInvitation(organization.id, { role: 'owner' }), hash);
          const outcome = await through.acceptInvitation(hash, joining, session);
          assert.equal(outcome.kind, 'joined');
          return { ...joining, session };
        };
        await join(other);
        const jane = await breaking(next, () => join(store));
        assert.ok(await other.findSession(jane.session.hash));
        const { id, passwordHash } = jane;
        const session = sampleSession();
        assert.equal(await breaking(next, () => store.createSession(id, session, { passwordHash })), true);
        const change = { from: passwordHash, to: 'changed' };
        assert.equal(await breaking(next, () => store.changePassword(id, change, sampleSession())), true);
        const link = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: laterMs };
        assert.equal(await breaking(next, () => store.createPasswordReset(id, link)), true);
        const reset = await breaking(next, () => store.resetPassword(link.hash, 'reset', sampleSession()));
        assert.equal(reset?.member.id, id);
        const invitation = sampleInvitation(organization.id, { invitedBy: { id, name: jane.name } });
        assert.equal(await breaking(next, () => store.createInvitation(invitation, sampleHash())), true);
        const revoke = () => store.revokeInvitation(organization.id, invitation.id, sampleNowMs);
        assert.deepEqual(await breaking(next, revoke), invitation);
        assert.equal(await revoke(), undefined);
        const remove = () => store.removeMember(organization.id, id);
        assert.equal((await breaking(next, remove)).kind, 'done');
        assert.equal((await remove()).kind, 'missing');
        assert.equal((await other.listMembers(organization.id)).length, 1);
      });

      test('what members do leaves one audit entry each', async () => {
        const { botId, organization, create } = await addBot();
        const { id: contactId } = await create();
        const [bot, secret] = [sampleBot(organization.id), sampleSecret(organization.id)];
        const [invitation, hash] = [sampleInvitation(organization.id, { role: 'owner' }), sampleHash()];
        const [joining, session] = [sampleJoining(), sampleSession()];
        const { id: memberId, passwordHash } = joining;
        const [reset, later] = [sampleSession(), sampleSession()];
        const actions: ((audit: AuditRecord) => Promise<unknown>)[] = [
          (audit) => store.renameOrganization(organization.id, 'New', audit),
          (audit) => store.createBot(bot, audit),
          (audit) => store.updateBot(bot.id, { name: 'New' }, audit),
          (audit) => store.deleteBot(bot.id, laterMs, audit),
          (audit) => store.createSecret(secret, audit),
          (audit) => store.renameSecret(secret.id, 'New', audit),
          (audit) => store.revokeSecret(secret.id, laterMs, audit),
          (audit) => store.createInvitation(invitation, hash, audit),
          (audit) => store.acceptInvitation(hash, joining, session, audit),
          (audit) => store.endSession(session.hash, audit),
          (audit) => store.createSession(memberId, later, { passwordHash, rehashed: 'rehashed' }, audit),
          (audit) => store.changePassword(memberId, { from: 'rehashed', to: 'changed' }, sampleSession(), audit),
          (audit) => store.endSessions(memberId, audit),
          (audit) => store.createPasswordReset(memberId, reset, audit),
          (audit) => store.resetPassword(reset.hash, 'reset', sampleSession(), audit),
          (audit) => store.createContact(botId, sampleFields(), laterMs, audit),
          (audit) => store.updateContact(botId, contactId, { name: 'New' }, laterMs, audit),
          (audit) => store.upsertContacts(botId, [sampleFields()], laterMs, audit),
          (audit) => store.revokeContactTokens(botId, contactId, audit),
          (audit) => store.deleteContact(botId, contactId, audit),
          (audit) => store.recordAudit(audit),
        ];
        const entries = actions.map(() => sampleAuditEntry(organization.id));
        for (const [index, act] of actions.entries()) {
          const audit = { entry: entries[index] as AuditEntry };
          const outcome = await breaking(next, () => act(audit));
          assert.ok(!isRefused(outcome), `${act}: ${JSON.stringify(outcome)}`);
        }
        const page = await other.listAudit(organization.id, { before: undefined, limit: 100 });
        assert.deepEqual(page.entries, entries.toReversed());
      });

      test('audit entries that are merged count each action once', async () => {
        const { botId, organization, create } = await addBot();
        const merge = { from: lowestId('auditEntry', sampleNowMs * 1000), isAcrossAddresses: false };
        const audit = () => ({ entry: sampleAuditEntry(organization.id, { action: 'contact.update' }), merge });
        const { id } = await create();
        for (const name of ['first', 'second', 'third']) {
          await breaking(next, () => store.updateContact(botId, id, { name }, laterMs, audit()));
        }
        await breaking(next, () => store.recordAudit(audit()));
        const { entries } = await other.listAudit(organization.id, { before: undefined, limit: 10 });
        assert.deepEqual(
          entries.map(({ count }) => count),
          [4],
        );
      });

      test('a bot is made once, and its deletion answered as done', async () => {
        const { organization } = await addBot();
        const bot = sampleBot(organization.id);
        await breaking(next, () => store.createBot(bot));
        assert.deepEqual(await other.findBot(bot.id), bot);
        assert.equal(await breaking(next, () => store.deleteBot(bot.id, laterMs)), true);
        assert.equal(await store.deleteBot(bot.id, laterMs), false);
      });
    });
  }

  test('and the database stays away: the outcome is unknown, unlike that of a write that was never sent', async (t) => {
    const { botId, create, organization } = await addBot();
    const { id } = await create();
    const idle = await openPostgresStore({ url: proxy.url });
    t.after(() => idle.close());
    const isAway = Promise.withResolvers<void>();
    const isBack = Promise.withResolvers<void>();
    const meanwhile = () => {
      isAway.resolve();
      return isBack.promise;
    };
    const write = () => store.updateContact(botId, id, { name: 'New' }, laterMs);
    const lost = breaking({ at: 'COMMIT', when: 'after', meanwhile }, write);
    const unsent = isAway.promise.then(() => idle.renameOrganization(organization.id, 'New'));
    await Promise.all([
      assert.rejects(lost, OutcomeUnknownError),
      // By its name: an unknown outcome is a kind of it.
      assert.rejects(unsent, { name: 'StoreUnavailableError' }),
    ]).finally(isBack.resolve);
    assert.equal((await other.findContact(botId, id))?.name, 'New');
    assert.deepEqual(await other.findOrganization(organization.id), organization);
  });

  test('when the retry fails too, the outcome is reported as unknown', async (t) => {
    const { organization } = await addBot();
    const invitation = sampleInvitation(organization.id);
    const holder = new Client(database.url);
    await holder.connect();
    t.after(() => holder.end());
    const holdOrganization = async () => {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM organizations WHERE id = $1 FOR UPDATE', [organization.id]);
    };
    const write = () => store.createInvitation(invitation, sampleHash());
    const lost = breaking({ at: 'COMMIT', when: 'after', meanwhile: holdOrganization }, write);
    await assert.rejects(lost, (error: Error) => {
      assert.ok(error instanceof OutcomeUnknownError, String(error));
      assert.match(String(error.cause), /the database is busy/);
      return true;
    });
    assert.deepEqual(await other.listInvitations(organization.id, sampleNowMs), [invitation]);
  });

  test('after its COMMIT, and another server writes to the bot before the retry: answered as it was done', async () => {
    const { botId, create, exportAll } = await addBot();
    const [renamed, deleted] = [await create(), await create()];
    const fields = sampleFields();
    const outcomes = await breaking(
      {
        at: 'COMMIT',
        when: 'after',
        async meanwhile() {
          assert.ok(await other.findContactByEmail(botId, fields.emailKey));
          await other.updateContact(botId, renamed.id, { name: 'Theirs' }, laterMs);
          await other.createContact(botId, withKey({ ...fields, email: deleted.email }), laterMs);
        },
      },
      () =>
        Promise.all([
          store.createContact(botId, fields, sampleNowMs),
          store.updateContact(botId, renamed.id, { name: 'Mine' }, sampleNowMs),
          store.deleteContact(botId, deleted.id),
        ]),
    );
    const all = await exportAll();
    assert.deepEqual(outcomes[0], { kind: 'created', contact: all[1] });
    assert.ok(outcomes[1].kind === 'updated' && outcomes[1].contact.name === 'Mine');
    assert.equal(outcomes[2], true);
    assert.deepEqual(
      all.map(({ name, email }) => [name, email]),
      [
        ['Theirs', renamed.email],
        [fields.name, fields.email],
        [fields.name, deleted.email],
      ],
    );
    await assertCounted(botId, 3);
  });

  test('before its COMMIT, and another server writes to the bot before the retry: decided anew', async () => {
    const { botId, create, exportAll } = await addBot();
    const [deleted, untouched] = [await create(), await create()];
    const fields = sampleFields();
    const outcomes = await breaking(
      {
        at: 'COMMIT',
        when: 'before',
        async meanwhile() {
          await other.createContact(botId, fields, laterMs);
          await other.deleteContact(botId, deleted.id);
        },
      },
      () =>
        Promise.all([
          store.createContact(botId, fields, sampleNowMs),
          store.deleteContact(botId, deleted.id),
          store.updateContact(botId, untouched.id, { name: 'New' }, laterMs),
        ]),
    );
    const [updated, theirs] = await exportAll();
    assert.deepEqual(outcomes, [
      { kind: 'email_taken', contactId: theirs?.id },
      // A deletion that is repeated is done, whoever did it.
      true,
      { kind: 'updated', contact: updated },
    ]);
    await assertCounted(botId, 2);
  });

  test('after the COMMIT of writes that create nothing, and they are repeated: each counts once', async () => {
    const { botId, create, exportAll } = await addBot();
    const [renamed, deleted] = [await create(), await create()];
    const token = sampleToken();
    const outcomes = await breaking({ at: 'COMMIT', when: 'after' }, () =>
      Promise.all([
        store.updateContact(botId, renamed.id, { name: 'New' }, laterMs),
        store.deleteContact(botId, deleted.id),
        store.deleteContact(botId, deleted.id),
        store.createContactToken(botId, renamed.id, token),
      ]),
    );
    assert.deepEqual(outcomes, [{ kind: 'updated', contact: (await exportAll())[0] }, true, false, true]);
    assert.equal((await other.listContactTokens(botId, renamed.id)).length, 1);
    await assertCounted(botId, 1);
  });

  test('after its COMMIT, and the bot is deleted before the retry: answered as it was done', async () => {
    const { botId } = await addBot();
    const meanwhile = () => other.deleteBot(botId, laterMs);
    const outcome = await breaking({ at: 'COMMIT', when: 'after', meanwhile }, () =>
      store.createContact(botId, sampleFields(), sampleNowMs),
    );
    assert.equal(outcome.kind, 'created');
  });

  test('after a statement was carried out and before its COMMIT: done once, and answered as done', async () => {
    const organization = sampleOrganization();
    await breaking({ at: 'INSERT 0 1', when: 'after' }, () => store.createOrganization(organization));
    const secret = sampleSecret(organization.id);
    await breaking({ at: 'INSERT 0 1', when: 'after' }, () => store.createSecret(secret));
    assert.deepEqual(await other.findSecret(secret.hash), secret);
    const revoke = () => store.revokeSecret(secret.id, laterMs);
    assert.equal(await breaking({ at: 'UPDATE 1', when: 'after' }, revoke), true);
    assert.equal(await revoke(), false);
  });

  test('after the first organization was made: the caller learns that it was the one', async (t) => {
    const empty = await createDatabase('plain');
    const way = await startProxy(t, empty.url);
    const first = await openPostgresStore({ url: way.url });
    t.after(async () => {
      await first.close();
      await empty.drop();
    });
    const organization = sampleOrganization();
    const all = { organization, bot: sampleBot(organization.id), secret: sampleSecret(organization.id) };
    way.breakNext({ at: 'COMMIT', when: 'after' });
    assert.equal(await first.createFirstOrganization(all), true);
    assert.equal(way.breaks, 1);
    assert.equal(await first.createFirstOrganization(all), false);
  });
});
