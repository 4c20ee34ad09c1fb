// The docs, held against the code: a code, an operation or a setting that they do not name fails here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { parseEnv } from 'node:util';
import { errorCodes, filterParameters, limits, operationsFor, portCredentials, sortFields } from '@roster/contract';
import type { RosterApi, RosterErrorCode, RosterEventMap } from '../../widget/types/roster.d.ts';
import { invitationTtlMs, passwordResetTtlMs } from '../src/account/one-time-links.ts';
import { defaultQuotas } from '../src/account/quotas.ts';
import { sessionTtlMs } from '../src/account/sessions.ts';
import { readConfig } from '../src/config/config.ts';
import { defaultTimeouts } from '../src/deps.ts';
import { signInCallsPerMinute, widgetCallsPerMinute, wrongCredentialsPerMinute } from '../src/http/access.ts';
import { requestsMax, unreadFilesMax } from '../src/process/serve.ts';
import { findSettingNames } from './setting-names.ts';

const operations = operationsFor(portCredentials).map(([, operation]) => operation);

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const docs = (name: string) => read(`../../../docs/${name}`);
const settingNames = findSettingNames();

/** The cells of the row whose first code-formatted word is this, from any table of a page. */
function rowOf(page: string, key: string): string[] | undefined {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const row = rows.find((line) => line.match(/`([^`]+)`/)?.[1] === key);
  return row
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

suite('docs/errors.md', () => {
  test('has a row for each error code, with its status', () => {
    const page = docs('errors.md');
    for (const [code, { status }] of Object.entries(errorCodes)) {
      const row = rowOf(page, code);
      assert.ok(row, `docs/errors.md has a row for ${code}`);
      assert.ok(
        row.some((cell) => cell.replaceAll('`', '') === String(status)),
        `the row of ${code} says ${status}`,
      );
    }
  });

  test('has no row for a code that does not exist', () => {
    const coded = docs('errors.md').matchAll(/^\|.*?`([a-z]+(?:_[a-z]+)+)`/gm);
    for (const [, code = ''] of coded) assert.ok(code in errorCodes, `${code} is an error code`);
  });
});

suite('docs/api.md, docs/attributes.md, docs/events.md, docs/webhooks.md and docs/account.md', () => {
  const pageOf = (path: string) => {
    if (path.startsWith('/v1/account/')) return 'account.md';
    if (path.endsWith('/events')) return 'events.md';
    if (path.startsWith('/v1/bots/{botId}/webhooks')) return 'webhooks.md';
    return /^\/v1\/bots\/{botId}\/(attributes|tags|segments)\b/.test(path) ? 'attributes.md' : 'api.md';
  };
  for (const { id, method, path } of operations) {
    const pattern = new RegExp(`${method} ${path.replaceAll(/[.{}]/g, '\\$&')}(?![\\w/{])`);
    test(`name ${id} as ${method} ${path}`, () => assert.match(docs(pageOf(path)), pattern));
  }

  test('name every filter and every order', () => {
    const section = /^### Filters and order$(.*?)^### /ms.exec(docs('api.md'))?.[1] ?? '';
    for (const name of [...Object.keys(filterParameters), ...sortFields])
      assert.ok(section.includes(`\`${name}\``), name);
  });

  test('name no path under /v1 that is not served', () => {
    const served = new Set<string>(operations.map(({ method, path }) => `${method} ${path}`));
    for (const page of ['api.md', 'attributes.md', 'events.md', 'webhooks.md', 'account.md']) {
      const named = docs(page).matchAll(/\b((?:GET|PUT|POST|PATCH|DELETE) \/v1\/[\w/{}-]*)/g);
      for (const [, line = ''] of named) assert.ok(served.has(line), `${line} is served`);
    }
  });
});

/** All methods of an object and of its parts: `push`, `widget.open`. */
type MethodsOf<Part> = {
  [Name in keyof Part & string]: Part[Name] extends (...args: never[]) => unknown
    ? Name
    : `${Name}.${MethodsOf<Part[Name]>}`;
}[keyof Part & string];

