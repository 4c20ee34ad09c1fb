// When two emails are one address to the service. A copy of the contract's rule, which email-key.test.ts compares.

/** Undefined for what is no text: the service will refuse it, so its order does not matter. */
export function emailKey(email: unknown): string | undefined {
  return typeof email === 'string' ? email.trim().normalize('NFC').toLowerCase().normalize('NFC') : undefined;
}
