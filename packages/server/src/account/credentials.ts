// Makes and recognises secrets and tokens. They are shown once and, but for those of webhooks, kept only as a SHA-256 hash:
// they are random and long, so a slow password hash would add nothing.
import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { secretPattern } from '@roster/contract';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 40;
const checksumLength = 6;

export function makeSecret(): string {
  const body = Array.from({ length: randomLength }, () => base62[randomInt(62)]).join('');
  return `rst_${body}${checksumOf(body)}`;
}

/** Refuses typos and other services' tokens without the database. It proves nothing: anyone can compute it. */
export function looksLikeSecret(text: string): boolean {
  if (!secretPattern.test(text)) return false;
  const body = text.slice(4, -checksumLength);
  return checksumOf(body) === text.slice(-checksumLength);
}

function checksumOf(body: string): string {
  let value = crc32(body);
  let digits = '';
  for (let i = 0; i < checksumLength; i++) {
    digits = base62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** 256 random bits, URL-safe: of a session, a one-time link or the set-up code. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

export const tokenPattern = /^[\w-]{43}$/;

export function makeContactToken(): string {
  return `c:${makeToken()}`;
}

/** In the format of Standard Webhooks. Signing messages needs its text, so it is the only credential that is stored readable. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function hashCredential(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}
