// The storage conformance suite: every promise of the port (src/store/store.ts), as tests that each engine passes.
// An engine's own test file calls `testStore` once; what only one engine can do is tested beside that engine.
import { after, suite } from 'node:test';
import { testAccount } from './conformance/account.ts';
import { testActivity } from './conformance/activity.ts';
import { testAgainstModel } from './conformance/against-model.ts';
import { testAttempts } from './conformance/attempts.ts';
import { testAttributes } from './conformance/attributes.ts';
import { testAudit } from './conformance/audit.ts';
import { testAuditOfActions } from './conformance/audit-of-actions.ts';
import { testConcurrency } from './conformance/concurrency.ts';
import { testContacts } from './conformance/contacts.ts';
import { testDeferredDeliveries } from './conformance/deferred-deliveries.ts';
import { testDeliveries } from './conformance/deliveries.ts';
import { testDurability } from './conformance/durability.ts';
import { testEmails } from './conformance/emails.ts';
import { closeSharedStores, type Engine, searchPlansOf } from './conformance/engine.ts';
import { testEvents } from './conformance/events.ts';
import { testExport } from './conformance/export.ts';
import { testFairness } from './conformance/fairness.ts';
import { testFilteredValues } from './conformance/filtered-values.ts';
import { testOrganizations } from './conformance/organizations.ts';
import { testProvisioning } from './conformance/provisioning.ts';
import { testPurge } from './conformance/purge.ts';
import { testQuotas } from './conformance/quotas.ts';
import { testSearch } from './conformance/search.ts';
import { testSearchesBesideWrites } from './conformance/searches-beside-writes.ts';
import { testSecretScopes } from './conformance/secret-scopes.ts';
import { testTimes } from './conformance/times.ts';
import { testTokens } from './conformance/tokens.ts';
import { testUpsert } from './conformance/upsert.ts';
import { testSearchedValues, testValues } from './conformance/values.ts';
import { testWebhooks } from './conformance/webhooks.ts';

export type { Engine, EngineOptions, OpenedStore } from './conformance/engine.ts';

export function testStore(engine: Engine): void {
  suite(`store: ${engine.name}`, () => {
    after(() => closeSharedStores(engine));
    suite('organizations, bots and secrets', () => testOrganizations(engine));
    suite('provisioning', () => testProvisioning(engine));
    suite('what secrets may do', () => testSecretScopes(engine));
    suite('members, sessions and links', () => testAccount(engine));
    suite('attempts to sign in', () => testAttempts(engine));
    suite('audit log', () => testAudit(engine));
    suite('audit entries of actions', () => testAuditOfActions(engine));
    suite('contacts', () => testContacts(engine));
    suite('emails', () => testEmails(engine));
    suite('times and ids', () => testTimes(engine));
    suite('upsert', () => testUpsert(engine));
    suite('attributes and tags of bots', () => testAttributes(engine));
    suite('attributes and tags of contacts', () => testValues(engine));
    suite('export', () => testExport(engine));
    suite('contact tokens', () => testTokens(engine));
    suite('activity', () => testActivity(engine));
    suite('events', () => testEvents(engine));
    suite('webhooks', () => testWebhooks(engine));
    suite('deliveries', () => testDeliveries(engine));
    suite('deferred deliveries', () => testDeferredDeliveries(engine));
    suite('quotas', () => testQuotas(engine));
    suite('fairness', () => testFairness(engine));
    for (const { plan, options } of searchPlansOf(engine)) {
      suite(`search of ${plan}`, () => testSearch(engine, options));
      suite(`search for attributes in ${plan}`, () => testSearchedValues(engine, options));
      suite(`filters on attributes in ${plan}`, () => testFilteredValues(engine, options));
      suite(`searches beside writes in ${plan}`, () => testSearchesBesideWrites(engine, options));
      suite(`random operations on ${plan}`, () => testAgainstModel(engine, options));
    }
    const plans = searchPlansOf(engine);
    for (const { plan, options } of plans.slice(0, 2)) {
      suite(`deletion and purge of ${plan}`, () => testPurge(engine, options));
    }
    for (const { plan, options } of new Set([...plans.slice(0, 2), ...plans.slice(-1)])) {
      suite(`concurrency in ${plan}`, () => testConcurrency(engine, options));
      suite(`durability of ${plan}`, () => testDurability(engine, options));
    }
  });
}
