// By what two emails are the same. A file of its own, without schemas: the threads of the store need it and nothing else.

/** Two emails are the same address to us when their keys are equal. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}
