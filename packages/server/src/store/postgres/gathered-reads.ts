// Reads of single rows by key. Those that come in one turn of the event loop, or while as many are in flight as there
// are connections, go out as one statement for each bot: a hundred keys cost little more than one.
import { StoreUnavailableError } from '../store.ts';

interface Batch<Value> {
  botId: string;
  /** Reads of the same key share their answer. */
  keys: Map<string, PromiseWithResolvers<Value | undefined>>;
  reads: number;
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
    let batch = this.#open.get(botId);
    if (batch === undefined) {
      batch = { botId, keys: new Map(), reads: 0 };
      this.#open.set(botId, batch);
      this.#batches.push(batch);
    }
    const answer = batch.keys.get(key) ?? Promise.withResolvers();
    batch.keys.set(key, answer);
    batch.reads++;
    this.#pending++;
    if (batch.keys.size >= keysPerBatch) this.#open.delete(botId);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#start();
      });
    }
    return answer.promise;
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

  async #run({ botId, keys, reads }: Batch<Value>): Promise<void> {
    try {
      const found = await this.#load(botId, [...keys.keys()]);
      for (const [key, { resolve }] of keys) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of keys.values()) reject(error);
    } finally {
      this.#pending -= reads;
    }
  }
}
