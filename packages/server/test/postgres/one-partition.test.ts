// Every statement touches one bot's partition alone, as a sharded database needs it. PostgreSQL itself explains each
// statement that the engine sends, as it was carried out (auto_explain), and what its foreign keys make of it.

import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { type Contact, deliveryStatuses, sortFields } from '@roster/contract';
import pg from 'pg';
import { digitsOf, type Filter, type Sort } from '../../src/contacts/filters.ts';
import { parseQuery } from '../../src/contacts/search-text.ts';
import { toTag } from '../../src/contacts/values.ts';
import { statements } from '../../src/store/postgres/contacts/statements.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { purgeStatementsOfPostgres } from '../../src/store/postgres/purge.ts';
import { choosePlan } from '../../src/store/postgres/search/choose-plan.ts';
import { webhookStatements } from '../../src/store/postgres/webhooks/webhook-statements.ts';
import type { Store } from '../../src/store/store.ts';
import { sampleSegment } from '../conformance/attributes.ts';
import { botIn, postgresUnderLoad } from '../conformance/engine.ts';
import { addDeliveries } from '../conformance/webhooks.ts';
import { takeWebhooks } from '../leases.ts';
import {
  sampleAttempt,
  sampleBot,
  sampleCaller,
  sampleContext,
  sampleFields,
  sampleNowMs,
  sampleOrganization,
  sampleToken,
  sampleWebhook,
  withKey,
} from '../sample.ts';
import { prepareTemplate, query } from './databases.ts';
import { startProxy } from './proxy.ts';
import { type PostgresServer, startPostgres } from './server.ts';

const partitions = 4;
/** Bots that pass for having so many contacts are sampled, see samples.ts. */
const sampledCount = 1_000_000;

interface Explained {
  text: string;
  /** Partitions that rows were looked for in, such as contacts_2. */
  touched: string[];
  /** The table that rows were inserted into. Which partition got them follows from the bot's id. */
  inserted: string | undefined;
  /** Whether it was found out while it ran which partitions it can do without. */
  isPrunedLate: boolean;
}

