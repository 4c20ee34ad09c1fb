// One transaction of writes to one bot, over all its tries. A try locks the bot's state and reads the rows that the writes
// touch, lets the plan decide, and writes all changes: two round trips and one sync, however many writes it holds.
// Creates alone, without attributes and tags, are tried in one round trip first, without reading.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditRecord } from '../account-store.ts';
import { countByDay, dayOf, keptDays, startOfDayUs } from '../activity-rows.ts';
import { recordOf } from '../audit-sql.ts';
import { type ContactRow, valuesOfRow } from '../contact-row.ts';
import { type SeenToken, StoreUnavailableError } from '../store.ts';
import { keptOf } from '../token-rows.ts';
import { hasRecorded, writeAuditEntry } from './audit.ts';
import { changesOfFields, ReadFields } from './bot-fields.ts';
import { type BotState, type Outcome, type Write, WritePlan } from './contact-plan.ts';
import { type Change, statements } from './contact-statements.ts';
import { ConflictError, isCommitUnknown, LostConnectionError, outcomeUnknown } from './driver-errors.ts';
import { documentOf, type StoredContact, valueChangeOf } from './planned-contact.ts';
import { hexOf, type StoredToken } from './planned-tokens.ts';
import type { Connection, Pool, Value } from './pool.ts';
import { retrying, writeRetryMs } from './retries.ts';
import type { CachedCounts } from './search/cached-counts.ts';
import { filterColumnsOf, searchColumnsOf } from './search/search.ts';
import { isDone, isOutdated, type ReadForWrite, settle, type UnansweredTry } from './unanswered-try.ts';

/** With more rows, reading, planning and sending take the main thread some ten milliseconds each: others have a turn in between. */
const rowsInOneTurn = 100;

export class ContactTransaction {
  readonly #botId: string;
  readonly #writes: readonly Write[];
  /** Of the only write of this transaction. */
  readonly #audit: AuditRecord | undefined;
  readonly #counts: CachedCounts;
  #unanswered: UnansweredTry | undefined;

  constructor(botId: string, writes: readonly Write[], audit: AuditRecord | undefined, counts: CachedCounts) {
    this.#botId = botId;
    this.#writes = writes;
    this.#audit = audit;
    this.#counts = counts;
  }

  /** The outcomes of the writes, from the first on; fewer than the writes when the rest needs another transaction. */
  run(pool: Pool): Promise<Outcome[]> {
    let tries = 0;
    const tryOnce = async (connection: Connection) => {
      const created = tries++ === 0 ? await this.#createUnread(connection) : undefined;
      return created ?? this.#readAndWrite(connection);
    };
    return retrying(writeRetryMs, () => pool.use(tryOnce, this.#botId)).catch((error) => {
      throw this.#unanswered === undefined ? error : outcomeUnknown(error);
    });
  }

