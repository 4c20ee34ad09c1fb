// The writes to contacts and tokens. Those to one bot are gathered: while one transaction is being committed, the next
// fills. A transaction locks the bot's state, reads the rows that its writes touch, lets the plan decide, and writes all
// changes at once: two round trips and one sync, however many writes it holds. Creates alone are written unread, in one
// round trip, on the guess that their emails are free and nobody else writes to the bot; the database refuses the
// whole transaction where the guess is wrong, and it is done in two.
import { randomBytes } from 'node:crypto';
import type { AuditRecord } from '../account-store.ts';
import { isRefused } from '../audit-row.ts';
import { FairQueue, type QueueItem } from '../fair-queue.ts';
import { StoreUnavailableError } from '../store.ts';
import { writeAuditEntry } from './audit-entries.ts';
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

/** What this process knows of a bot it writes to. Others may have made it untrue: only speed depends on it. */
interface KnownBot {
  /** Of the newest contact, after the last transaction of this process. */
  lastCreatedUs: number;
  /** Whether that transaction found the bot as the one before it had left it, and all emails free. */
  canGuess: boolean;
  /** When this process last dropped the bot's old receipts. */
  receiptsTidiedMs: number;
}

interface Waiting extends QueueItem {
  write: Write;
  audit: AuditRecord | undefined;
  resolve(outcome: Outcome): void;
}

/** Writes that are committed together, over all tries. */
interface Transaction {
  readonly number: number;
  readonly botId: string;
  readonly bot: KnownBot;
  readonly writes: readonly Write[];
  /** Of the one write of this transaction. */
  readonly audit: AuditRecord | undefined;
  /** Of the last try. */
  outcomes: Outcome[];
  /** Whether nobody knows what came of the last try. */
  isCommitUnanswered: boolean;
}

export class BotWrites {
  readonly #pool: Pool;
  readonly #onCommit: (rows: number) => void;
  readonly #lines = new FairQueue<Waiting>({ what: 'writes', cost: waitingRowsMax });
  /** The bots whose writes are being carried out. */
  readonly #draining = new Set<string>();
  readonly #writer = randomBytes(12).toString('base64url');
  readonly #bots = new Map<string, KnownBot>();
  readonly #underWay = new Set<Promise<void>>();
  #lastWrite = 0;
  #isClosed = false;

  constructor(pool: Pool, onCommit: (rows: number) => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  get waitingRows(): number {
    return this.#lines.cost;
  }

  write(botId: string, write: Write, { audit, rows = 1 }: WriteOptions = {}): Promise<Outcome> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    return new Promise((resolve, reject) => {
      this.#lines.add({ key: botId, cost: rows, write, audit, resolve, reject });
      if (this.#draining.has(botId)) return;
      this.#draining.add(botId);
      // What comes in the same turn of the event loop shares the transaction.
      setImmediate(() => {
        const done = this.#drain(botId).finally(() => this.#underWay.delete(done));
        this.#underWay.add(done);
      });
    });
  }

  /** Finishes what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#draining.size > 0) {
      await Promise.all(this.#underWay);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Carries out the writes to one bot, a transaction at a time, until none is left. */
  async #drain(botId: string): Promise<void> {
    const take = () => this.#lines.takeFrom(botId, rowsPerTransaction);
    for (let pending = take(); pending.length > 0; pending = take()) {
      // What a transaction leaves undone is the beginning of the next one.
      while (pending.length > 0) pending = pending.slice(await this.#carryOut(botId, firstTransactionOf(pending)));
    }
    this.#draining.delete(botId);
  }

  /** Answers the writes, from the first on; returns how many. */
  async #carryOut(botId: string, batch: readonly Waiting[]): Promise<number> {
    try {
      const outcomes = await this.#commit(botId, batch);
      this.#onCommit(batch.reduce((sum, { cost }) => sum + cost, 0));
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
    this.#lines.done(waiting);
    return waiting;
  }

  /** The outcomes of the writes, from the first on; fewer than the writes when the rest must wait. */
  async #commit(botId: string, batch: readonly Waiting[]): Promise<Outcome[]> {
    const writes = batch.map(({ write }) => write);
    const audit = batch[0]?.audit;
    const bot = this.#knownBot(botId);
    const number = ++this.#lastWrite;
    const transaction: Transaction = { number, botId, bot, writes, audit, outcomes: [], isCommitUnanswered: false };
    const commit = (isRetry: boolean) =>
      this.#pool.use(async (connection) => {
        const isGuess =
          !isRetry && audit === undefined && bot.canGuess && writes.every(({ kind }) => kind === 'create');
        if (isGuess && (await this.#createUnread(connection, transaction))) return;
        await this.#readAndWrite(connection, transaction, isRetry);
      });
    await retrying(writeRetryMs, commit).catch((error) => {
      throw transaction.isCommitUnanswered ? lostWhileWriting(error) : error;
    });
    return transaction.outcomes;
  }

