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

export function gatherReads<Value>(load: Load<Value>, inFlightMax: number) {
  const batches: Batch<Value>[] = [];
  /** The batch of each bot that still takes keys. */
  const open = new Map<string, Batch<Value>>();
  let inFlight = 0;
  let pending = 0;
  let isScheduled = false;

  const find = (botId: string, key: string): Promise<Value | undefined> => {
    // Nothing has such a key, and the database would refuse it together with all others of its statement.
    if (key.includes('\0') || !key.isWellFormed()) return Promise.resolve(undefined);
    if (pending >= pendingMax) return Promise.reject(new StoreUnavailableError('too many reads are pending'));
    let batch = open.get(botId);
    if (batch === undefined) {
      batch = { botId, keys: new Map(), reads: 0 };
      open.set(botId, batch);
      batches.push(batch);
    }
    const answer = batch.keys.get(key) ?? Promise.withResolvers();
    batch.keys.set(key, answer);
    batch.reads++;
    pending++;
    if (batch.keys.size >= keysPerBatch) open.delete(botId);
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        start();
      });
    }
    return answer.promise;
  };

  const start = (): void => {
    while (inFlight < inFlightMax) {
      const batch = batches.shift();
      if (batch === undefined) return;
      if (open.get(batch.botId) === batch) open.delete(batch.botId);
      inFlight++;
      run(batch).finally(() => {
        inFlight--;
        start();
      });
    }
  };

  const run = async ({ botId, keys, reads }: Batch<Value>): Promise<void> => {
    try {
      const found = await load(botId, [...keys.keys()]);
      for (const [key, { resolve }] of keys) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of keys.values()) reject(error);
    } finally {
      pending -= reads;
    }
  };

  return { find, pending: () => pending };
}
