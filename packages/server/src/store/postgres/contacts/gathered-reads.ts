// Reads of single rows by key. Those of a bot that come in one turn of the event loop, or while all connections are in use,
// go out as one statement: a hundred keys cost little more than one.
import { StoreUnavailableError } from '../../store.ts';
import type { Connection } from '../pool.ts';

interface Batch<Value> {
  botId: string;
  /** Reads of the same key share their answer. */
  keys: Map<string, PromiseWithResolvers<Value | undefined>>;
  reads: number;
}

export interface GatheredReads<Value> {
  /** Lends a connection for rows of the bot, when there is one. It may do the work again after a loss. */
  lend(botId: string, work: (connection: Connection) => Promise<void>): Promise<void>;
  /** Finds what belongs to each key; keys without a value are left out. */
  load(connection: Connection, botId: string, keys: string[]): Promise<Map<string, Value>>;
}

const keysPerBatch = 200;
/** With more pending reads the database does not keep up, and a longer queue would not help. */
const pendingMax = 20_000;

export function gatherReads<Value>({ lend, load }: GatheredReads<Value>) {
  /** The batch of each bot that still takes keys. */
  const open = new Map<string, Batch<Value>>();
  let pending = 0;

  const find = (botId: string, key: string): Promise<Value | undefined> => {
    // Nothing has such a key, and the database would refuse it together with all others of its statement.
    if (key.includes('\0') || !key.isWellFormed()) return Promise.resolve(undefined);
    if (pending >= pendingMax) return Promise.reject(new StoreUnavailableError('too many reads are pending'));
    const batch = open.get(botId) ?? startBatch(botId);
    const answer = batch.keys.get(key) ?? Promise.withResolvers();
    batch.keys.set(key, answer);
    batch.reads++;
    pending++;
    if (batch.keys.size >= keysPerBatch) close(batch);
    return answer.promise;
  };

  const startBatch = (botId: string): Batch<Value> => {
    const batch = { botId, keys: new Map(), reads: 0 };
    open.set(botId, batch);
    setImmediate(run, batch);
    return batch;
  };

  const close = (batch: Batch<Value>): void => {
    if (open.get(batch.botId) === batch) open.delete(batch.botId);
  };

  const run = async (batch: Batch<Value>): Promise<void> => {
    const { botId, keys } = batch;
    try {
      await lend(botId, async (connection) => {
        close(batch);
        const found = await load(connection, botId, [...keys.keys()]);
        // Before the connection is lent to the next batch: whoever is answered, and asks again at once, is still in it.
        for (const [key, { resolve }] of keys) resolve(found.get(key));
      });
    } catch (error) {
      for (const { reject } of keys.values()) reject(error);
    } finally {
      // It may have failed before it had a connection.
      close(batch);
      pending -= batch.reads;
    }
  };

  return { find, pending: () => pending };
}
