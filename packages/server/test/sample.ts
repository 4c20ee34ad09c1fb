// Makers of sample values for tests. Each call makes something new: no two share an id, an email or a hash.
import { randomBytes } from 'node:crypto';
import { emailKey, limits } from '@roster/contract';
import { makeId } from '../src/ids.ts';
import type { Bot, BotSettings, ContactFields, ContactToken, Organization, Secret } from '../src/store/store.ts';

/** The time of most tests. It has no milliseconds, so that a lost one is seen. */
export const sampleNowMs = Date.UTC(2026, 10, 14, 9, 30);

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
    hash: sampleHash(),
    createdAtMs: sampleNowMs,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
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
    expiresAtMs: sampleNowMs + limits.contactTokenTtlMs,
    ...changes,
  };
}
