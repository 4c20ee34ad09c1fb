// Device cookies (OWASP, "Device Cookies"): a browser that has signed in to an account shows it by one, and its attempts are
// counted apart from those of strangers. It opens nothing. The key is the member's password hash, which nobody else has and
// which changes with the password: nothing is stored for it, every server knows it, and a new password ends it.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

export const deviceTtlMs = 365 * 86_400_000;
/** Accounts that one browser is known to, the latest first. More would make the header long. */
const accountsMax = 5;

/** Tag of the account, time of expiry, random bytes of this browser, and the proof. */
const form = /^([\w-]{8})\.([0-9a-z]{1,11})\.([\w-]{22})\.([\w-]{43})$/;

/** The value of the cookie after a sign-in. */
export function addDevice(
  cookie: string | undefined,
  { memberId, passwordHash }: { memberId: string; passwordHash: string },
  nowMs: number,
): string {
  const tag = tagOf(memberId);
  const claims = `${tag}.${(nowMs + deviceTtlMs).toString(36)}.${randomBytes(16).toString('base64url')}`;
  const added = `${claims}.${proofOf(claims, memberId, passwordHash).toString('base64url')}`;
  const others = devicesIn(cookie).filter((device) => !device.startsWith(`${tag}.`));
  return [added, ...others].slice(0, accountsMax).join('~');
}

/** What the attempts of this browser on the account are counted under, if it is known to it. */
export function findDevice(
  cookie: string | undefined,
  { memberId, passwordHash }: { memberId: string; passwordHash: string },
  nowMs: number,
): string | undefined {
  const tag = tagOf(memberId);
  const device = devicesIn(cookie).find((each) => each.startsWith(`${tag}.`)) ?? '';
  const [, , expires = '', nonce, proof = ''] = form.exec(device) ?? [];
  const claims = `${tag}.${expires}.${nonce}`;
  const expected = proofOf(claims, memberId, passwordHash);
  const given = Buffer.from(proof, 'base64url');
  const isProven = given.length === expected.length && timingSafeEqual(given, expected);
  return isProven && nowMs < Number.parseInt(expires, 36) ? claims : undefined;
}

function devicesIn(cookie = ''): string[] {
  return cookie.split('~', accountsMax).filter((device) => form.test(device));
}

/** Not the id itself: whoever sees the cookie need not learn it. */
function tagOf(memberId: string): string {
  return hash('sha256', `roster device ${memberId}`, 'base64url').slice(0, 8);
}

function proofOf(claims: string, memberId: string, passwordHash: string): Buffer {
  return createHmac('sha256', passwordHash).update(`roster device ${claims} ${memberId}`).digest();
}