  /**
   * Assumes that all emails are free, that the newest contact of the bot, if it has any, is of the same day and not newer than
   * the clock, and that its cached counts are those that are known. The lock makes the insert
   * and the change of the state see the same state, so both happen or neither, and the number of changed rows says
   * which. Undefined: the assumption was wrong, and nothing was done.
   */
  async #createUnread(connection: Connection): Promise<Outcome[] | undefined> {
    const createdAtMs = this.#writes[0]?.createdAtMs;
    const isAllCreates = this.#writes.every((write) => write.createdAtMs !== undefined);
    if (createdAtMs === undefined || !isAllCreates || this.#audit !== undefined) return undefined;
    const { version: countsVersion } = this.#counts.known(this.#botId);
    const firstUs = createdAtMs * 1000;
    const counts = { contactCount: 0, createdLastDay: 0, countsVersion };
    const assumed: BotState = { ...counts, lastCreatedUs: firstUs - 1, lastEvent: undefined };
    const plan = new WritePlan(assumed, [], new Map());
    const outcomes = decide(plan, this.#writes);
    if (dayOf(plan.lastCreatedUs) !== dayOf(firstUs)) return undefined;
    const changes: Change[] = [['lockState', this.#botId], ...this.#changesOf(plan, assumed, startOfDayUs(firstUs))];
    // Goes out together with the changes, which fail too if this does.
    connection.query('BEGIN').catch(() => {});
    try {
      const changed = await this.#commit(connection, changes, { outcomes, plan });
      return changed.at(-1) === 1 ? outcomes : undefined;
    } catch (error) {
      if (error instanceof ConflictError) return undefined;
      throw error;
    }
  }

  async #readAndWrite(connection: Connection): Promise<Outcome[]> {
    const earlier = this.#unanswered;
    const insertedIds = earlier?.plan?.insertedIds ?? new Set();
    const read = await this.#lockAndRead(connection);
    // Ids are random, so a contact with an id that the earlier try made is its own; likewise its audit entry and its events.
    const isCommitted = read.isRecorded || read.contacts.some(({ row: [id] }) => insertedIds.has(id));
    if (earlier !== undefined && (isCommitted || isDone(earlier.plan, read))) {
      await connection.query('ROLLBACK');
      return earlier.outcomes;
    }
    if (insertedIds.size > 0 && (await this.#mayBeDeleted(connection, earlier, read.state))) {
      await connection.query('ROLLBACK');
      throw new StoreUnavailableError('what this write created may have been deleted since');
    }
    // Nothing proves that an earlier try without inserts and events was not committed.
    const isProven = insertedIds.size > 0 || this.#audit !== undefined || this.#unansweredEvents !== undefined;
    if (isProven) this.#unanswered = undefined;
    const { state, contacts, tokens, fields } = read;
    await this.#giveOthersATurn();
    const plan = state && new WritePlan(state, contacts, tokens, fields);
    const decided =
      plan === undefined ? this.#writes.map(({ withoutBot = false }) => withoutBot) : decide(plan, this.#writes);
    if (this.#unanswered !== undefined && decided.some((outcome, at) => isOutdated(earlier?.outcomes[at], outcome))) {
      await connection.query('ROLLBACK');
      throw new StoreUnavailableError('what this write changed may have been changed since');
    }
    const outcomes = decided.map((outcome, index) => settle(earlier?.outcomes[index], outcome));
    const record = recordOf(this.#audit, decided[0]);
    if (record !== undefined) await writeAuditEntry(connection, record);
    if (state !== undefined) await this.#counts.learn(connection, this.#botId, state.countsVersion);
    await this.#giveOthersATurn();
    const changes = plan === undefined ? [] : this.#changesOf(plan, state as BotState);
    await this.#giveOthersATurn();
    await this.#commit(connection, changes, { outcomes, plan });
    return outcomes;
  }

  async #giveOthersATurn(): Promise<void> {
    const rows = this.#writes.reduce((sum, write) => sum + (write.rows ?? 1), 0);
    if (rows > rowsInOneTurn) await nextTurn();
  }

  /** Somebody created a contact of the bot at the time of the earlier try, and that contact is gone. */
  async #mayBeDeleted(connection: Connection, earlier?: UnansweredTry, state?: BotState): Promise<boolean> {
    if (state?.lastCreatedUs !== earlier?.plan?.lastCreatedUs) return false;
    const [newest] = await connection.query<{ createdUs: number }>(statements.readNewest, [this.#botId]);
    return newest?.createdUs !== state?.lastCreatedUs;
  }

  /** One round trip, or two if contacts hold attributes and tags that writes are about. Without a state there is no such bot. */
  async #lockAndRead(connection: Connection): Promise<ReadForWrite> {
    const named = this.#writes.flatMap(({ contactIds }) => contactIds ?? []);
    const ids = new Set([...named, ...(this.#unanswered?.plan?.insertedIds ?? [])]);
    const emailKeys = new Set(this.#writes.flatMap((write) => write.emailKeys ?? []));
    const hashes = this.#writes.flatMap(({ tokens }) => tokens ?? []);
    const tokensOf = this.#writes.flatMap((write) => write.tokensOf ?? []);
    const botId = this.#botId;
    const namedFields = this.#writes.flatMap((write) => write.fields ?? []);
    const fields = namedFields.length === 0 ? undefined : new ReadFields();
    const readContacts = (name: 'readForWriteById' | 'readForWriteByEmail', keys: ReadonlySet<string>) =>
      keys.size === 0
        ? []
        : connection.tuples<[emailKey: string, ...row: ContactRow]>(statements[name], [botId, [...keys]]);
    const readTokens = (name: 'readTokensForWrite' | 'readTokensOf', keys: readonly (Uint8Array | string)[]) =>
      keys.length === 0 ? [] : connection.query<StoredToken & { hash: Buffer }>(statements[name], [botId, keys]);
    const [, [state], byId, byEmail, byHash, ofContacts, isRecorded, hasEvents] = await Promise.all([
      connection.query('BEGIN'),
      connection.query<BotState>(statements.lockState, [botId]),
      readContacts('readForWriteById', ids),
      readContacts('readForWriteByEmail', emailKeys),
      readTokens('readTokensForWrite', hashes),
      readTokens('readTokensOf', tokensOf),
      this.#unanswered !== undefined && this.#audit !== undefined && hasRecorded(connection, this.#audit),
      this.#hasEvents(connection),
      fields?.readNamed(connection, botId, namedFields),
    ]);
    const contacts = [...byId, ...byEmail].map(([emailKey, ...row]): StoredContact => ({ row, emailKey }));
    const tokens = new Map([...byHash, ...ofContacts].map(({ hash, ...token }) => [hexOf(hash), token]));
    const rows = contacts.map(({ row }) => row);
    await fields?.readHeld(connection, botId, namedFields, rows);
    return { state, contacts, tokens, fields, isRecorded: isRecorded || hasEvents };
  }

  /** Where the events of an earlier try are, if it has any. Of creates that were tried unread, the contacts tell it. */
  get #unansweredEvents(): { lastEvent: number; id: string } | undefined {
    const { packed: [first] = [], before } = this.#unanswered?.plan?.events ?? {};
    return first === undefined || before === undefined ? undefined : { lastEvent: before, id: first.id };
  }

  async #hasEvents(connection: Connection): Promise<boolean> {
    const { lastEvent = 0, id } = this.#unansweredEvents ?? {};
    if (id === undefined) return false;
    return (await connection.query(statements.findEventRow, [this.#botId, lastEvent, id])).length > 0;
  }

  #changesOf(plan: WritePlan, before: BotState, createdSinceUs = 0): Change[] {
    return changesOf(this.#botId, plan, before, createdSinceUs, this.#counts.growthsOf(this.#botId, plan));
  }

  /** One round trip. Returns how many rows each change touched. */
  async #commit(connection: Connection, changes: readonly Change[], committing: UnansweredTry): Promise<number[]> {
    // Each is waited for: after an error of one, COMMIT is answered with a rollback, and the connection is clean.
    const answers = await Promise.allSettled([
      ...changes.map(([name, ...values]) => connection.change(statements[name], values)),
      connection.change('COMMIT'),
    ]);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) {
      // An error of a change is an answer: the COMMIT behind it was one to roll back.
      const isAtCommit = failed === answers.at(-1);
      if (isAtCommit ? isCommitUnknown(failed.reason) : failed.reason instanceof LostConnectionError) {
        this.#unanswered = committing;
      }
      throw asConflict(failed.reason);
    }
    return answers.slice(0, -1).map((answer) => (answer as PromiseFulfilledResult<number>).value);
  }
}

function decide(plan: WritePlan, writes: readonly Write[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const write of writes) {
    plan.events.context = write.context;
    const outcome = write.decide(plan);
    if (outcome === undefined) break;
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Deletions first, insertions last: an email that is given up can be taken. */
function changesOf(
  botId: string,
  plan: WritePlan,
  before: BotState,
  createdSinceUs: number,
  growths: number[] | null,
): Change[] {
  const changes: Change[] = [];
  const seen = [before.lastCreatedUs, before.countsVersion, createdSinceUs];
  const { deleted, updated, inserted, tokens, events } = plan;
  const { revoked, tokenlessIds, created: newTokens, max: tokensMax } = tokens;
  if (revoked.length > 0) changes.push(['deleteTokens', botId, revoked]);
  if (tokenlessIds.length > 0) changes.push(['deleteTokensOf', botId, tokenlessIds]);
  const deletedIds = deleted.map(({ row: [id] }) => id);
  if (deletedIds.length > 0)
    changes.push(['deleteContacts', botId, deletedIds], ['forgetResponses', botId, deletedIds]);
  if (updated.length > 0) {
    const columns = columnsOf(botId, updated);
    if (!updated.some(valueChangeOf)) changes.push(['updateContacts', botId, ...columns]);
    else changes.push(['updateContactsWithValues', botId, ...columns, ...valueColumnsOf(botId, updated)]);
  }
  if (inserted.length > 0) {
    const columns = columnsOf(botId, inserted);
    if (!inserted.some(valueChangeOf)) changes.push(['insertContacts', botId, ...columns, ...seen]);
    else changes.push(['insertContactsWithValues', botId, ...columns, ...valueColumnsOf(botId, inserted), ...seen]);
  }
  changes.push(...changesOfFields(botId, plan.fieldChanges, plan.nextField));
  if (newTokens.length > 0) {
    changes.push([
      'insertTokens',
      botId,
      newTokens.map(({ hash }) => hash),
      newTokens.map(({ contactId }) => contactId),
      newTokens.map(({ createdAtMs }) => createdAtMs),
      newTokens.map(({ expiresAtMs }) => expiresAtMs),
    ]);
    if (tokensMax !== undefined) {
      const contactIds = [...new Set(newTokens.map(({ contactId }) => contactId))];
      changes.push(['removeOldestTokens', botId, contactIds, tokensMax, keptOf(tokensMax)]);
    }
  }
  if (tokens.seen.length > 0) {
    changes.push(['noteTokensSeen', botId, ...columnsOfSeen(tokens.seen)]);
  }
  let last = 0;
  for (const { id, count, atMs, body } of events.packed) {
    last += count;
    changes.push(['insertEvents', botId, last, count, atMs, id, body, ...seen]);
  }
  const isCounted = plan.contactCount !== before.contactCount || plan.lastCreatedUs !== before.lastCreatedUs;
  if (isCounted || growths !== null || events.count > 0) {
    const added = plan.contactCount - before.contactCount;
    const { finished, createdLastDay } = countByDay(
      before,
      inserted.map(({ row: [, , , , , , createdUs] }) => createdUs),
    );
    for (const { day, count } of finished) {
      changes.push(['addToDay', botId, day, count], ['removeOldDays', botId, day - keptDays]);
    }
    const addedToDay = createdLastDay - before.createdLastDay;
    changes.push(['saveState', botId, added, plan.lastCreatedUs, growths, ...seen, addedToDay, events.count]);
  }
  return changes;
}

export function columnsOfSeen(seen: readonly SeenToken[]): Value[] {
  return [seen.map(({ hash }) => hash), seen.map(({ seenAtMs }) => seenAtMs)];
}

/** Rows turned into columns, as the statements take them: see `rows` in contact-statements.ts. */
function columnsOf(botId: string, contacts: readonly StoredContact[]): Value[] {
  const column = (index: number) => contacts.map(({ row }) => row[index] as string | number);
  return [
    ...Array.from({ length: 8 }, (_, index) => column(index)),
    contacts.map(({ emailKey }) => emailKey),
    ...searchColumnsOf(
      botId,
      contacts.map(({ row }) => documentOf(row)),
    ),
  ];
}

function valueColumnsOf(botId: string, contacts: readonly StoredContact[]): Value[] {
  const values = contacts.map(({ row }) => valuesOfRow(row));
  const filters = filterColumnsOf(botId, values);
  return [values.map(([attributes]) => attributes), values.map(([, tags]) => tags), ...filters];
}

/** Under the lock only somebody outside of Roster can take an email meanwhile; the retry reads again and decides anew. */
function asConflict(error: unknown): unknown {
  const isConflict = (error as { code?: string }).code === '23505';
  return isConflict ? new ConflictError('an email was taken', { cause: error }) : error;
}
