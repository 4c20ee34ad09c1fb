// A connection that breaks around the COMMIT of a write, and what happens before the retry: the database stays away, or
// another server writes.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { lowestId } from '../../src/contacts/ids.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { writeRetryMs } from '../../src/store/postgres/retries.ts';
import { OutcomeUnknownError, type WriteContext } from '../../src/store/store.ts';
import { postgresUnderLoad } from '../conformance/engine.ts';
import {
  noContactValues,
  sampleAuditEntry,
  sampleBot,
  sampleContext,
  sampleFields,
  sampleHash,
  sampleInvitation,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleToken,
  sampleWebhook,
  withKey,
} from '../sample.ts';
import { prepareBreakingStore } from './breaking-store.ts';
import { createDatabase } from './databases.ts';
import { startProxy } from './proxy.ts';

const laterMs = sampleNowMs + 60_000;

suite('a write whose connection breaks', () => {
  const on = prepareBreakingStore();

  /** A store by way of the proxy that waits for the database no longer than a write is retried. */
  async function openImpatient(t: TestContext) {
    const store = await openPostgresStore({ url: on.proxy.url, patienceMs: writeRetryMs });
    t.after(() => store.close());
    return store;
  }

  test('and the database stays away: the outcome is unknown, unlike that of a write that was never sent', async (t) => {
    const { botId, create, organization } = await on.addBot();
    const { id } = await create();
    const [writing, idle] = [await openImpatient(t), await openImpatient(t)];
    const isAway = Promise.withResolvers<void>();
    const isBack = Promise.withResolvers<void>();
    const meanwhile = () => {
      isAway.resolve();
      return isBack.promise;
    };
    const write = () => writing.updateContact(botId, id, { name: 'New' }, sampleContext({ nowMs: laterMs }));
    const lost = on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, write);
    const unsent = isAway.promise.then(() => idle.renameOrganization(organization.id, 'New', sampleContext()));
    await Promise.all([
      assert.rejects(lost, OutcomeUnknownError),
      // By its name: an unknown outcome is a kind of it.
      assert.rejects(unsent, { name: 'StoreUnavailableError' }),
    ]).finally(isBack.resolve);
    assert.equal((await on.other.findContact(botId, id))?.name, 'New');
    assert.deepEqual(await on.other.findOrganization(organization.id), organization);
  });

  test('when the retry fails too, the outcome is reported as unknown', async (t) => {
    const { organization } = await on.addBot();
    const invitation = sampleInvitation(organization.id);
    const holder = new Client(on.database.url);
    await holder.connect();
    t.after(() => holder.end());
    const holdOrganization = async () => {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM organizations WHERE id = $1 FOR UPDATE', [organization.id]);
    };
    const writing = await openImpatient(t);
    const write = () => writing.createInvitation(invitation, sampleHash(), undefined, sampleContext());
    const lost = on.breaking({ at: 'COMMIT', when: 'after', meanwhile: holdOrganization }, write);
    await assert.rejects(lost, (error: Error) => {
      assert.ok(error instanceof OutcomeUnknownError, String(error));
      assert.match(String(error.cause), /the database is busy/);
      return true;
    });
    assert.deepEqual(await on.other.listInvitations(organization.id, sampleNowMs), [invitation]);
  });

  test('after the COMMIT of a create whose contact another server deletes before the retry: answered as done, not created again', async () => {
    const { botId, exportAll } = await on.addBot();
    const fields = sampleFields();
    const meanwhile = async () => {
      const created = await on.other.findContactByEmail(botId, fields.emailKey);
      assert.equal(await on.other.deleteContact(botId, created?.id ?? '', sampleContext()), true);
    };
    const write = () => on.store.createContact(botId, fields, sampleContext());
    const outcome = await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, write);
    assert.ok(outcome.kind === 'created' && outcome.contact.email === fields.email);
    assert.deepEqual(await exportAll(), []);
  });

  test('after the COMMIT of a merged audit entry, and another server merges into it before the retry: counted once', async () => {
    const { organization } = await on.addBot();
    const merge = { from: lowestId('auditEntry', sampleNowMs * 1000) };
    const audit = () => ({ entry: sampleAuditEntry(organization.id, { action: 'contacts.export' }), merge });
    await on.other.recordAudit(sampleContext({ audit: audit() }));
    const meanwhile = async () => {
      for (let merged = 0; merged < 3; merged++) await on.other.recordAudit(sampleContext({ audit: audit() }));
    };
    await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, () =>
      on.store.recordAudit(sampleContext({ audit: audit() })),
    );
    const { entries } = await on.other.listAudit(organization.id, { before: undefined, limit: 10 });
    assert.deepEqual(
      entries.map(({ count }) => count),
      [5],
    );
  });

  test('after its COMMIT, and another server writes to the bot before the retry: answered as it was done', async () => {
    const { botId, create, exportAll } = await on.addBot();
    const [renamed, deleted] = [await create(), await create()];
    const fields = sampleFields();
    const outcomes = await on.breaking(
      {
        at: 'COMMIT',
        when: 'after',
        async meanwhile() {
          assert.ok(await on.other.findContactByEmail(botId, fields.emailKey));
          await on.other.updateContact(botId, renamed.id, { name: 'Theirs' }, sampleContext({ nowMs: laterMs }));
          await on.other.createContact(
            botId,
            withKey({ ...fields, email: deleted.email }),
            sampleContext({ nowMs: laterMs }),
          );
        },
      },
      () =>
        Promise.all([
          on.store.createContact(botId, fields, sampleContext()),
          on.store.updateContact(botId, renamed.id, { name: 'Mine' }, sampleContext()),
          on.store.deleteContact(botId, deleted.id, sampleContext()),
        ]),
    );
    const all = await exportAll();
    assert.deepEqual(outcomes[0], { kind: 'created', contact: all[1], values: noContactValues });
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
    await on.assertCounted(botId, 3);
  });

  test('before its COMMIT, and another server writes to the bot before the retry: decided anew', async () => {
    const { botId, create, exportAll } = await on.addBot();
    const [deleted, untouched] = [await create(), await create()];
    const fields = sampleFields();
    const outcomes = await on.breaking(
      {
        at: 'COMMIT',
        when: 'before',
        async meanwhile() {
          await on.other.createContact(botId, fields, sampleContext({ nowMs: laterMs }));
          await on.other.deleteContact(botId, deleted.id, sampleContext());
        },
      },
      () =>
        Promise.all([
          on.store.createContact(botId, fields, sampleContext()),
          on.store.deleteContact(botId, deleted.id, sampleContext()),
          on.store.updateContact(botId, untouched.id, { name: 'New' }, sampleContext({ nowMs: laterMs })),
        ]),
    );
    const [updated, theirs] = await exportAll();
    assert.deepEqual(outcomes, [
      { kind: 'email_taken', contactId: theirs?.id },
      false,
      { kind: 'updated', contact: updated, values: noContactValues },
    ]);
    await on.assertCounted(botId, 2);
  });

  test('after the COMMIT of writes that create nothing, and they are repeated: each counts once', async () => {
    const { botId, create, exportAll } = await on.addBot();
    const [renamed, deleted] = [await create(), await create()];
    const token = sampleToken();
    const outcomes = await on.breaking({ at: 'COMMIT', when: 'after' }, () =>
      Promise.all([
        on.store.updateContact(botId, renamed.id, { name: 'New' }, sampleContext({ nowMs: laterMs })),
        on.store.deleteContact(botId, deleted.id, sampleContext()),
        on.store.deleteContact(botId, deleted.id, sampleContext()),
        on.store.createContactToken(botId, renamed.id, token, undefined, sampleContext()),
      ]),
    );
    const [contact] = await exportAll();
    assert.deepEqual(outcomes, [{ kind: 'updated', contact, values: noContactValues }, true, false, true]);
    const { tokens } = await on.other.listContactTokens(botId, renamed.id, { nowMs: sampleNowMs, limit: 10 });
    assert.equal(tokens.length, 1);
    await on.assertCounted(botId, 1);
  });

  test('after its COMMIT, and the bot is deleted before the retry: answered as for a bot that does not exist', async () => {
    const afterDeleting = async <Result>(write: (botId: string, context: WriteContext) => Promise<Result>) => {
      const { botId, organization } = await on.addBot();
      const meanwhile = () => on.other.deleteBot(botId, sampleContext({ nowMs: laterMs }));
      const context = sampleContext({ audit: { entry: sampleAuditEntry(organization.id) } });
      return on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, () => write(botId, context));
    };
    const create = (botId: string) => on.store.createContact(botId, sampleFields(), sampleContext());
    assert.deepEqual(await afterDeleting(create), { kind: 'missing' });
    // Known by its audit entry: it makes no event.
    const addWebhook = (botId: string, context: WriteContext) =>
      on.store.createWebhook(botId, sampleWebhook(), 5, context);
    assert.deepEqual(await afterDeleting(addWebhook), { kind: 'missing' });
  });

  test('after a statement was carried out and before its COMMIT: done once, and answered as done', async () => {
    const organization = sampleOrganization();
    await on.breaking({ at: 'INSERT 0 1', when: 'after' }, () =>
      on.store.createOrganization(organization, sampleContext()),
    );
    const secret = sampleSecret(organization.id);
    await on.breaking({ at: 'INSERT 0 1', when: 'after' }, () =>
      on.store.createSecret(secret, undefined, sampleContext()),
    );
    assert.deepEqual(await on.other.findSecret(secret.hash), secret);
    const revoke = () => on.store.revokeSecret(secret.id, sampleContext({ nowMs: laterMs }));
    assert.equal(await on.breaking({ at: 'UPDATE 1', when: 'after' }, revoke), true);
    assert.equal(await revoke(), false);
  });

  test('after the first organization was made: the caller learns that it was the one', async (t) => {
    const empty = await createDatabase('plain');
    const way = await startProxy(t, empty.url);
    const first = await openPostgresStore({ url: way.url, ...postgresUnderLoad });
    t.after(async () => {
      await first.close();
      await empty.drop();
    });
    const organization = sampleOrganization();
    const all = { organization, bot: sampleBot(organization.id), secret: sampleSecret(organization.id) };
    way.breakNext({ at: 'COMMIT', when: 'after' });
    assert.equal(await first.createFirstOrganization(all, sampleContext()), true);
    assert.equal(way.breaks, 1);
    assert.equal(
      await first.createFirstOrganization({ ...all, organization: sampleOrganization() }, sampleContext()),
      false,
    );
  });
});
