// The kinds of ids and credentials, and how each is recognised. Making them is the server's business.

/**
 * An id is its kind's prefix and 17 pairs of a letter and a digit, one pair a byte: 7 bytes of creation time in
 * microseconds, then 10 random ones. Letters and digits alternate so that no word of a language and no phone
 * number of two or more characters is ever part of an id: a search for them need not look there.
 */
export const idBytes = { time: 7, random: 10 } as const;

const body = `(?:[a-z][0-9]){${idBytes.time + idBytes.random}}`;

export const idKinds = {
  organization: { prefix: 'org_', pattern: new RegExp(`^org_${body}$`) },
  bot: { prefix: 'bot_', pattern: new RegExp(`^bot_${body}$`) },
  secret: { prefix: 'sec_', pattern: new RegExp(`^sec_${body}$`) },
  member: { prefix: 'mem_', pattern: new RegExp(`^mem_${body}$`) },
  session: { prefix: 'ses_', pattern: new RegExp(`^ses_${body}$`) },
  invitation: { prefix: 'inv_', pattern: new RegExp(`^inv_${body}$`) },
  auditEntry: { prefix: 'aud_', pattern: new RegExp(`^aud_${body}$`) },
  contact: { prefix: 'con_', pattern: new RegExp(`^con_${body}$`) },
  event: { prefix: 'evt_', pattern: new RegExp(`^evt_${body}$`) },
  webhook: { prefix: 'whk_', pattern: new RegExp(`^whk_${body}$`) },
} as const;

export type IdKind = keyof typeof idKinds;

export function isId(kind: IdKind, value: string): boolean {
  return idKinds[kind].pattern.test(value);
}

/** `rst_`, 40 random base62 characters and 6 of checksum: the form that secret scanners look for. */
export const secretPattern = /^rst_[0-9A-Za-z]{46}$/;

/** `c:` and 32 random bytes in base64url. */
export const contactTokenPattern = /^c:[\w-]{43}$/;
