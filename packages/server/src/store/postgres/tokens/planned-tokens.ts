// The contact tokens in a transaction: those that the database holds, as far as writes are about them, and what becomes of them.
import type { ContactToken, SeenToken } from '../../store.ts';
import { beginsPeriod, contactSeenEveryMs, dayMs } from '../../tokens/rows.ts';

/** A token as the database holds it. */
export interface StoredToken {
  contactId: string;
  lastSeenAtMs: number | undefined;
}

export class PlannedTokens {
  readonly revoked: Uint8Array[] = [];
  /** Contacts all of whose stored tokens are revoked. */
  readonly tokenlessIds: string[] = [];
  /** Null: the time of the contact stays. */
  readonly seen: (SeenToken & { contactId: string | null })[] = [];
  /** Of a contact with new tokens, the same for all. Undefined: any number. */
  max: number | undefined;
  /** By their hashes in hex. */
  readonly #stored: Map<string, StoredToken>;
  readonly #created = new Map<string, ContactToken & { contactId: string }>();

  constructor(stored: Map<string, StoredToken>) {
    this.#stored = stored;
  }

  get created() {
    return [...this.#created.values()];
  }

  create(contactId: string, token: ContactToken, max: number | undefined): void {
    this.#created.set(hexOf(token.hash), { ...token, contactId });
    if (max !== undefined) this.max = max;
  }

  /** Returns whose it was. Undefined: there is no such token. */
  revoke(hash: Uint8Array): string | undefined {
    const hex = hexOf(hash);
    const token = this.#created.get(hex) ?? this.#stored.get(hex);
    if (token === undefined) return undefined;
    if (!this.#created.delete(hex)) this.revoked.push(hash);
    this.#stored.delete(hex);
    return token.contactId;
  }

  /** Returns whether the contact had any. */
  revokeAllOf(contactId: string): boolean {
    this.tokenlessIds.push(contactId);
    return this.forgetThoseOf(contactId);
  }

  /** Of a contact that is deleted, with which the database deletes them. Returns whether any was known. */
  forgetThoseOf(contactId: string): boolean {
    let isAny = false;
    for (const tokens of [this.#created, this.#stored]) {
      for (const [hash, token] of tokens) {
        if (token.contactId === contactId) isAny = tokens.delete(hash);
      }
    }
    return isAny;
  }

  /** Returns those that are seen for the first time on a day. Those that are not known do not exist. */
  noteSeen(seen: readonly SeenToken[]): { contactId: string; seenAtMs: number }[] {
    const beginning: { contactId: string; seenAtMs: number }[] = [];
    for (const { hash, seenAtMs } of seen) {
      const token = this.#stored.get(hexOf(hash));
      if (token === undefined) continue;
      const { contactId, lastSeenAtMs } = token;
      if (beginsPeriod(dayMs, lastSeenAtMs, seenAtMs)) beginning.push({ contactId, seenAtMs });
      const movesContact = beginsPeriod(contactSeenEveryMs, lastSeenAtMs, seenAtMs);
      token.lastSeenAtMs = Math.max(seenAtMs, lastSeenAtMs ?? seenAtMs);
      this.seen.push({ hash, seenAtMs, contactId: movesContact ? contactId : null });
    }
    return beginning;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
