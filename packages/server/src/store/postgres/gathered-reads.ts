// Reads of single rows by key. Those that come in one turn of the event loop, or while as many are under way as there
// are connections, go out as one statement for each bot: a hundred keys cost little more than one.
import { StoreUnavailableError } from '../store.ts';

interface Waiting<Value> {
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

interface Batch<Value> {
  botId: string;
  keys: Map<string, Waiting<Value>[]>;
}

/** Finds what belongs to each key; keys without a value are left out. */
export type Load<Value> = (botId: string, keys: string[]) => Promise<Map<string, Value>>;

const keysPerBatch = 200;
/** Beyond this many the database does not keep up, and waiting longer would not help. */
const waitingMax = 20_000;

export class GatheredReads<Value> {
  readonly #load: Load<Value>;
  readonly #underWayMax: number;
  readonly #batches: Batch<Value>[] = [];
  /** The batch of each bot that still takes keys. */
  readonly #open = new Map<string, Batch<Value>>();
  #underWay = 0;
  #waiting = 0;
  #isScheduled = false;

  constructor(load: Load<Value>, underWayMax: number) {
    this.#load = load;
    this.#underWayMax = underWayMax;
  }

  get waiting(): number {
    return this.#waiting;
  }

  find(botId: string, key: string): Promise<Value | undefined> {
    // Nothing has such a key, and the database would refuse it together with all others of its statement.
    if (key.includes('\0') || !key.isWellFormed()) return Promise.resolve(undefined);
    if (this.#waiting >= waitingMax) return Promise.reject(new StoreUnavailableError('too many reads are waiting'));
    return new Promise((resolve, reject) => {
      this.#waiting++;
      let batch = this.#open.get(botId);
      if (batch === undefined) {
        batch = { botId, keys: new Map() };
        this.#open.set(botId, batch);
        this.#batches.push(batch);
      }
      const waiting = batch.keys.get(key);
      if (waiting === undefined) batch.keys.set(key, [{ resolve, reject }]);
      else waiting.push({ resolve, reject });
      if (batch.keys.size >= keysPerBatch) this.#open.delete(botId);
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#start();
      });
    });
  }

  #start(): void {
    while (this.#underWay < this.#underWayMax) {
      const batch = this.#batches.shift();
      if (batch === undefined) return;
      if (this.#open.get(batch.botId) === batch) this.#open.delete(batch.botId);
      this.#underWay++;
      this.#run(batch).finally(() => {
        this.#underWay--;
        this.#start();
      });
    }
  }

  async #run({ botId, keys }: Batch<Value>): Promise<void> {
    try {
      const found = await this.#load(botId, [...keys.keys()]);
      for (const [key, waiting] of keys) for (const { resolve } of waiting) resolve(found.get(key));
    } catch (error) {
      for (const waiting of keys.values()) for (const { reject } of waiting) reject(error);
    } finally {
      for (const waiting of keys.values()) this.#waiting -= waiting.length;
    }
  }
}
