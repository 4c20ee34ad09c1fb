// Group commit for the writes to contacts and tokens: the writes to one bot are gathered while a transaction is being
// committed, and share the next one. What a transaction does is in transaction.ts.
import { idOf } from '../../contacts/changes.ts';
import { FairQueue, type QueueItem } from '../../fair-queue.ts';
import { type Store, StoreUnavailableError } from '../../store.ts';
import type { ValueChanges } from '../../values/attribute-store.ts';
import { tagKeysOf } from '../../values/contact-values.ts';
import { hasValues } from '../../values/stored-values.ts';
import type { Transactions } from '../transactions.ts';
import type { Outcome, Write, WritePlan } from './plan.ts';
import { decideWrites } from './transaction.ts';

/** A full upsert: more in one transaction gains nothing, and holds the bot's lock and the main thread for longer. */
const rowsPerTransaction = 1000;
const pendingRowsMax = 100_000;

const withoutBot = { kind: 'missing' } as const;

interface PendingWrite extends QueueItem {
  write: Write;
  resolve(outcome: Outcome): void;
}

export class ContactWrites {
  readonly #transact: Transactions['transact'];
  readonly #onCommit: (rows: number) => void;
  readonly #queue = new FairQueue<PendingWrite>({ what: 'writes', cost: pendingRowsMax });
  /** By bot: resolves when no write to it is left. */
  readonly #draining = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor({ transact }: Transactions, onCommit: (rows: number) => void) {
    this.#transact = transact;
    this.#onCommit = onCommit;
  }

  get pendingRows(): number {
    return this.#queue.cost;
  }

  write<Decided extends Outcome>(botId: string, write: Write<Decided>): Promise<Decided> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    return new Promise((resolve, reject) => {
      const answer = { resolve: resolve as (outcome: Outcome) => void, reject };
      this.#queue.add({ key: botId, cost: write.rows ?? 1, write, ...answer });
      if (!this.#draining.has(botId)) this.#draining.set(botId, this.#drain(botId));
    });
  }

  /** Finishes the pending writes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#draining.values());
  }

  /** Carries out the writes to one bot, a transaction at a time, until none is left. */
  async #drain(botId: string): Promise<void> {
    // What comes in the same turn of the event loop shares the transaction.
    await new Promise((resolve) => setImmediate(resolve));
    const take = () => this.#queue.takeFrom(botId, rowsPerTransaction);
    for (let pending = take(); pending.length > 0; pending = take()) {
      // What a transaction leaves undone is the beginning of the next one.
      while (pending.length > 0) pending = pending.slice(await this.#carryOut(botId, firstTransactionOf(pending)));
    }
    this.#draining.delete(botId);
  }

  /** Answers the writes, from the first on; returns how many. */
  async #carryOut(botId: string, batch: readonly PendingWrite[]): Promise<number> {
    try {
      const writes = batch.map(({ write }) => write);
      const all = { botId, writes, audit: batch[0]?.write.context.audit };
      const outcomes = await this.#transact(botId, (connection) => decideWrites(connection, all));
      this.#onCommit(batch.reduce((sum, { cost }) => sum + cost, 0));
      for (const [index, outcome] of outcomes.entries()) this.#answered(batch[index] as PendingWrite).resolve(outcome);
      return outcomes.length;
    } catch (error) {
      // One write is the cause, and the others must not fail with it.
      const isOneTheCause = batch.length > 1 && !(error instanceof StoreUnavailableError);
      for (const pending of batch) {
        if (isOneTheCause) await this.#carryOut(botId, [pending]);
        else this.#answered(pending).reject(error);
      }
      return batch.length;
    }
  }

  #answered(pending: PendingWrite): PendingWrite {
    this.#queue.done(pending);
    return pending;
  }
}

/**
 * A write with an audit entry is a transaction of its own: the entry lies in a table that a sharded database holds on
 * every node, and writes without one must not pay for a commit on all of them.
 */
function firstTransactionOf(pending: readonly PendingWrite[]): readonly PendingWrite[] {
  const audited = pending.findIndex(({ write }) => write.context.audit !== undefined);
  return audited === -1 ? pending : pending.slice(0, Math.max(1, audited));
}

/** What a write of these must read of attributes and tags. */
function valuesIn(changes: readonly ValueChanges[]): Pick<Write, 'values' | 'tagKeys'> {
  return { values: changes.some(hasValues) ? 'always' : undefined, tagKeys: tagKeysOf(changes) };
}

export function prepareContactWrites(writes: ContactWrites) {
  return {
    createContact: (botId, contact, context) => {
      const { nowMs } = context;
      const decide = (plan: WritePlan) => plan.create(contact, nowMs);
      const emailKeys = [contact.emailKey];
      return writes.write(botId, { emailKeys, ...valuesIn([contact]), decide, withoutBot, context });
    },
    updateContact: (botId, contact, changes, context) => {
      const emailKeys = changes.emailKey === undefined ? [] : [changes.emailKey];
      const decide = (plan: WritePlan) => plan.update(contact, changes, context.nowMs);
      const contactIds = [idOf(contact)];
      return writes.write(botId, { contactIds, emailKeys, ...valuesIn([changes]), decide, withoutBot, context });
    },
    upsertContacts: (botId, items, context) => {
      const emailKeys = items.map(({ emailKey }) => emailKey);
      const decide = (plan: WritePlan) => plan.upsert(items, context.nowMs);
      const rows = items.length;
      return writes.write(botId, { emailKeys, ...valuesIn(items), rows, decide, withoutBot, context });
    },
    deleteContact: (botId, contact, context) => {
      const decide = (plan: WritePlan) => plan.delete(contact);
      return writes.write(botId, { contactIds: [idOf(contact)], values: 'ifHeld', decide, context });
    },
    deleteContacts: (botId, contactIds, context) => {
      const decide = (plan: WritePlan) => contactIds.map((contactId) => plan.delete(contactId) === true);
      const noneIs = contactIds.map(() => false);
      const rows = contactIds.length;
      return writes.write(botId, { contactIds, values: 'ifHeld', rows, decide, withoutBot: noneIs, context });
    },
  } satisfies Partial<Store>;
}
