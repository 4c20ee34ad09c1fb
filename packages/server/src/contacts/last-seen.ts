// When each contact token was last used. Sightings are gathered in memory and written in batches, so that a page view
// is never a synced write of its own. A crash loses the last few seconds of them, and nothing else depends on them.
import type { Logger } from 'pino';
import { DeferredWrites } from '../store/deferred-writes.ts';
import type { Store } from '../store/store.ts';

const defaultWriteEveryMs = 5000;
/** Tokens that may wait. More in the same few seconds are not noted: their next use will be. */
const defaultWaitingMax = 50_000;
/** In one write of the store, so that others need not wait long for their turn. */
const tokensPerWrite = 500;

interface Sighting {
  hash: Uint8Array;
  seenAtMs: number;
}

export interface LastSeenSettings {
  store: Pick<Store, 'noteTokensSeen'>;
  logger: Logger;
  writeEveryMs?: number;
  waitingMax?: number;
}

export class LastSeen {
  readonly #store: LastSeenSettings['store'];
  readonly #waitingMax: number;
  readonly #writes: DeferredWrites;
  /** By bot, and there by the token's hash as text. */
  #waiting = new Map<string, Map<string, Sighting>>();
  #waitingCount = 0;

  constructor(settings: LastSeenSettings) {
    const { store, logger, writeEveryMs = defaultWriteEveryMs, waitingMax = defaultWaitingMax } = settings;
    this.#store = store;
    this.#waitingMax = waitingMax;
    const warning = 'could not note when contact tokens were last seen';
    this.#writes = new DeferredWrites({ everyMs: writeEveryMs, write: () => this.#write(), logger, warning });
  }

  note(botId: string, hash: Uint8Array, seenAtMs: number): void {
    const key = Buffer.from(hash).toString('base64');
    const ofBot = this.#waiting.get(botId) ?? new Map<string, Sighting>();
    const known = ofBot.get(key);
    if (known === undefined) {
      if (this.#waitingCount >= this.#waitingMax) return;
      this.#waitingCount++;
      this.#waiting.set(botId, ofBot);
    }
    ofBot.set(key, { hash, seenAtMs: Math.max(seenAtMs, known?.seenAtMs ?? seenAtMs) });
    this.#writes.expect();
  }

  /** Writes what waits. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #write(): Promise<void> {
    const gathered = this.#waiting;
    this.#waiting = new Map();
    this.#waitingCount = 0;
    for (const [botId, ofBot] of gathered) {
      const sightings = [...ofBot.values()];
      for (let start = 0; start < sightings.length; start += tokensPerWrite) {
        await this.#store.noteTokensSeen(botId, sightings.slice(start, start + tokensPerWrite));
      }
    }
  }
}
