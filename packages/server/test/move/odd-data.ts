// Data that is hard to move, and every answer that a store gives about it: two stores with the same data answer alike.

import { attributeTypes } from '@roster/contract';
import { fold, parseQuery } from '../../src/contacts/search-text.ts';
import { toTag } from '../../src/contacts/values.ts';
import type { Bot, ContactFields, Organization, Secret, Store } from '../../src/store/store.ts';
import { botIn } from '../conformance/engine.ts';
import { takeWebhooks } from '../leases.ts';
import {
  sampleAuditEntry,
  sampleBot,
  sampleCaller,
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

/** What an escape of SQL, of COPY, of an array or of JSON could get wrong, and what sorts unlike it looks. */
const oddTexts = [
  'Zoë Łukasz-Øyvind Straße',
  'Zoe\u0308 e\u0301',
  '👩‍👩‍👧‍👦 😀',
  '\u{10ffff}\u{10000}',
  '\uffff\ufffe\ufffd\ufdd0',
  '\ue000 private',
  'O\'Brien "quoted" `ticked`',
  'back\\slash \\N \\. \\x41 \\u0041',
  '{a,b} "{}" NULL null',
  '$1 :name ? %_% --; /* */',
  '王小明 田中さん हिन्दी אבג ไทย',
  'İstanbul ı ς Σ',
  '\u007f \u0085 \u00ad soft',
  '\ufeffmark',
  'x'.repeat(256),
  '😀'.repeat(128),
  '-',
  '0',
];

export interface OddData {
  organizations: Organization[];
  bots: Bot[];
  deletedBot: Bot;
  secrets: Secret[];
  tokens: { botId: string; hash: Uint8Array }[];
  contactIds: string[];
}

export async function storeOddData(store: Store): Promise<OddData> {
  const organizations = [sampleOrganization({ name: 'Grün & Söhne "GmbH" \\ 😀' }), sampleOrganization({ name: '' })];
  const [one, other] = organizations as [Organization, Organization];
  const bots = [
    sampleBot(one.id, {
      greeting: 'Hallo, "Welt"!\n\\n 😀',
      allowedOrigins: ['https://a.example', 'http://[::1]:8080'],
      channels: [{ type: 'link', value: 'https://a.example/?q=%22\\', label: '"Hilfe" \\ 😀' }],
      greetings: { de: 'Grüß "Gott" \\ 😀', ar: 'مرحبًا' },
    }),
    sampleBot(one.id, { name: '', greeting: '', position: 'left', createdAtMs: sampleNowMs + 1 }),
    sampleBot(other.id, { color: '#000000' }),
  ];
  const deletedBot = sampleBot(other.id);
  const parent = sampleSecret(one.id, { prefix: '', createdBy: 'Zoë "\\" 😀', lastUsedAtMs: sampleNowMs + 3 });
  const secrets = [
    parent,
    sampleSecret(one.id, { name: 'revoked', revokedAtMs: sampleNowMs + 5 }),
    sampleSecret(one.id, { name: 'expired', expiresAtMs: sampleNowMs - 5 }),
    sampleSecret(one.id, { permissions: ['account:read'], bots: [bots[0]?.id as string, deletedBot.id] }),
    sampleSecret(one.id, { bots: [], creatorId: 'mem_a0', parentId: parent.id, revokedAtMs: sampleNowMs }),
    sampleSecret(other.id, { expiresAtMs: sampleNowMs + 7, hash: new Uint8Array(32) }),
  ];
  for (const organization of organizations) await store.createOrganization(organization, sampleContext());
  for (const bot of [...bots, deletedBot]) await store.createBot(bot, undefined, sampleContext());
  for (const secret of secrets) await store.createSecret(secret, undefined, sampleContext());
  await storePeople(store, one.id);

  const data: OddData = { organizations, bots, deletedBot, secrets, tokens: [], contactIds: [] };
  // The last of the bots stays empty.
  for (const [number, bot] of [bots[0] as Bot, bots[1] as Bot, deletedBot].entries()) {
    const items = oddTexts.map(
      (text, index): ContactFields => ({
        ...sampleFields({ name: text, email: `odd${index}@example.com`, phone: `+49 (${index}) 170-55${index}` }),
        mid: index % 3 === 0 ? text.slice(0, 100) : '',
        wid: index % 2 === 0 ? `4917055${index}` : '',
      }),
    );
    items.push(sampleFields({ name: 'Same email elsewhere', email: `ÄÖ😀\uffff'"\\@Example.com` }));
    const numbers = await defineAttributes(store, bot.id);
    await store.defineSegment(
      bot.id,
      {
        key: 'odd',
        label: oddTexts[0] ?? '',
        query: oddTexts[1] ?? '',
        filter: { tag: [...oddTexts], attributes: { of_number: { gte: -0.1 } } },
        sort: '-name',
      },
      sampleContext(),
    );
    await storeWebhooks(store, bot.id);
    for (const [index, item] of items.entries()) {
      const text = oddTexts[index] ?? 'Two\nlines\tand a tab';
      const values = [
        text,
        [0, -0.1, Number.MAX_SAFE_INTEGER][index % 3],
        index % 2 === 0,
        -62_167_219_200_000 + index,
        fold(oddChoice),
      ];
      item.attributes = Object.fromEntries(
        numbers.slice(0, (index % 6) + 1).map((key, at) => [key, values[at] ?? 'x']),
      );
      item.tags = {
        set: [toTag(text.slice(0, 60).trim().replaceAll(',', '')), ...(index % 2 === 0 ? [toTag('Even')] : [])],
      };
    }
    const outcome = await store.upsertContacts(bot.id, items, sampleContext({ nowMs: sampleNowMs + number }));
    if (outcome.kind !== 'upserted') throw new Error(outcome.kind);
    await store.updateContact(
      bot.id,
      outcome.ids[2] as string,
      { phone: '110' },
      sampleContext({ nowMs: sampleNowMs + 60_000 }),
    );
    await store.deleteContact(bot.id, outcome.ids[3] as string, sampleContext());
    for (const [step, contactId] of outcome.ids.slice(4, 9).entries()) {
      const token = sampleToken(step === 0 ? { expiresAtMs: sampleNowMs - 1 } : {});
      await store.createContactToken(bot.id, contactId, token, undefined, sampleContext());
      data.tokens.push({ botId: bot.id, hash: token.hash });
    }
    data.contactIds.push(...outcome.ids);
    // Contacts still hold the numbers of these.
    await store.deleteAttribute(bot.id, 'gone', sampleContext());
    await store.deleteTag(bot.id, 'even', sampleContext());
  }
  for (const use of ['widgetLoaded', 'visitorRecognized'] as const) {
    await store.noteFirstUse(bots[0]?.id as string, use, sampleContext({ nowMs: sampleNowMs + 11 }));
  }
  for (const { botId, hash } of data.tokens)
    await store.noteTokensSeen(botId, [{ hash, seenAtMs: sampleNowMs + 13 }], sampleContext());
  // The newest contact of all is gone, and the next one must be newer all the same.
  const newest = await store.createContact(
    bots[0]?.id as string,
    sampleFields(),
    sampleContext({ nowMs: sampleNowMs + 86_400_000 }),
  );
  if (newest.kind !== 'created') throw new Error(newest.kind);
  await store.deleteContact(bots[0]?.id as string, newest.contact.id, sampleContext());
  data.contactIds.push(newest.contact.id);
  await store.deleteBot(deletedBot.id, sampleContext());
  return data;
}

const oddChoice = `Größe "'\\`;

/** Numbers of attributes; the last one is to be deleted. */
async function defineAttributes(store: Store, botId: string): Promise<number[]> {
  const numbers: number[] = [];
  for (const [index, type] of [...attributeTypes, 'text' as const].entries()) {
    const key = index === attributeTypes.length ? 'gone' : `of_${type}`;
    const choices = type === 'choice' ? [oddChoice, 'Other'] : undefined;
    const attribute = { key, type, choices, label: oddTexts[index] ?? key, description: oddTexts[index + 5] ?? '' };
    const outcome = await store.defineAttribute(botId, attribute, sampleContext());
    if (outcome.kind !== 'defined') throw new Error(outcome.kind);
    numbers.push(outcome.attribute.number);
  }
  return numbers;
}

/** One that is on, one that is off by itself, and one that is deleted. */
async function storeWebhooks(store: Store, botId: string): Promise<void> {
  const [description = ''] = oddTexts.slice(7);
  const on = sampleWebhook({ description, types: ['contact.created', 'tag.renamed'] });
  const off = sampleWebhook({ url: 'https://example.com/?q="\\\'{}$1', description: '' });
  const deleted = sampleWebhook();
  for (const webhook of [on, off, deleted]) await store.createWebhook(botId, webhook, 3, sampleContext());
  const secret = { text: 'whsec_+/==', oldUntilMs: sampleNowMs + 5 };
  await store.updateWebhook(botId, on.id, { secret }, sampleContext());
  await takeWebhooks(store, botId, 'deliverer');
  const results = {
    owner: 'deliverer',
    attempts: [],
    failingSinceMs: sampleNowMs - 3,
    disabledReason: 'gone',
  } as const;
  await store.saveAttempts(botId, off.id, results, sampleContext());
  await store.deleteWebhook(botId, deleted.id, sampleContext());
}

/** Members and entries of the audit log, with and without what may be missing. */
async function storePeople(store: Store, organizationId: string): Promise<void> {
  for (const [index, name] of oddTexts.slice(0, 8).entries()) {
    const hash = sampleHash();
    const email = `Ödd${index}'"\\@Example.com`;
    await store.createInvitation(
      sampleInvitation(organizationId, { email, role: index === 0 ? 'owner' : 'member' }),
      hash,
      undefined,
      sampleContext(),
    );
    await store.acceptInvitation(
      hash,
      sampleJoining({ name, passwordHash: `$argon2id$v=19$m=1,t=1,p=1$${index}$x` }),
      sampleSession(),
      sampleContext(),
    );
    await store.recordAudit(
      sampleContext({
        audit: {
          entry: sampleAuditEntry(organizationId, {
            object: { id: index % 2 === 0 ? undefined : 'x', name },
            actor: { kind: index % 2 === 0 ? 'operator' : 'member', id: index % 2 === 0 ? undefined : 'mem', name },
            address: index % 3 === 0 ? undefined : '2001:db8::1',
            count: index + 1,
          }),
        },
      }),
    );
  }
}

const queries = [
  ...[
    '',
    'zoe',
    'lukasz',
    'straße',
    '😀',
    '\u{10ffff}',
    '\uffff',
    "o'brien",
    '\\',
    '\\n',
    '{a,b}',
    '%_%',
    '$1',
    '小明',
  ],
  ...['istanbul', 'σ', 'xxx', 'example.com odd1', '+49 (5) 170-555', '4917055', '110', 'con_', 'a0', '-', 'null'],
];

export async function answersOf(store: Store, data: OddData) {
  const answers: Record<string, unknown> = {};
  for (const bot of [...data.bots, data.deletedBot]) {
    const { exportAll } = botIn(store, bot.id);
    const searches: unknown[] = [];
    for (const query of queries) {
      for (const page of [0, 1, 2]) {
        const search = { words: parseQuery(query), offset: page * 4, limit: 4 };
        searches.push([query, page, await store.searchContacts(bot.id, search, sampleCaller)]);
      }
    }
    const contacts = await exportAll(5);
    answers[bot.id] = {
      bot: await store.findBot(bot.id),
      contacts,
      attributes: await store.listAttributes(bot.id),
      tags: await store.listTags(bot.id),
      segments: await store.listSegments(bot.id),
      // Versions begin anew.
      webhooks: (await store.listWebhooks(bot.id)).map(({ version: _, ...webhook }) => webhook),
      activity: await store.findActivity(
        bot.id,
        { fromDay: 0, seenSinceMs: 0, tokensMax: 100, visitorsMax: 100 },
        sampleCaller,
      ),
      values: (await store.exportContacts(bot.id, { after: undefined, limit: 100, withValues: true }, sampleCaller))
        .values,
      byId: await Promise.all(data.contactIds.map((id) => store.findContact(bot.id, id))),
      byEmail: await Promise.all(
        contacts.map(({ email }) => store.findContactByEmail(bot.id, withKey({ email }).emailKey)),
      ),
      visitors: await Promise.all(data.tokens.map(({ hash }) => store.findVisitor(bot.id, hash))),
      searches,
    };
  }
  const members = await store.listMembers();
  const people = await Promise.all(members.map(({ email }) => store.findMembersByEmail(withKey({ email }).emailKey)));
  const page = { before: undefined, limit: 100 };
  const audit = await Promise.all(data.organizations.map(({ id }) => store.listAudit(id, page)));
  const secrets = await Promise.all(data.secrets.map(({ hash }) => store.findSecret(hash)));
  return { answers, people, audit, secrets };
}
