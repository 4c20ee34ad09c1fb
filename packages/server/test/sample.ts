// Makers of sample values for tests. Each call makes something new: no two share an id, an email or a hash.
import { randomBytes } from 'node:crypto';
import { defaultPermissions, emailKey, limits } from '@roster/contract';
import { makeId } from '../src/contacts/ids.ts';
import type { AuditEntry, Invitation, Joining, NewSession } from '../src/store/account/account-store.ts';
import type { Backoff, Counted } from '../src/store/account/backoff.ts';
import type {
  Bot,
  BotSettings,
  Caller,
  ContactFields,
  ContactToken,
  EventContext,
  Organization,
  Secret,
} from '../src/store/store.ts';
import type { ContactValues } from '../src/store/values/attribute-store.ts';
import type { DeliveryAttempt, NewWebhook } from '../src/store/webhooks/webhook-store.ts';

/** The time of most tests. It has no milliseconds, so that a lost one is seen. */
export const sampleNowMs = Date.UTC(2026, 10, 14, 9, 30);

/** Of a write by the operator, without an audit entry. */
export function sampleContext(changes: Partial<EventContext> = {}): EventContext {
  return { nowMs: sampleNowMs, audit: undefined, event: { kind: 'operator', id: null }, ...changes };
}

/** Of a contact without attributes and tags. */
export const noContactValues: ContactValues = { attributes: {}, tags: [] };

/** For tests that are not about fairness. */
export const sampleCaller: Caller = { organizationId: 'org_sample' };

let made = 0;

export function sampleOrganization(changes: Partial<Organization> = {}): Organization {
  return {
    id: makeId('organization', sampleNowMs * 1000),
    name: `Organization ${++made}`,
    createdAtMs: sampleNowMs,
    ...changes,
  };
}

export function sampleBotSettings(changes: Partial<BotSettings> = {}): BotSettings {
  return {
    name: `Bot ${++made}`,
    greeting: 'How can we help?',
    color: '#2f6fed',
    position: 'right',
    allowedOrigins: [],
    channels: [],
    greetings: {},
    tokenMaxSeconds: limits.contactTokenSecondsMax,
    ...changes,
  };
}

export function sampleBot(organizationId: string, changes: Partial<Bot> = {}): Bot {
  const id = makeId('bot', sampleNowMs * 1000);
  return { id, organizationId, createdAtMs: sampleNowMs, ...sampleBotSettings(), ...changes };
}

export function sampleSecret(organizationId: string, changes: Partial<Secret> = {}): Secret {
  return {
    id: makeId('secret', sampleNowMs * 1000),
    organizationId,
    name: `Secret ${++made}`,
    prefix: 'rst_abcd',
    permissions: defaultPermissions,
    bots: undefined,
    createdBy: undefined,
    creatorId: undefined,
    parentId: undefined,
    hash: sampleHash(),
    createdAtMs: sampleNowMs,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
    ...changes,
  };
}

/** A hash like that of a secret or token, of which nothing else is known. */
export function sampleHash(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}

/** Fields of a contact as a caller of the store passes them: checked, and with the key of the email. */
export function sampleFields(changes: Partial<Omit<ContactFields, 'emailKey'>> = {}): ContactFields {
  made++;
  return withKey({
    name: `Person ${made}`,
    email: `person${made}@example.com`,
    phone: '',
    mid: '',
    wid: '',
    ...changes,
  });
}

export function withKey<Fields extends { email: string }>(fields: Fields): Fields & { emailKey: string } {
  return { ...fields, emailKey: emailKey(fields.email) };
}

export function sampleToken(changes: Partial<ContactToken> = {}): ContactToken {
  return {
    hash: sampleHash(),
    createdAtMs: sampleNowMs,
    expiresAtMs: sampleNowMs + limits.contactTokenSecondsMax * 1000,
    ...changes,
  };
}

export function sampleWebhook(changes: Partial<NewWebhook> = {}): NewWebhook {
  const number = ++made;
  return {
    id: makeId('webhook', sampleNowMs * 1000 + number),
    url: `https://shop.example.com/hooks/${number}`,
    types: null,
    description: `Webhook ${number}`,
    secret: `whsec_${number}`,
    createdAtMs: sampleNowMs,
    createdBy: { kind: 'secret', id: 'sec_shop', name: 'Shop' },
    ...changes,
  };
}

/** The delivery of the event of this number, after its receiver has answered. */
export function sampleAttempt(number: number, changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  const answer = { statusCode: 200, response: 'ok', error: null };
  const attempted = { number, attempts: 1, attemptedAtMs: sampleNowMs, dueAtMs: null, wasDeferred: false, earlier: [] };
  return { ...attempted, status: 'succeeded', ...answer, ...changes };
}

export function sampleSession(changes: Partial<NewSession> = {}): NewSession {
  const times = { createdAtMs: sampleNowMs, expiresAtMs: sampleNowMs + 1_000_000 };
  return { hash: sampleHash(), ...times, browser: 'Firefox on Linux', address: '192.0.2.1', ...changes };
}

export function sampleInvitation(organizationId: string, changes: Partial<Invitation> = {}): Invitation {
  const email = changes.email ?? `colleague${++made}@example.com`;
  return {
    id: makeId('invitation', sampleNowMs * 1000),
    organizationId,
    email,
    emailKey: emailKey(email),
    role: 'member',
    invitedBy: undefined,
    createdAtMs: sampleNowMs,
    expiresAtMs: sampleNowMs + 1_000_000,
    ...changes,
  };
}

export function sampleJoining(changes: Partial<Joining> = {}): Joining {
  const number = ++made;
  const id = makeId('member', sampleNowMs * 1000 + number);
  return { id, name: `Member ${number}`, passwordHash: `hash ${number}`, ...changes };
}

/** What an attempt to sign in is counted under: after ten a second's wait, then two, four and eight. */
export function sampleCounted(key: string, changes: Partial<Backoff> = {}): Counted {
  return { key, backoff: { free: 10, firstWaitMs: 1000, maxWaitMs: 8000, forgiveMs: 60_000, ...changes } };
}

const auditActor = { kind: 'member', id: makeId('member', 1), name: 'Jane Doe' } as const;
const auditObject = { id: makeId('bot', 1), name: 'Support' };

/** All of one member on one bot. */
export function sampleAuditEntry(organizationId: string, changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: makeId('auditEntry', sampleNowMs * 1000 + ++made),
    organizationId,
    atMs: sampleNowMs,
    action: 'bot.update',
    actor: auditActor,
    object: auditObject,
    address: '192.0.2.1',
    count: 1,
    filter: undefined,
    task: undefined,
    ...changes,
  };
}

/** For removals of members that are not about their secrets. */
export const keepSecrets = { revokeSecretsAtMs: undefined };
