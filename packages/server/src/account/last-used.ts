// When secrets and contact tokens were last used, and bots for the first time. Gathered in memory and written in batches: a request adds no more than
// an entry to a map, and is never a synced write of its own. A crash loses what is pending, and nothing depends on it.
import type { LogEvent, Logger } from '../log.ts';
import type { FirstUse } from '../store/activity/activity-store.ts';
import type { Store } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';

/** With the time that a write takes, it stays within the minute that the contract promises. */
const secretsWrittenEveryMs = 30_000;
const tokensWrittenEveryMs = 5000;
/** Somebody may be looking at the console's checklist, and waiting for it. */
const firstUsesWrittenEveryMs = 500;
/** Pending tokens. Secrets need no limit: only those in force are noted. */
const pendingTokensMax = 50_000;
/** Bots that are remembered as used. */
const knownUsesMax = 100_000;
/** In one write of the store, so that other writes are not held up for long. */
const tokensPerWrite = 500;

interface Use<Item> {
  item: Item;
  atMs: number;
}

interface LatestUsesSettings<Item> {
  writeEveryMs: number;
  /** Further items are not noted until the next write; their next use will be. */
  pendingMax: number;
  write(uses: Use<Item>[]): Promise<void>;
  logger: Pick<Logger, 'warn'>;
  /** Logged when a write fails. It is not tried again: what comes next is newer anyway. */
  warning: LogEvent;
}

/** The latest use of each item, written some time after the first that is pending, or on demand. */
class LatestUses<Item> {
  readonly #settings: LatestUsesSettings<Item>;
  #pending = new Map<string, Use<Item>>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: LatestUsesSettings<Item>) {
    this.#settings = settings;
  }

  protected noteUse(key: string, item: Item, atMs: number): void {
    const known = this.#pending.get(key);
    if (known !== undefined) {
      known.atMs = Math.max(known.atMs, atMs);
      return;
    }
    if (this.#pending.size >= this.#settings.pendingMax) return;
    this.#pending.set(key, { item, atMs });
    this.#timer ??= setTimeout(() => this.flush(), this.#settings.writeEveryMs).unref();
  }

  /** Writes what is pending. Resolves when that is done, or has failed: it never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One after the other: a store that is slow to write never has more than one of these writes in flight.
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const uses = [...this.#pending.values()];
    this.#pending = new Map();
    const { write, logger, warning } = this.#settings;
    try {
      if (uses.length > 0) await write(uses);
    } catch (error) {
      logger.warn({ err: error }, warning);
    }
  }
}

export interface LastUsedSettings {
  store: Pick<Store, 'noteSecretsUsed'>;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
  writeEveryMs?: number;
}

export class LastUsed extends LatestUses<string> {
  constructor({ store, clock, logger, writeEveryMs = secretsWrittenEveryMs }: LastUsedSettings) {
    super({
      writeEveryMs,
      pendingMax: Number.POSITIVE_INFINITY,
      write: (uses) => {
        const used = uses.map(({ item, atMs }) => ({ secretId: item, usedAtMs: atMs }));
        return store.noteSecretsUsed(used, contextAt(clock()));
      },
      logger,
      warning: 'could not note when secrets were last used',
    });
  }

  note(secretId: string, usedAtMs: number): void {
    this.noteUse(secretId, secretId, usedAtMs);
  }
}

/** Who makes the event of being seen. */
const visitor = { kind: 'visitor', id: null } as const;

interface SeenToken {
  botId: string;
  hash: Uint8Array;
}

export interface LastSeenSettings {
  store: Pick<Store, 'noteTokensSeen'>;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
  writeEveryMs?: number;
  pendingMax?: number;
}

export class LastSeen extends LatestUses<SeenToken> {
  constructor(settings: LastSeenSettings) {
    const { store, clock, logger, writeEveryMs = tokensWrittenEveryMs, pendingMax = pendingTokensMax } = settings;
    super({
      writeEveryMs,
      pendingMax,
      async write(uses) {
        for (const [botId, ofBot] of Map.groupBy(uses, ({ item }) => item.botId)) {
          const seen = ofBot.map(({ item, atMs }) => ({ hash: item.hash, seenAtMs: atMs }));
          for (let start = 0; start < seen.length; start += tokensPerWrite) {
            await store.noteTokensSeen(botId, seen.slice(start, start + tokensPerWrite), {
              ...contextAt(clock()),
              event: visitor,
            });
          }
        }
      },
      logger,
      warning: 'could not note when contact tokens were last seen',
    });
  }

  note(botId: string, hash: Uint8Array, seenAtMs: number): void {
    this.noteUse(`${botId} ${Buffer.from(hash).toString('base64')}`, { botId, hash }, seenAtMs);
  }
}

interface UsedBot {
  botId: string;
  use: FirstUse;
}

export interface FirstUsesSettings {
  store: Pick<Store, 'noteFirstUse'>;
  logger: Pick<Logger, 'warn'>;
  writeEveryMs?: number;
}

/** Each use of a bot is written once by a process, however many requests there are: the store keeps the first one. */
export class FirstUses extends LatestUses<UsedBot> {
  readonly #known: Set<string>;

  constructor({ store, logger, writeEveryMs = firstUsesWrittenEveryMs }: FirstUsesSettings) {
    const known = new Set<string>();
    super({
      writeEveryMs,
      pendingMax: Number.POSITIVE_INFINITY,
      async write(uses) {
        for (const { item, atMs } of uses) {
          await store.noteFirstUse(item.botId, item.use, contextAt(atMs)).catch((error) => {
            // Forgotten, so that its next use is noted again. The loop goes on with the other uses.
            known.delete(keyOf(item));
            logger.warn({ err: error }, 'could not note the first use of a bot');
          });
        }
      },
      logger,
      warning: 'could not note first uses of bots',
    });
    this.#known = known;
  }

  note(botId: string, use: FirstUse, atMs: number): void {
    const key = keyOf({ botId, use });
    if (this.#known.has(key)) return;
    if (this.#known.size >= knownUsesMax) this.#known.clear();
    this.#known.add(key);
    this.noteUse(key, { botId, use }, atMs);
  }
}

function keyOf({ botId, use }: UsedBot): string {
  return `${use} ${botId}`;
}