suite('on tables partitioned by bot', () => {
  let server: PostgresServer;
  let template: string;

  before(async () => {
    server = await startPostgres({
      settings: {
        fsync: 'off',
        autovacuum: 'off',
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': 0,
        'auto_explain.log_analyze': 'on',
        'auto_explain.log_timing': 'off',
        'auto_explain.log_nested_statements': 'on',
        'auto_explain.log_format': 'json',
        // Reaches the client.
        'auto_explain.log_level': 'notice',
      },
    });
    template = await prepareTemplate(server, 'partitioned');
  });
  after(() => server?.stop());

  for (const plan of ['generic', 'custom'] as const) {
    test(`every statement of the engine touches one partition, by a ${plan} plan`, async (t) => {
      const name = `by_${plan}_plan`;
      await query(server.url('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
      const url = server.url(name);
      const proxy = await startProxy(t, url);
      const explained = watchPlans(t, plan);
      const store = await openPostgresStore({ url: proxy.url, ...postgresUnderLoad });
      t.after(() => store.close());
      const [botId = ''] = await makeBots(store, url);
      await query(url, 'UPDATE bot_states SET contact_count = $2 WHERE bot_id = $1', [botId, sampledCount]);
      await useEverything(store, botId, proxy, url);

      const tables = (await query(url, "SELECT relname FROM pg_class WHERE relkind = 'p'")).map((row) => row.relname);
      for (const { text, touched, inserted } of explained) {
        // The parts of a bot lie in the partitions of the same number.
        const numbers = new Set(touched.map((name) => name.at(-1)));
        assert.ok(numbers.size <= 1, `${touched.join(' and ')}: ${text}`);
        if (tables.includes(inserted))
          assert.match(
            text,
            /^INSERT INTO \w+ \(bot_id\b[^)]*\)\s+(VALUES \(\$1\b|SELECT bot_states\.bot_id\b.* bot_states\.bot_id = \$1\b)/s,
          );
      }
      const used = new Set(explained.map(({ text }) => text));
      const lists = [statements, webhookStatements, purgeStatementsOfPostgres];
      const listed = lists.flatMap((list): { name: string; text: string }[] => Object.values(list));
      assert.equal(new Set(listed.map((statement) => statement.name)).size, listed.length, 'two have the same name');
      const unused = listed.filter(({ text }) => !used.has(text));
      assert.deepEqual(
        unused.map((statement) => statement.name),
        [],
        'the test does not come by these: let useEverything call what needs them',
      );
      assert.equal(
        explained.some(({ isPrunedLate }) => isPrunedLate),
        plan === 'generic',
        `the plans are not ${plan}`,
      );
      const searches = [...used].filter((text) => /^(WITH|SELECT) .*OFFSET/s.test(text));
      assert.ok(searches.length >= 6, `${searches.length} shapes of searches`);
      assert.ok(
        explained.some(({ text, touched }) => /FOR KEY SHARE/.test(text) && touched.length === 1),
        'foreign keys',
      );
    });
  }
});

/** A bot for each partition, in their order, each with contacts. */
async function makeBots(store: Store, url: string): Promise<string[]> {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  const botIds: string[] = [];
  while (botIds.length < partitions) {
    const bot = sampleBot(organization.id);
    const sql = `SELECT satisfies_hash_partition('contacts'::regclass, ${partitions}, ${botIds.length}, $1::text) AS is_there`;
    const [row] = await query(url, sql, [bot.id]);
    if (!row.is_there) continue;
    await store.createBot(bot, undefined, sampleContext());
    await store.upsertContacts(bot.id, [sampleFields({ name: 'Jane Doe' })], sampleContext());
    botIds.push(bot.id);
  }
  return botIds;
}

/** Calls every method on contacts and tokens in every way that leads to a statement of its own. */
async function useEverything(
  store: Store,
  botId: string,
  proxy: Awaited<ReturnType<typeof startProxy>>,
  url: string,
): Promise<void> {
  const { create, search, exportAll } = botIn(store, botId);
  const jane = await create({ name: 'Jane', phone: '+1 (555) 010-0' });
  // A retry looks for the events of the earlier try.
  proxy.breakNext({ at: 'COMMIT', when: 'after' });
  await store.updateContact(botId, jane.id, { name: 'Jane Doe' }, sampleContext());
  await store.updateContact(botId, jane.id, { name: 'Jane A. Doe' }, sampleContext());
  await store.readEvents(botId, { limit: 10 }, sampleCaller);
  await store.findFaults(botId, [withKey({ email: jane.email })]);
  await store.findContact(botId, jane.id);
  await store.findContactByEmail(botId, jane.email);
  const [kept, revoked, expired] = [sampleToken(), sampleToken(), sampleToken({ expiresAtMs: 1 })];
  for (const token of [kept, revoked, expired])
    await store.createContactToken(botId, jane.id, token, 3, sampleContext());
  await store.findVisitor(botId, kept.hash);
  await store.noteTokensSeen(botId, [{ hash: kept.hash, seenAtMs: sampleNowMs }], sampleContext());
  await store.noteTokensSeen(botId, [{ hash: kept.hash, seenAtMs: sampleNowMs + 1 }], sampleContext());
  await store.listContactTokens(botId, jane.id, { nowMs: sampleNowMs, limit: 10 });
  for (const use of ['widgetLoaded', 'visitorRecognized'] as const)
    await store.noteFirstUse(botId, use, sampleContext());
  const wanted = { fromDay: 0, seenSinceMs: 0, tokensMax: 10, visitorsMax: 10 };
  await store.findActivity(botId, wanted, sampleCaller);
  await store.revokeContactToken(botId, revoked.hash, sampleContext());
  await store.revokeContactTokens(botId, (await create()).id, sampleContext());

  const someId = jane.id.slice(4, 8);
  const queries = [
    '',
    'jane',
    'ja',
    '555-0100',
    '5',
    someId,
    jane.id,
    'jane doe',
    'jane ja 555-0100 5',
    `${someId} do`,
  ];
  for (const words of queries) await search(words);
  await search('jane', { offset: 1, limit: 1 });
  await search('jane', { offset: 100, limit: 1 });
  await search('', { offset: 10, limit: 10 });
  for (const wanted of filteredSearches(jane)) {
    await store.searchContacts(botId, { ...wanted, offset: 0, limit: 10 }, sampleCaller);
    await store.exportContacts(botId, { ...wanted, after: undefined, limit: 10 }, sampleCaller);
  }
  await useKnownTotals(botId, url);
  await exportAll(1000);
  for (const words of queries) await exportAll(1000, words);
  await store.exportContacts(botId, { after: jane.id, limit: 10 }, sampleCaller);
  await useValues(store, botId, queries);
  await useWebhooks(store, botId);

  // The first contact of another day.
  await store.createContact(botId, sampleFields(), sampleContext({ nowMs: sampleNowMs + 86_400_000 }));
  // Until nothing is left of expired tokens, deleted contacts and, at last, the bot.
  while (await store.purge(1, sampleNowMs + 1, sampleContext())) {}
  await store.deleteContact(botId, jane.id, sampleContext());
  await store.deleteBot(botId, sampleContext());
  while (await store.purge(1000, 0, sampleContext())) {}
}

/** Pages beside totals that are known: read in their order, and found and sorted. Only a search that finds very many has one. */
async function useKnownTotals(botId: string, url: string): Promise<void> {
  const frequent = () => 0.5;
  const sample = { contactCount: sampledCount, shareOf: frequent, matchShareOf: frequent, filterShareOf: frequent };
  for (const field of sortFields) {
    for (const text of ['jane', 'ja']) {
      const search = { words: parseQuery(text), sort: { field, isDescending: true }, offset: 0, limit: 10 };
      const plan = choosePlan({ botId, search, sample, isSharded: true, broadFrom: 0 });
      for (const total of [sampledCount / 2, sampledCount / 100]) {
        const { statement, values } = plan.besideTotal?.(total) ?? assert.fail(`${text} is counted each time`);
        await query(url, typeof statement === 'string' ? statement : statement.text, values);
      }
    }
  }
}

/** The same for attributes and tags, of which some are deleted at the end. */
async function useValues(store: Store, botId: string, queries: readonly string[]): Promise<void> {
  const { create } = botIn(store, botId);
  const define = (label: string) =>
    store.defineAttribute(botId, { key: 'plan', type: 'text', label, description: '' }, sampleContext());
  const defined = await define('Plan');
  assert.ok(defined.kind === 'defined');
  await define('Changed');
  const attributes = { [defined.attribute.number]: 'pro' };
  const tags = { set: ['vip', 'lead'].map(toTag) };
  const [one, other] = [await create({ attributes, tags }), await create({ attributes, tags })];
  await store.updateContact(botId, one.id, { tags: { add: [toTag('new')], remove: ['lead'] } }, sampleContext());
  await store.updateContact(botId, one.id, { tags: { add: [], remove: ['new'] } }, sampleContext());
  const item = { ...withKey({ email: one.email }), attributes, tags };
  await store.upsertContacts(botId, [item], sampleContext());
  await store.findFaults(botId, [item]);
  await store.findContactWithValues(botId, one.id);
  await store.findContactsWithValues(botId, [one.id, other.id], sampleCaller);
  await store.findLastSeen(botId, [one.id]);
  for (const query of queries) {
    const wanted = { words: parseQuery(query), limit: 10, withValues: true };
    await store.searchContacts(botId, { ...wanted, offset: 0 }, sampleCaller);
    await store.exportContacts(botId, { ...wanted, after: undefined }, sampleCaller);
  }
  const { number } = defined.attribute;
  const filters: Filter[] = [
    { kind: 'tag', keys: ['vip'] },
    { kind: 'tag', keys: ['vip', 'lead'] },
    { kind: 'hasTag' },
    { kind: 'not', filter: { kind: 'tag', keys: ['vip'] } },
    { kind: 'lastSeenAt', fromMs: 0, toMs: 1 },
    { kind: 'attributeContains', number, text: 'ro' },
    { kind: 'contains', field: 'mid', text: 'x', isDigits: false },
    { kind: 'hasField', field: 'phone' },
    { kind: 'attribute', number, values: ['pro', 'premium'] },
    { kind: 'attributeRange', number, range: { gte: 1, lt: 5 } },
    { kind: 'hasAttribute', number },
    { kind: 'not', filter: { kind: 'hasAttribute', number } },
  ];
  for (const each of [...filters.map((filter) => [filter]), filters]) {
    for (const words of [[], parseQuery('jane')]) {
      await store.searchContacts(botId, { words, filters: each, offset: 0, limit: 10 }, sampleCaller);
      await store.exportContacts(botId, { words, filters: each, after: undefined, limit: 10 }, sampleCaller);
    }
  }
  await store.defineSegment(botId, sampleSegment('large'), sampleContext());
  await store.defineSegment(botId, sampleSegment('large'), sampleContext());
  await store.listSegments(botId);
  await store.deleteSegment(botId, 'large', sampleContext());
  await store.listAttributes(botId);
  const [tag] = await store.listTags(botId);
  await store.listTags(botId, [tag?.number as number]);
  await store.renameTag(botId, 'lead', toTag('customer'), sampleContext());
  await store.deleteContact(botId, other.id, sampleContext());
  await store.deleteTag(botId, 'customer', sampleContext());
  await store.deleteAttribute(botId, 'plan', sampleContext());
}

/** The same for webhooks and deliveries, of which some are left at the end. */
async function useWebhooks(store: Store, botId: string): Promise<void> {
  const { webhookId, events, numbers, save, list, plan } = await addDeliveries({ store, botId }, { events: 4 });
  await store.createWebhook(botId, sampleWebhook(), 20, sampleContext());
  await store.releaseWebhook(botId, webhookId, 'deliverer 1');
  await takeWebhooks(store, botId, 'deliverer 1');
  await store.renewLeases([botId], ['deliverer 1'], 1000);
  await save([sampleAttempt(numbers[0] as number), sampleAttempt(numbers[1] as number, { status: 'failed' })], {
    dueAtLatestMs: sampleNowMs,
  });
  await list();
  for (const status of deliveryStatuses) await list({ status });
  await store.findOwned(botId, webhookId, 'deliverer 1', 10);
  await save([sampleAttempt(numbers[2] as number, { status: 'pending' })]);
  await store.findDeferred(botId, webhookId, 10);
  await store.retryDelivery(botId, webhookId, events[2]?.id as string, sampleContext());
  await save([sampleAttempt(numbers[2] as number, { wasDeferred: true })]);
  await store.makeDeliveriesDue(botId, webhookId, sampleContext());
  await store.listWebhooks(botId);
  await store.retryDelivery(botId, webhookId, events[2]?.id as string, sampleContext());
  await store.updateWebhook(botId, webhookId, { isEnabled: false }, sampleContext());
  await store.updateWebhook(botId, webhookId, { isEnabled: true }, sampleContext());
  await store.replayEvents(botId, webhookId, undefined, sampleContext());
  await plan({ version: 7, events: events.slice(3) });
  while (await store.purge(1, 0, sampleContext({ nowMs: sampleNowMs + 40 * 86_400_000 }))) {}
  const removed = await addDeliveries({ store, botId });
  await store.deleteWebhook(botId, removed.webhookId, sampleContext());
}

/** Each filter and each order, alone and beside a word. */
function filteredSearches({ email, phone, createdAt }: Contact) {
  const time = { fromMs: Date.parse(createdAt), toMs: Date.parse(createdAt) };
  const filters: Filter[] = [
    { kind: 'email', key: email },
    { kind: 'phone', digits: digitsOf(phone) },
    { kind: 'wid', digits: '1555' },
    { kind: 'mid', value: '4711' },
    { kind: 'createdAt', ...time },
    { kind: 'updatedAt', ...time },
  ];
  const sorts = sortFields.map((field): Sort => ({ field, isDescending: false }));
  return ['', 'jane', 'ja'].flatMap((text) => {
    const words = parseQuery(text);
    return [
      ...filters.map((filter) => ({ words, filters: [filter] })),
      ...sorts.map((sort) => ({ words, sort })),
      { words, filters, sort: sorts[2] },
    ];
  });
}

/** What PostgreSQL explains of all that is done from now on, by any connection of this process. */
function watchPlans(t: TestContext, plan: 'generic' | 'custom'): readonly Explained[] {
  const explained: Explained[] = [];
  const { emit, query } = pg.Client.prototype;
  t.after(() => Object.assign(pg.Client.prototype, { emit, query }));
  pg.Client.prototype.emit = function (event: string | symbol, ...values) {
    const message: string = event === 'notice' ? values[0].message : '';
    if (message.startsWith('duration: ')) explained.push(readPlan(JSON.parse(message.slice(message.indexOf('{')))));
    return emit.call(this, event, ...values);
  };
  if (plan === 'custom') {
    // The engine asks for generic plans: here its connections are set to custom plans.
    pg.Client.prototype.query = function (this: pg.Client, config: { text: string }, ...rest: unknown[]) {
      const isSetting = typeof config === 'string';
      const asked = isSetting ? (config as string).replace('force_generic_plan', 'force_custom_plan') : config;
      return (query as (...values: unknown[]) => unknown).call(this, asked, ...rest);
    } as typeof query;
  }
  return explained;
}

interface PlanNode {
  'Node Type': string;
  Operation?: string;
  'Relation Name'?: string;
  'Actual Loops': number;
  'Subplans Removed'?: number;
  Plans?: PlanNode[];
}

function readPlan({ 'Query Text': text, Plan: plan }: { 'Query Text': string; Plan: PlanNode }): Explained {
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  // Of a generic plan all partitions are part; those that are not touched have no loops, or are removed.
  const nodes = nodesOf(plan).filter((node) => node['Actual Loops'] > 0);
  const scans = nodes.filter((node) => node['Node Type'] !== 'ModifyTable');
  return {
    text,
    touched: scans.flatMap((node) => node['Relation Name'] ?? []).filter((name) => /_\d$/.test(name)),
    inserted: nodes.find((node) => node.Operation === 'Insert')?.['Relation Name'],
    isPrunedLate: nodes.some((node) => (node['Subplans Removed'] ?? 0) > 0),
  };
}
