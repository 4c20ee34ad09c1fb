// A connection that breaks around the COMMIT of a write about webhooks or deliveries: it is done once, and answered as done.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AuditRecord } from '../../src/store/account/account-store.ts';
import { addDeliveries, addWebhook, laterMs, owner } from '../conformance/webhooks.ts';
import { handOver, takeWebhooks } from '../leases.ts';
import { until } from '../process/waiting.ts';
import { sampleAttempt, sampleAuditEntry, sampleContext, sampleWebhook } from '../sample.ts';
import { prepareBreakingStore } from './breaking-store.ts';

const another = 'deliverer 2';

suite('a write about webhooks whose connection breaks', () => {
  const on = prepareBreakingStore();

  /** Its deliveries are written by way of the proxy. */
  const addDelivering = async () => {
    const { botId, organization } = await on.addBot();
    const audit = (): AuditRecord => ({ entry: sampleAuditEntry(organization.id) });
    const countAudit = async () =>
      (await on.other.listAudit(organization.id, { before: undefined, limit: 10 })).entries.length;
    return { ...(await addDeliveries({ store: on.store, botId })), audit, countAudit };
  };

  const moments = {
    'after its COMMIT was carried out': { at: 'COMMIT', when: 'after' },
    'before its COMMIT reaches the database': { at: 'COMMIT', when: 'before' },
  } as const;

  for (const [moment, next] of Object.entries(moments)) {
    suite(moment, () => {
      test('a webhook is created once, though it is the last that the bot may have', async () => {
        const { botId, organization } = await on.addBot();
        const audit = { entry: sampleAuditEntry(organization.id) };
        const webhook = sampleWebhook();
        const outcome = await on.breaking(next, () =>
          on.store.createWebhook(botId, webhook, 1, sampleContext({ audit })),
        );
        assert.ok(outcome.kind === 'created');
        assert.equal(outcome.webhook.version, 1);
        assert.deepEqual(await on.other.listWebhooks(botId), [outcome.webhook]);
        const { entries } = await on.other.listAudit(organization.id, { before: undefined, limit: 10 });
        assert.deepEqual(entries, [audit.entry]);
      });

      test('a secret is rotated once: the one from before is the old one', async () => {
        const bot = await on.addBot();
        const { id, secret } = await addWebhook(bot);
        const changes = { secret: { text: 'whsec_new', oldUntilMs: 7 } };
        const audit = { entry: sampleAuditEntry(bot.organization.id) };
        const updated = await on.breaking(next, () =>
          on.store.updateWebhook(bot.botId, id, changes, sampleContext({ nowMs: laterMs, audit })),
        );
        assert.ok(updated);
        assert.deepEqual([updated.secret, updated.oldSecret, updated.oldSecretUntilMs], ['whsec_new', secret, 7]);
        assert.deepEqual(await on.other.listWebhooks(bot.botId), [updated]);
      });

      test('a webhook is deleted once, and answered as deleted', async () => {
        const bot = await on.addBot();
        const { id } = await addWebhook(bot);
        const remove = () => {
          const audit = { entry: sampleAuditEntry(bot.organization.id) };
          return on.store.deleteWebhook(bot.botId, id, sampleContext({ audit }));
        };
        assert.equal(await on.breaking(next, remove), true);
        assert.equal(await remove(), false);
        assert.ok(!(await on.other.listBotsWithWebhooks()).some(({ botId }) => botId === bot.botId));
      });

      test('a replay and a retry are done', async () => {
        const { botId, webhookId, events, list } = await addDelivering();
        const replayed = await on.breaking(next, () => on.store.replayEvents(botId, webhookId, 1, sampleContext()));
        assert.ok(replayed);
        assert.equal(replayed.position, 1);
        const eventId = events[1]?.id as string;
        const retried = await on.breaking(next, () =>
          on.store.retryDelivery(botId, webhookId, eventId, sampleContext({ nowMs: laterMs + 9 })),
        );
        assert.ok(retried);
        assert.equal(retried.dueAtMs, laterMs + 9);
        assert.deepEqual((await list())[1], retried);
      });

      test('an event is skipped once, and what failed is retried', async () => {
        const { botId, webhookId, events, numbers, save, list, audit, countAudit } = await addDelivering();
        await save([sampleAttempt(numbers[0] as number, { status: 'failed', attempts: 11 })]);
        const eventId = events[1]?.id as string;
        const context = sampleContext({ nowMs: laterMs, audit: audit() });
        const skipped = await on.breaking(next, () => on.store.skipDelivery(botId, webhookId, eventId, context));
        assert.ok(skipped);
        assert.deepEqual([skipped.status, await countAudit()], ['skipped', 1]);
        const again = sampleContext({ nowMs: laterMs, audit: audit() });
        const retried = await on.breaking(next, () => on.store.retryFailed(botId, webhookId, again));
        assert.deepEqual([retried, await countAudit()], [{ count: 1, hasMore: false }, 2]);
        assert.deepEqual(
          (await list()).map(({ status }) => status),
          ['pending', 'skipped', 'pending'],
        );
      });

      test('a webhook is released, and whoever takes it is its owner and knows it', async () => {
        const { botId, webhookId } = await addDelivering();
        await on.breaking(next, () => on.store.releaseWebhook(botId, webhookId, owner));
        assert.equal((await on.other.listLeases([botId]))[0]?.owner, undefined);
        assert.deepEqual(await on.breaking(next, () => takeWebhooks(on.store, botId, another)), [webhookId]);
        assert.equal((await on.other.listLeases([botId]))[0]?.owner, another);
      });

      test('deliveries are planned and saved once', async () => {
        const { numbers, plan, save, list, find } = await addDelivering();
        assert.deepEqual(await on.breaking(next, () => plan({ nowMs: laterMs + 1 })), []);
        assert.deepEqual(
          (await list()).map(({ createdAtMs }) => createdAtMs),
          numbers.map(() => laterMs + 1),
        );
        const attempts = numbers.map((number) => sampleAttempt(number, { attempts: 4 }));
        assert.equal(await on.breaking(next, () => save(attempts, { failingSinceMs: 5 })), true);
        assert.deepEqual(
          (await list()).map((delivery) => delivery.attempts),
          numbers.map(() => 4),
        );
        assert.equal((await find()).failingSinceMs, 5);
      });
    });
  }

  test('after the COMMIT of a creation, and it is deleted before the retry: it stays deleted', async () => {
    const { botId, organization } = await on.addBot();
    const webhook = sampleWebhook();
    const meanwhile = async () => assert.equal(await on.other.deleteWebhook(botId, webhook.id, sampleContext()), true);
    const context = sampleContext({ audit: { entry: sampleAuditEntry(organization.id) } });
    const create = () => on.store.createWebhook(botId, webhook, 20, context);
    const outcome = await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, create);
    assert.equal(outcome.kind, 'created');
    assert.deepEqual(await on.other.listWebhooks(botId), []);
  });

  test('after the COMMIT of a creation, and the bot is deleted before the retry: missing', async () => {
    const { botId } = await on.addBot();
    const meanwhile = async () =>
      assert.equal(await on.other.deleteBot(botId, sampleContext({ nowMs: laterMs })), true);
    const create = () => on.store.createWebhook(botId, sampleWebhook(), 20, sampleContext());
    const outcome = await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, create);
    assert.deepEqual(outcome, { kind: 'missing' });
  });

  for (const when of ['before', 'after'] as const) {
    test(`${when} the COMMIT of its owner, and another takes the webhook over: refused`, async () => {
      const { botId, webhookId, numbers, plan, save, list } = await addDelivering();
      const meanwhile = () => handOver(on.other, botId, webhookId, owner, another);
      const next = { at: 'COMMIT', when, meanwhile };
      const planned = await on.breaking(next, () => plan({ nowMs: laterMs + 1 }));
      assert.equal(planned, undefined);
      const createdTimes = (await list()).map(({ createdAtMs }) => createdAtMs);
      assert.deepEqual(new Set(createdTimes), new Set([when === 'after' ? laterMs + 1 : laterMs]));
      await handOver(on.other, botId, webhookId, another, owner);
      const attempts = [sampleAttempt(numbers[0] as number)];
      assert.equal(await on.breaking(next, () => save(attempts)), false);
      assert.equal((await list()).at(-1)?.status, when === 'after' ? 'succeeded' : 'pending');
    });
  }

  test('before the COMMIT of a new owner, and another was faster: refused', async () => {
    const { botId, webhookId } = await addDelivering();
    await on.other.releaseWebhook(botId, webhookId, owner);
    // The row is left out until the database has noticed that the connection of the first is gone.
    const meanwhile = () =>
      until('the other to take it', async () => (await takeWebhooks(on.other, botId, another))[0] === webhookId);
    const take = () => takeWebhooks(on.store, botId, 'deliverer 3');
    assert.deepEqual(await on.breaking({ at: 'COMMIT', when: 'before', meanwhile }, take), []);
    assert.equal((await on.other.listLeases([botId]))[0]?.owner, another);
  });

  test('after the COMMIT of results, and a member retries the delivery: it stays pending', async () => {
    const { botId, webhookId, events, numbers, save, list } = await addDelivering();
    const meanwhile = async () => {
      const eventId = events[0]?.id as string;
      assert.ok(await on.other.retryDelivery(botId, webhookId, eventId, sampleContext({ nowMs: laterMs })));
    };
    const attempts = [sampleAttempt(numbers[0] as number, { status: 'failed', attempts: 11 })];
    assert.equal(await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, () => save(attempts)), false);
    const { status, attempts: count } = (await list()).at(-1) ?? assert.fail();
    assert.deepEqual([status, count], ['pending', 0]);
  });

  test('after the COMMIT of results with an audit entry, and the webhook is released: answered as saved', async () => {
    const { botId, webhookId, numbers, audit, countAudit } = await addDelivering();
    const meanwhile = () => on.other.releaseWebhook(botId, webhookId, owner);
    const results = { owner, attempts: [sampleAttempt(numbers[0] as number)], failingSinceMs: null };
    const save = () =>
      on.store.saveAttempts(
        botId,
        webhookId,
        { ...results, disabledReason: 'gone' },
        sampleContext({ audit: audit() }),
      );
    assert.ok(await on.breaking({ at: 'COMMIT', when: 'after', meanwhile }, save));
    assert.equal(await countAudit(), 1);
  });
});
