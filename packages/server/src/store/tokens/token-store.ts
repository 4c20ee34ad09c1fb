// The part of the storage port that holds contact tokens. The promises at the head of store.ts are made here too.
import type { NewToken } from '../account/account-store.ts';
import type { EventContext } from '../write-context.ts';

export interface TokenStore {
  /**
   * False when there is no such contact. Of more than `max` tokens the oldest go: as many as are too many, and for the sake
   * of the next ones a hundredth of `max` besides. Undefined: however many there are.
   */
  createContactToken(
    botId: string,
    contactId: string,
    token: ContactToken,
    max: number | undefined,
    context: EventContext,
  ): Promise<boolean>;
  /** False when there is no such token in this bot. */
  revokeContactToken(botId: string, hash: Uint8Array, context: EventContext): Promise<boolean>;
  /** All that the contact has. False when there is no such contact. */
  revokeContactTokens(botId: string, contactId: string, context: EventContext): Promise<boolean>;
  /** Finds expired tokens too, until they are purged. */
  findVisitor(botId: string, hash: Uint8Array): Promise<Visitor | undefined>;
  /**
   * Moves the last-seen times of tokens forward, never back, and those of their contacts at most once in five minutes for each token.
   * Tokens that do not exist are passed over. Each token that was not seen before on the day, in UTC, makes an event, of when it was seen.
   */
  noteTokensSeen(botId: string, seen: readonly SeenToken[], context: EventContext): Promise<void>;
  /** Those that have not expired, oldest first, of the same millisecond in the order of their hashes. */
  listContactTokens(botId: string, contactId: string, page: ListedTokens): Promise<ContactTokenPage>;
  /** For each contact, when one of its tokens was last seen; of one that is gone since, up to five minutes before. Undefined: never. */
  findLastSeen(botId: string, contactIds: readonly string[]): Promise<(number | undefined)[]>;
}

export type ContactToken = NewToken;

/** A token without the token itself, which is not kept. */
export interface ContactTokenState {
  hash: Uint8Array;
  createdAtMs: number;
  expiresAtMs: number;
  /** Undefined: never. */
  lastSeenAtMs: number | undefined;
}

export interface SeenToken {
  hash: Uint8Array;
  seenAtMs: number;
}

export interface ListedTokens {
  nowMs: number;
  /** Left out: from the oldest on. The token there need not exist any more. */
  after?: TokenPosition | undefined;
  limit: number;
}

export type TokenPosition = Pick<ContactTokenState, 'createdAtMs' | 'hash'>;

export interface ContactTokenPage {
  tokens: ContactTokenState[];
  /** Undefined on the last page. */
  next: TokenPosition | undefined;
}

export interface Visitor {
  id: string;
  name: string;
  expiresAtMs: number;
}
