// Reads of single rows by key. Those that come in one turn of the event loop, or while as many are in flight as there
// are connections, go out as one statement for each bot: a hundred keys cost little more than one.
import { StoreUnavailableError } from '../store.ts';

interface PendingRead<Value> {
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

interface Batch<Value> {
  botId: string;
  keys: Map<string, PendingRead<Value>[]>;
}

/** Finds what belongs to each key; keys without a value are left out. */
export type Load<Value> = (botId: string, keys: string[]) => Promise<Map<string, Value>>;

const keysPerBatch = 200;
/** With more pending reads the database does not keep up, and a longer queue would not help. */
const pendingMax = 20_000;

export class GatheredReads<Value> {
  readonly #load: Load<Value>;
  readonly #inFlightMax: number;
  readonly #batches: Batch<Value>[] = [];
  /** The batch of each bot that still takes keys. */
  readonly #open = new Map<string, Batch<Value>>();
  #inFlight = 0;
  #pending = 0;
  #isScheduled = false;

  constructor(load: Load<Value>, inFlightMax: number) {
    this.#load = load;
    this.#inFlightMax = inFlightMax;
  }

  get pending(): number {
    return this.#pending;
  }

  find(botId: string, key: string): Promise<Value | undefined> {
    // Nothing has such a key, and the database would refuse it together with all others of its statement.
    if (key.includes('\0') || !key.isWellFormed()) return Promise.resolve(undefined);
    if (this.#pending >= pendingMax) return Promise.reject(new StoreUnavailableError('too many reads are pending'));
    return new Promise((resolve, reject) => {
      this.#pending++;
      let batch = this.#open.get(botId);
      if (batch === undefined) {
        batch = { botId, keys: new Map() };
        this.#open.set(botId, batch);
        this.#batches.push(batch);
      }
      const reads = batch.keys.get(key);
      if (reads === undefined) batch.keys.set(key, [{ resolve, reject }]);
      else reads.push({ resolve, reject });
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
    while (this.#inFlight < this.#inFlightMax) {
      const batch = this.#batches.shift();
      if (batch === undefined) return;
      if (this.#open.get(batch.botId) === batch) this.#open.delete(batch.botId);
      this.#inFlight++;
      this.#run(batch).finally(() => {
        this.#inFlight--;
        this.#start();
      });
    }
  }

  async #run({ botId, keys }: Batch<Value>): Promise<void> {
    try {
      const found = await this.#load(botId, [...keys.keys()]);
      for (const [key, reads] of keys) for (const { resolve } of reads) resolve(found.get(key));
    } catch (error) {
      for (const reads of keys.values()) for (const { reject } of reads) reject(error);
    } finally {
      for (const reads of keys.values()) this.#pending -= reads.length;
    }
  }
}