suite('docs/embedding.md', () => {
  const page = docs('embedding.md');
  /** The names in a type of the widget: one that is added there, and not here, does not compile. */
  const every = <Name extends string>(names: Record<Name, true>) => Object.keys(names);

  test('has a row for each event and each error code of the widget', () => {
    const events = every<keyof RosterEventMap>({
      'roster:ready': true,
      'roster:login': true,
      'roster:logout': true,
      'roster:expired': true,
      'roster:error': true,
    });
    const codes = every<RosterErrorCode>({
      unknown_bot: true,
      another_bot: true,
      global_taken: true,
      unreachable: true,
      invalid_token: true,
      expired: true,
      superseded: true,
      refresh_failed: true,
    });
    for (const name of [...events, ...codes]) assert.ok(rowOf(page, name), `docs/embedding.md has a row for ${name}`);
  });

  test('names each method of the global object', () => {
    const methods = every<MethodsOf<RosterApi>>({
      'auth.contacts.login': true,
      'auth.contacts.logout': true,
      'auth.contacts.current': true,
      'auth.contacts.refreshWith': true,
      'widget.open': true,
      'widget.close': true,
      'widget.show': true,
      'widget.hide': true,
      push: true,
    });
    for (const method of methods) assert.match(page, new RegExp(`\\b${method.replaceAll('.', '\\.')}\\(`));
  });
});

suite('docs/configuration.md', () => {
  const named = new Set(docs('configuration.md').match(/\b(?:ROSTER_[A-Z_]+|DATABASE_URL)\b/g));

  test('names every setting that config.ts reads', () => {
    assert.ok(settingNames.size > 5);
    for (const setting of settingNames) assert.ok(named.has(setting), `docs/configuration.md names ${setting}`);
  });

  test('names no setting that is not read', () => {
    for (const setting of named) assert.ok(settingNames.has(setting), `${setting} is read`);
  });
});

