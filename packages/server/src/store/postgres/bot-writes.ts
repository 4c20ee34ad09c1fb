// The writes to contacts and tokens. Those to one bot are gathered: while one transaction is being committed, the next
// fills. A transaction locks the bot's state, reads the rows that its writes touch, lets the plan decide, and writes all
// changes at once: two round trips and one sync, however many writes it holds.
import { randomBytes } from 'node:crypto';
import { StoreUnavailableError } from '../store.ts';
import {
  type Connection,
  GaveWayError,
  LostConnectionError,
  lostWhileWriting,
  type Pool,
  retrying,
  type Value,
  writeRetryMs,
} from './connections.ts';
import { arrayOfTokens, searchColumnsOf } from './search-tokens.ts';
import { statements } from './statements.ts';
import {
  hexOf,
  needsOf,
  type Outcome,
  outcomeWithoutBot,
  type StoredContact,
  type Write,
  WritePlan,
} from './write-plan.ts';

/** Two full upserts: more in one transaction gains nothing and holds the bot's lock for longer. */
const rowsPerTransaction = 2000;
const waitingRowsMax = 100_000;
/** A process that has not written to a bot for so long has no try under way that could ask for its receipt. */
const receiptLifeMs = 3_600_000;
const rememberedBots = 10_000;