  /** One round trip. False: the guess was wrong, and nothing was done. */
  async #createUnread(connection: Connection, transaction: Transaction): Promise<boolean> {
    const { botId, bot, writes } = transaction;
    const plan = new WritePlan({ contactCount: 0, lastCreatedUs: bot.lastCreatedUs }, [], new Map());
    transaction.outcomes = decide(plan, writes);
    const { inserted, contactCount, lastCreatedUs } = plan;
    const firstCreatedUs = inserted[0]?.row[6] as number;
    // Until it has turned out right.
    bot.canGuess = false;
    const changes: Change[] = [
      ['addToState', botId, firstCreatedUs, lastCreatedUs, contactCount],
      ['insertContacts', botId, ...columnsOf(botId, inserted)],
    ];
    try {
      const [, statesChanged] = await this.#write(connection, transaction, changes, ['BEGIN']);
      // A deleted bot never comes back: nothing that followed has found it either.
      if (statesChanged === 0) transaction.outcomes = writes.map(outcomeWithoutBot);
      else Object.assign(bot, { lastCreatedUs, canGuess: true });
      return true;
    } catch (error) {
      if (isWrongGuess(error)) return false;
      throw error;
    }
  }

  /** Two round trips. */
  async #readAndWrite(connection: Connection, transaction: Transaction, isRetry: boolean): Promise<void> {
    const { botId, bot, writes } = transaction;
    const opened = await this.#open(connection, botId, writes, isRetry);
    if (opened.lastWrite === transaction.number) {
      // The try before was committed, though its connection broke before it could say so. This one has done nothing.
      await connection.query('COMMIT').catch(() => {});
      return;
    }
    transaction.isCommitUnanswered = false;
    const { plan } = opened;
    transaction.outcomes = plan === undefined ? writes.map(outcomeWithoutBot) : decide(plan, writes);
    const changes = plan === undefined ? [] : changesOf(botId, plan, opened);
    await this.#write(connection, transaction, changes).catch((error) => {
      throw asConflict(error);
    });
    if (plan === undefined) return;
    bot.canGuess = opened.lastCreatedUs === bot.lastCreatedUs && !transaction.outcomes.some(isEmailTaken);
    bot.lastCreatedUs = plan.lastCreatedUs;
  }

  /** Makes the changes and commits, after what is to go out `before` with them. Returns how many rows each changed. */
  async #write(
    connection: Connection,
    transaction: Transaction,
    changes: readonly Change[],
    before: readonly string[] = [],
  ): Promise<number[]> {
    const { audit, outcomes } = transaction;
    const isRecorded = audit !== undefined && !isRefused(outcomes[0]);
    if (isRecorded) await writeAuditEntry(connection, audit);
    const receipt = changes.length === 0 && !isRecorded ? [] : this.#receiptOf(transaction);
    transaction.isCommitUnanswered = true;
    // Each is waited for: after an error of one, the answer to COMMIT is that it rolled back, and the connection is clean.
    const answers = await Promise.allSettled([
      ...before.map((text) => connection.change(text)),
      ...changes.concat(receipt).map(([name, ...values]) => connection.change(statements[name], values)),
      connection.change('COMMIT'),
    ]);
    const refused = answers.find((answer) => answer.status === 'rejected');
    // An error of the database is an answer: it rolled back.
    transaction.isCommitUnanswered = refused?.reason instanceof LostConnectionError;
    if (refused !== undefined) throw refused.reason;
    return answers.map((answer) => (answer as PromiseFulfilledResult<number>).value);
  }

  #knownBot(botId: string): KnownBot {
    let bot = this.#bots.get(botId);
    if (bot === undefined) {
      if (this.#bots.size >= rememberedBots) this.#bots.clear();
      bot = { lastCreatedUs: 0, canGuess: false, receiptsTidiedMs: 0 };
      this.#bots.set(botId, bot);
    }
    return bot;
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

  #receiptOf({ botId, bot, number }: Transaction): Change[] {
    const nowMs = Date.now();
    const receipt: Change = ['saveReceipt', botId, this.#writer, number, nowMs];
    if (nowMs - bot.receiptsTidiedMs < receiptLifeMs) return [receipt];
    bot.receiptsTidiedMs = nowMs;
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

interface WriteOptions {
  audit?: AuditRecord | undefined;
  /** How many rows the write counts for. */
  rows?: number;
}

/**
 * A write with an audit entry is a transaction of its own: the entry lies in a table that a sharded database holds on
 * every node, and writes without one must not pay for a commit on all of them.
 */
function firstTransactionOf(pending: readonly Waiting[]): readonly Waiting[] {
  const audited = pending.findIndex(({ audit }) => audit !== undefined);
  return audited === -1 ? pending : pending.slice(0, Math.max(1, audited));
}

/** A statement and its values. */
type Change = [name: keyof typeof statements, ...values: Value[]];

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

function isEmailTaken(outcome: Outcome): boolean {
  return typeof outcome === 'object' && outcome.kind === 'email_taken';
}

/** An email is taken, or the newest contact is newer than thought. */
function isWrongGuess(error: unknown): boolean {
  return ['23505', '23502'].includes((error as { code?: string }).code ?? '');
}

/** All writers hold the lock, so only somebody outside of Roster can have taken the email: read again and decide anew. */
function asConflict(error: unknown): unknown {
  const isConflict = (error as { code?: string }).code === '23505';
  return isConflict ? new GaveWayError('an email was taken', { cause: error }) : error;
}
