// Organizations' bots and secrets, as every request needs them: read through a short-lived cache, changed through
// the same object, so that a change is in force at once in this process and within a second in every other.
import { timingSafeEqual } from 'node:crypto';
import { isId } from '@roster/contract';
import { chain, type MaybePromise } from '../store/maybe-promise.ts';
import type { Bot, BotChanges, Secret, Store, WriteContext } from '../store/store.ts';
import { hashCredential, looksLikeSecret } from './credentials.ts';
import { type CompiledScope, compileScope } from './scopes.ts';

/** Below the promised second, with room for a slow read. */
const cacheTtlMs = 500;
const cachedEntriesMax = 10_000;

/** With its scope as each request needs it. */
export interface LiveSecret extends Secret, CompiledScope {}

export class TenantCache {
  readonly #store: Store;
  readonly #secrets = new Cache<LiveSecret>();
  readonly #bots = new Cache<Bot>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The secret with this text, if it is in force now. The cache is keyed by the text itself, before any hashing. */
  findLiveSecret(text: string, nowMs: number): MaybePromise<LiveSecret | undefined> {
    const found = this.#secrets.read(text, async () => {
      if (!looksLikeSecret(text)) return undefined;
      const hash = hashCredential(text);
      const secret = await this.#store.findSecret(hash);
      if (secret === undefined || !timingSafeEqual(secret.hash, hash)) return undefined;
      return { ...secret, ...compileScope(secret) };
    });
    return chain(found, (secret) => (secret !== undefined && isLive(secret, nowMs) ? secret : undefined));
  }

  /** A malformed id is a bot that does not exist. */
  findBot(botId: string): MaybePromise<Bot | undefined> {
    if (!isId('bot', botId)) return undefined;
    return this.#bots.read(botId, () => this.#store.findBot(botId));
  }

  async revokeSecret(secretId: string, context: WriteContext): Promise<boolean> {
    const isRevoked = await this.#store.revokeSecret(secretId, context);
    this.#secrets.clear();
    return isRevoked;
  }

  /** May revoke secrets too. */
  async removeMember(...removal: Parameters<Store['removeMember']>): ReturnType<Store['removeMember']> {
    const outcome = await this.#store.removeMember(...removal);
    this.#secrets.clear();
    return outcome;
  }

  async updateBot(botId: string, changes: BotChanges, context: WriteContext): Promise<boolean> {
    const isUpdated = await this.#store.updateBot(botId, changes, context);
    this.#bots.clear();
    return isUpdated;
  }

  async deleteBot(botId: string, context: WriteContext): Promise<boolean> {
    const isDeleted = await this.#store.deleteBot(botId, context);
    this.#bots.clear();
    return isDeleted;
  }
}

function isLive({ revokedAtMs, expiresAtMs }: Secret, nowMs: number): boolean {
  return revokedAtMs === undefined && (expiresAtMs === undefined || nowMs < expiresAtMs);
}

/** Remembers what was found, not what was missing: guesses must not fill it. */
class Cache<Value> {
  readonly #entries = new Map<string, { value: Value; freshUntilMs: number }>();
  #generation = 0;
  #nextDropMs = 0;

  read(key: string, find: () => Promise<Value | undefined>): MaybePromise<Value | undefined> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && performance.now() < entry.freshUntilMs) return entry.value;
    return this.#refresh(key, find);
  }

  clear(): void {
    this.#entries.clear();
    this.#generation++;
  }

  /** Keys are secrets, which should not stay in memory: stale ones are dropped with the next read of the store. */
  #dropStale(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextDropMs) return;
    this.#nextDropMs = nowMs + cacheTtlMs;
    for (const [key, { freshUntilMs }] of this.#entries) if (freshUntilMs <= nowMs) this.#entries.delete(key);
  }

  async #refresh(key: string, find: () => Promise<Value | undefined>): Promise<Value | undefined> {
    this.#dropStale();
    const generation = this.#generation;
    const freshUntilMs = performance.now() + cacheTtlMs;
    const value = await find();
    // What was read before a change must not outlive it.
    if (generation !== this.#generation) return value;
    if (value === undefined) {
      this.#entries.delete(key);
    } else {
      if (this.#entries.size >= cachedEntriesMax) this.#entries.clear();
      this.#entries.set(key, { value, freshUntilMs });
    }
    return value;
  }
}
