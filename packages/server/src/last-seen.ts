// When each contact token was last used. Sightings are gathered in memory and written in batches, so that a page view
// is never a synced write of its own. A crash loses the last few seconds of them, and nothing else depends on them.
import type { Logger } from 'pino';
import type { Store } from './store/store.ts';

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
  readonly #settings: Required<LastSeenSettings>;
  /** By bot, and there by the token's hash as text. */
  #waiting = new Map<string, Map<string, Sighting>>();
  #waitingCount = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: LastSeenSettings) {
    this.#settings = { writeEveryMs: defaultWriteEveryMs, waitingMax: defaultWaitingMax, ...settings };
  }

  note(botId: string, hash: Uint8Array, seenAtMs: number): void {
    const key = Buffer.from(hash).toString('base64');
    const ofBot = this.#waiting.get(botId) ?? new Map<string, Sighting>();
    const known = ofBot.get(key);
    if (known === undefined) {
      if (this.#waitingCount >= this.#settings.waitingMax) return;
      this.#waitingCount++;
      this.#waiting.set(botId, ofBot);
    }
    ofBot.set(key, { hash, seenAtMs: Math.max(seenAtMs, known?.seenAtMs ?? seenAtMs) });
    this.#timer ??= setTimeout(() => this.flush(), this.#settings.writeEveryMs).unref();
  }

  /** Writes what waits. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One after the other: behind a store that is slow to write no more gathers than may wait.
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { store, logger } = this.#settings;
    const gathered = this.#waiting;
    this.#waiting = new Map();
    this.#waitingCount = 0;
    try {
      for (const [botId, ofBot] of gathered) {
        const sightings = [...ofBot.values()];
        for (let start = 0; start < sightings.length; start += tokensPerWrite) {
          await store.noteTokensSeen(botId, sightings.slice(start, start + tokensPerWrite));
        }
      }
    } catch (error) {
      // Not tried again: the next use of each token brings a later time anyway.
      logger.warn({ err: error }, 'could not note when contact tokens were last seen');
    }
  }
}