interface Waiting {
  write: Write;
  rows: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export class BotWrites {
  readonly #pool: Pool;
  readonly #onCommit: (rows: number) => void;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #writer = randomBytes(12).toString('base64url');
  /** When this process last dropped the old receipts of a bot. */
  readonly #receiptsTidiedMs = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();
  #lastWrite = 0;
  #waitingRows = 0;
  #isClosed = false;

  constructor(pool: Pool, onCommit: (rows: number) => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  get waitingRows(): number {
    return this.#waitingRows;
  }

  write(botId: string, write: Write, rows = 1): Promise<Outcome> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    if (this.#waitingRows + rows > waitingRowsMax) {
      return Promise.reject(new StoreUnavailableError('too many writes are waiting'));
    }
    return new Promise((resolve, reject) => {
      this.#waitingRows += rows;
      const waiting: Waiting = { write, rows, resolve, reject };
      const queue = this.#queues.get(botId);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      const begun = [waiting];
      this.#queues.set(botId, begun);
      // What comes in the same turn of the event loop shares the transaction.
      setImmediate(() => {
        const done = this.#drain(botId, begun).finally(() => this.#underWay.delete(done));
        this.#underWay.add(done);
      });
    });
  }

  /** Finishes what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#queues.size > 0) {
      await Promise.all(this.#underWay);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Carries out the writes to one bot, a transaction at a time, until none is left. */
  async #drain(botId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      const done = await this.#carryOut(botId, batch);
      // The rest waits for the next transaction, before all that came later.
      queue.unshift(...batch.slice(done));
    }
    this.#queues.delete(botId);
  }

  /** Answers the writes, from the first on; returns how many. */
  async #carryOut(botId: string, batch: readonly Waiting[]): Promise<number> {
    try {
      const outcomes = await this.#commit(
        botId,
        batch.map(({ write }) => write),
      );
      this.#onCommit(batch.reduce((sum, { rows }) => sum + rows, 0));
      for (const [index, outcome] of outcomes.entries()) this.#answered(batch[index] as Waiting).resolve(outcome);
      return outcomes.length;
    } catch (error) {
      // One of them is to blame, and the others must not fail with it.
      const isAnyToBlame = batch.length > 1 && !(error instanceof StoreUnavailableError);
      for (const waiting of batch) {
        if (isAnyToBlame) await this.#carryOut(botId, [waiting]);
        else this.#answered(waiting).reject(error);
      }
      return batch.length;
    }
  }

  #answered(waiting: Waiting): Waiting {
    this.#waitingRows -= waiting.rows;
    return waiting;
  }

  /** The outcomes of the writes, from the first on; fewer than the writes when the rest must wait. */
  async #commit(botId: string, writes: readonly Write[]): Promise<Outcome[]> {
    const number = ++this.#lastWrite;
    let outcomes: Outcome[] = [];
    let isCommitUnanswered = false;
    const commit = (isRetry: boolean) =>
      this.#pool.use(async (connection) => {
        const opened = await this.#open(connection, botId, writes, isRetry);
        if (opened.lastWrite === number) {
          // The try before was committed, though its connection broke before it could say so. This one has done nothing.
          await connection.query('COMMIT').catch(() => {});
          return outcomes;
        }
        isCommitUnanswered = false;
        const { plan } = opened;
        outcomes = plan === undefined ? writes.map(outcomeWithoutBot) : decide(plan, writes);
        const changes = plan === undefined ? [] : changesOf(botId, plan, opened);
        const receipt = changes.length === 0 ? [] : this.#receiptOf(botId, number);
        isCommitUnanswered = true;
        await Promise.all([
          ...changes.concat(receipt).map(([name, ...values]) => connection.change(statements[name], values)),
          connection.query('COMMIT'),
        ]).catch((error) => {
          // An error of the database is an answer: it rolled back.
          isCommitUnanswered = error instanceof LostConnectionError;
          throw asConflict(error);
        });
        return outcomes;
      });
    return retrying(writeRetryMs, commit).catch((error) => {
      throw isCommitUnanswered ? lostWhileWriting(error) : error;
    });
  }

  /** Begins a transaction, locks the bot and reads what the writes touch: one round trip. */
  async #open(connection: Connection, botId: string, writes: readonly Write[], isRetry: boolean): Promise<Opened> {
    const { ids, emailKeys, tokens } = needsOf(writes);
    const readIf = (isNeeded: boolean, name: keyof typeof statements, wanted: Value) =>
      isNeeded ? connection.query(statements[name], [botId, wanted]) : [];
    const [, [state], byId, byEmail, storedTokens, [receipt]] = await Promise.all([
      connection.query('BEGIN'),
      connection.query(statements.lockState, [botId]),
      readIf(ids.size > 0, 'readForWriteById', [...ids]),
      readIf(emailKeys.size > 0, 'readForWriteByEmail', [...emailKeys]),
      readIf(tokens.length > 0, 'readTokensForWrite', tokens),
      readIf(isRetry, 'findReceipt', this.#writer),
    ]);
    const lastWrite = receipt?.[0];
    if (state === undefined) return { plan: undefined, lastWrite, contactCount: 0, lastCreatedUs: 0 };
    const [contactCount, lastCreatedUs] = state;
    const contacts = [...byId, ...byEmail].map((row): StoredContact => {
      const emailKey = row.pop();
      return { row: row as StoredContact['row'], emailKey };
    });
    const tokenOwners = new Map(storedTokens.map(([hash, contactId]) => [hexOf(hash), contactId]));
    const plan = new WritePlan({ contactCount, lastCreatedUs }, contacts, tokenOwners);
    return { plan, lastWrite, contactCount, lastCreatedUs };
  }

  #receiptOf(botId: string, number: number): Change[] {
    const nowMs = Date.now();
    const receipt: Change = ['saveReceipt', botId, this.#writer, number, nowMs];
    if (nowMs - (this.#receiptsTidiedMs.get(botId) ?? 0) < receiptLifeMs) return [receipt];
    if (this.#receiptsTidiedMs.size >= rememberedBots) this.#receiptsTidiedMs.clear();
    this.#receiptsTidiedMs.set(botId, nowMs);
    return [receipt, ['deleteOldReceipts', botId, nowMs - receiptLifeMs]];
  }
}

interface Opened {
  /** Undefined when there is no such bot. */
  plan: WritePlan | undefined;
  lastWrite: number | undefined;
  contactCount: number;
  lastCreatedUs: number;
}

/** A statement and its values. */
type Change = [name: keyof typeof statements, ...values: Value[]];

function takeBatch(queue: Waiting[]): Waiting[] {
  let rows = 0;
  const end = queue.findIndex((waiting, index) => {
    rows += waiting.rows;
    return index > 0 && rows > rowsPerTransaction;
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}

function decide(plan: WritePlan, writes: readonly Write[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const write of writes) {
    const outcome = plan.add(write);
    if (outcome === undefined) break;
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Deletions first, insertions last: an email that is given up can be taken. */
function changesOf(botId: string, plan: WritePlan, before: Opened): Change[] {
  const changes: Change[] = [];
  const { deletedIds, revokedTokens, tokenlessIds, updated, inserted, newTokens } = plan;
  if (revokedTokens.length > 0) changes.push(['deleteTokens', botId, revokedTokens]);
  if (tokenlessIds.length > 0) changes.push(['deleteTokensOf', botId, tokenlessIds]);
  if (deletedIds.length > 0) changes.push(['deleteContacts', botId, deletedIds]);
  if (updated.length > 0) changes.push(['updateContacts', botId, ...columnsOf(botId, updated)]);
  if (inserted.length > 0) changes.push(['insertContacts', botId, ...columnsOf(botId, inserted)]);
  if (newTokens.length > 0) {
    changes.push([
      'insertTokens',
      botId,
      newTokens.map(({ hash }) => hash),
      newTokens.map(({ contactId }) => contactId),
      newTokens.map(({ createdAtMs }) => createdAtMs),
      newTokens.map(({ expiresAtMs }) => expiresAtMs),
    ]);
  }
  if (plan.contactCount !== before.contactCount || plan.lastCreatedUs !== before.lastCreatedUs) {
    changes.push(['saveState', botId, plan.contactCount, plan.lastCreatedUs]);
  }
  return changes;
}

/** Rows turned into columns, as the statements take them: see `rows` in statements.ts. */
function columnsOf(botId: string, contacts: readonly StoredContact[]): Value[] {
  const column = (index: number) => contacts.map(({ row }) => row[index] as string | number);
  const searches = contacts.map(({ search, row: [, name, email, phone, mid, wid] }) => {
    return search ?? searchColumnsOf(botId, { name, email, phone, mid, wid });
  });
  const ends: number[] = [];
  for (const { tokens } of searches) ends.push((ends.at(-1) ?? 0) + tokens.length);
  return [
    ...Array.from({ length: 8 }, (_, index) => column(index)),
    contacts.map(({ emailKey }) => emailKey),
    searches.map(({ text }) => text),
    searches.map(({ tokens }, index) => (ends[index] as number) - tokens.length + 1),
    ends,
    arrayOfTokens(searches.map(({ tokens }) => tokens)),
  ];
}

/** All writers hold the lock, so only somebody outside of Roster can have taken the email: read again and decide anew. */
function asConflict(error: unknown): unknown {
  const isConflict = (error as { code?: string }).code === '23505';
  return isConflict ? new GaveWayError('an email was taken', { cause: error }) : error;
}