suite('the settings file of the Debian package', () => {
  const text = read('../../../scripts/release/debian/roster.env');

  test('shows only settings that are read, each in a line that can be used as it is', () => {
    const lines = text.split('\n').filter((line) => /^#?[A-Z_]+=/.test(line));
    assert.ok(lines.length > 5);
    const environment = parseEnv(lines.join('\n').replaceAll('#', ''));
    for (const name of Object.keys(environment)) assert.ok(settingNames.has(name), `${name} is read`);
    assert.doesNotThrow(() => readConfig(environment, '/var/lib/roster'));
  });
});

suite('docs/limits.md', () => {
  const page = docs('limits.md');
  const plain = (count: number) => count.toLocaleString('en').replace(/^(\d),(\d{3})$/, '$1$2');
  const seconds = (ms: number) => `${ms / 1000} s`;
  const days = (ms: number) => `${ms / 86_400_000} day${ms === 86_400_000 ? '' : 's'}`;
  const size = (bytes: number) => (bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`);
  const characters = (count: number) => `${plain(count)} characters`;
  const upTo = (min: number, max: number) => `${plain(min)} to ${plain(max)}`;
  const byDefault = (max: number, fallback: number) => `${plain(max)}, and ${plain(fallback)} by default`;
  const ofToken = `${days(limits.contactTokenSecondsMax * 1000)}, with \`expiresIn\` from ${limits.contactTokenSecondsMin} s`;

  /** Where the page has each limit of the contract: a new one does not compile until it has a row. */
  const ofContract: Record<keyof typeof limits, [row: string, value: string]> = {
    nameLength: ['name', upTo(1, limits.nameLength)],
    emailLength: ['email', characters(limits.emailLength)],
    phoneLength: ['phone', characters(limits.phoneLength)],
    messengerIdLength: ['mid', characters(limits.messengerIdLength)],
    whatsappDigitsMin: ['wid', upTo(limits.whatsappDigitsMin, limits.whatsappDigitsMax)],
    whatsappDigitsMax: ['wid', upTo(limits.whatsappDigitsMin, limits.whatsappDigitsMax)],
    whatsappLength: ['wid, as it is sent', characters(limits.whatsappLength)],
    attributeKeyLength: ['key of an attribute or segment', characters(limits.attributeKeyLength)],
    attributeLabelLength: ['label of an attribute', characters(limits.attributeLabelLength)],
    attributeDescriptionLength: ['description of an attribute', characters(limits.attributeDescriptionLength)],
    attributesPerBot: ['attributes of a bot', plain(limits.attributesPerBot)],
    attributeTextLength: ['a text value', characters(limits.attributeTextLength)],
    attributeTextsLength: ['all text values of a contact together', characters(limits.attributeTextsLength)],
    choicesPerAttribute: ['choices of an attribute', upTo(1, limits.choicesPerAttribute)],
    choiceLength: ['a choice', upTo(1, limits.choiceLength)],
    tagLength: ['a tag', upTo(1, limits.tagLength)],
    tagsPerContact: ['tags of a contact', plain(limits.tagsPerContact)],
    tagsPerBot: ['different tags of a bot', plain(limits.tagsPerBot)],
    filterValues: ['values in the filters of one request, or of a segment', plain(limits.filterValues)],
    segmentsPerBot: ['segments of a bot', plain(limits.segmentsPerBot)],
    segmentLabelLength: ['label of a segment', characters(limits.segmentLabelLength)],
    segmentQueryLength: ['query of a segment', characters(limits.segmentQueryLength)],
    greetingLength: ['greeting of a bot', characters(limits.greetingLength)],
    greetings: ['greetings of a bot in other languages', plain(limits.greetings)],
    channels: ['channels of a bot', plain(limits.channels)],
    channelLabelLength: ['label of a channel', characters(limits.channelLabelLength)],
    channelValueLength: ['address of a channel', characters(limits.channelValueLength)],
    allowedOrigins: ['allowed origins of a bot', plain(limits.allowedOrigins)],
    botsPerSecret: ['bots that a secret can be limited to', plain(limits.botsPerSecret)],
    contactsPerUpsert: ['contacts in one upsert', plain(limits.contactsPerUpsert)],
    contactsPerDelete: ['contacts in one deletion', plain(limits.contactsPerDelete)],
    pageSizeDefault: ['contacts on a page of a list or search', byDefault(limits.pageSizeMax, limits.pageSizeDefault)],
    pageSizeMax: ['contacts on a page of a list or search', plain(limits.pageSizeMax)],
    exportPageSizeMax: ['contacts on a page of an export', plain(limits.exportPageSizeMax)],
    pagerWindow: ['page numbers in `pages` of the pagination', plain(limits.pagerWindow)],
    searchWords: ['words in one search', plain(limits.searchWords)],
    passwordLengthMin: ['a password', upTo(limits.passwordLengthMin, limits.passwordLengthMax)],
    passwordLengthMax: ['a password', upTo(limits.passwordLengthMin, limits.passwordLengthMax)],
    recentPasswordMs: [
      'a password typed in a session, for sensitive actions',
      `${limits.recentPasswordMs / 60_000} minutes`,
    ],
    recentPasswordOfPagesMs: [
      'a password typed in a session, for sensitive actions',
      `${limits.recentPasswordMs / 60_000} minutes; for the later pages of an export ${limits.recentPasswordOfPagesMs / 3_600_000} hours`,
    ],
    auditPageSizeMax: ['entries on a page of the audit log', plain(limits.auditPageSizeMax)],
    auditPageSizeDefault: [
      'entries on a page of the audit log',
      byDefault(limits.auditPageSizeMax, limits.auditPageSizeDefault),
    ],
    tokenPageSizeMax: ['tokens on a page of those of a contact', plain(limits.tokenPageSizeMax)],
    tokenPageSizeDefault: [
      'tokens on a page of those of a contact',
      byDefault(limits.tokenPageSizeMax, limits.tokenPageSizeDefault),
    ],
    eventPageSizeMax: ['events on a page of the feed', plain(limits.eventPageSizeMax)],
    eventPageSizeDefault: [
      'events on a page of the feed',
      byDefault(limits.eventPageSizeMax, limits.eventPageSizeDefault),
    ],
    eventPageSizeWithContacts: ['events on a page with contacts', plain(limits.eventPageSizeWithContacts)],
    eventWaitSeconds: ['wait for an event at the end of the feed', `${limits.eventWaitSeconds} s`],
    webhooksPerBot: ['webhooks of a bot', plain(limits.webhooksPerBot)],
    webhookUrlLength: ['URL of a webhook', characters(limits.webhookUrlLength)],
    webhookDescriptionLength: ['description of a webhook', characters(limits.webhookDescriptionLength)],
    pendingDeliveries: ['deliveries before their first attempt, of a webhook', plain(limits.pendingDeliveries)],
    webhookResponseLength: [
      "the part of a receiver's response that a delivery keeps",
      characters(limits.webhookResponseLength),
    ],
    deliveryPageSizeMax: ['deliveries on a page', plain(limits.deliveryPageSizeMax)],
    deliveryPageSizeDefault: [
      'deliveries on a page',
      byDefault(limits.deliveryPageSizeMax, limits.deliveryPageSizeDefault),
    ],
    eventDays: ['an event', `${limits.eventDays} days`],
    deliveryDays: ['a delivery of a webhook', `${limits.deliveryDays} days`],
    rotatedSecretMs: ['the previous secret of a webhook, after it was rotated', days(limits.rotatedSecretMs)],
    contactTokenSecondsMin: ['a contact token', ofToken],
    contactTokenSecondsMax: ['a contact token', ofToken],
    bodyBytes: ['a body with contacts', size(limits.bodyBytes)],
    faultsReported: ['errors in one response', plain(limits.faultsReported)],
    valuesPerItem: [
      'values in one contact, or in one member of a body, if the body has more than 64 KB',
      plain(limits.valuesPerItem),
    ],
    accountBodyBytes: ['any other body', size(limits.accountBodyBytes)],
    anonymousBodyBytes: ['a body', size(limits.anonymousBodyBytes)],
  };

  const rows: [row: string, value: string][] = [
    ...Object.values(ofContract),
    ['name of an organization, a bot, a member or a secret', characters(limits.nameLength)],
    ['wrong credentials a minute', plain(wrongCredentialsPerMinute)],
    ["calls of the widget's operations a minute", plain(widgetCallsPerMinute)],
    ['sign-ins, set-up codes and one-time links a minute', plain(signInCallsPerMinute)],
    ['bots of an organization', plain(defaultQuotas.botsPerOrganization)],
    ['active secrets of an organization', plain(defaultQuotas.secretsPerOrganization)],
    ['open invitations of an organization', plain(defaultQuotas.invitationsPerOrganization)],
    ['live tokens of a contact', plain(defaultQuotas.tokensPerContact)],
    ['sessions of a member', plain(defaultQuotas.sessionsPerMember)],
    ['files that are on their way and not read', plain(unreadFilesMax)],
    ['requests in flight, of each process', plain(requestsMax)],
    ['time for the headers of a request', seconds(defaultTimeouts.headersMs)],
    ['time for a whole request', seconds(defaultTimeouts.requestMs)],
    ['time between two requests of a connection', seconds(defaultTimeouts.idleMs)],
    ['time without a byte on a connection', seconds(defaultTimeouts.stalledMs)],
    ['time in which nothing of a file is read', seconds(defaultTimeouts.unreadMs)],
    ['a session', days(sessionTtlMs)],
    ['an invitation', days(invitationTtlMs)],
    ['a link to reset a password', days(passwordResetTtlMs)],
  ];
  for (const [row, value] of rows) {
    test(`says ${value} for ${row}`, () => {
      const lines = page.split('\n').filter((each) => each.startsWith(`| ${row} |`));
      assert.equal(lines.length, 1, `docs/limits.md has one row "${row}"`);
      assert.match(lines[0]?.split('|')[2] ?? '', new RegExp(`^ (?:\`\\+\` and )?${value}\\b`));
    });
  }
});
