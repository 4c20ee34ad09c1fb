// When each contact token was last used. Sightings are gathered in memory and written in batches, so that a page view
// is never a synced write of its own. A crash loses the last few seconds of them, and nothing else depends on them.
import type { Logger } from 'pino';
import { DeferredWrites } from '../store/deferred-writes.ts';
import type { Store } from '../store/store.ts';

const defaultWriteEveryMs = 5000;
/** Pending tokens. More in the same few seconds are not noted: their next use will be. */
const defaultPendingMax = 50_000;
/** In one write of the store, so that other writes are not held up for long. */
const tokensPerWrite = 500;

interface Sighting {
  hash: Uint8Array;
  seenAtMs: number;
}

export interface LastSeenSettings {
  store: Pick<Store, 'noteTokensSeen'>;
  logger: Logger;
  writeEveryMs?: number;
  pendingMax?: number;
}

export class LastSeen {
  readonly #store: LastSeenSettings['store'];
  readonly #pendingMax: number;
  readonly #writes: DeferredWrites;
  /** By bot, and there by the token's hash as text. */
  #pending = new Map<string, Map<string, Sighting>>();
  #pendingCount = 0;

  constructor(settings: LastSeenSettings) {
    const { store, logger, writeEveryMs = defaultWriteEveryMs, pendingMax = defaultPendingMax } = settings;
    this.#store = store;
    this.#pendingMax = pendingMax;
    const warning = 'could not note when contact tokens were last seen';
    this.#writes = new DeferredWrites({ everyMs: writeEveryMs, write: () => this.#write(), logger, warning });
  }

  note(botId: string, hash: Uint8Array, seenAtMs: number): void {
    const key = Buffer.from(hash).toString('base64');
    const ofBot = this.#pending.get(botId) ?? new Map<string, Sighting>();
    const known = ofBot.get(key);
    if (known === undefined) {
      if (this.#pendingCount >= this.#pendingMax) return;
      this.#pendingCount++;
      this.#pending.set(botId, ofBot);
    }
    ofBot.set(key, { hash, seenAtMs: Math.max(seenAtMs, known?.seenAtMs ?? seenAtMs) });
    this.#writes.expect();
  }

  /** Writes what is pending. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #write(): Promise<void> {
    const gathered = this.#pending;
    this.#pending = new Map();
    this.#pendingCount = 0;
    for (const [botId, ofBot] of gathered) {
      const sightings = [...ofBot.values()];
      for (let start = 0; start < sightings.length; start += tokensPerWrite) {
        await this.#store.noteTokensSeen(botId, sightings.slice(start, start + tokensPerWrite));
      }
    }
  }
}
