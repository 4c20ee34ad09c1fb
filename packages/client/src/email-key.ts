// Two emails with the same key belong to the same contact. A copy of the contract's rule; email-key.test.ts compares
// the two.

/** Undefined for anything but a string: the service will reject that row, so its order does not matter. */
export function emailKey(email: unknown): string | undefined {
  return typeof email === 'string' ? email.trim().normalize('NFC').toLowerCase().normalize('NFC') : undefined;
}
