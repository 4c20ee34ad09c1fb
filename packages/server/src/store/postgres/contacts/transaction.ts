// One try of a transaction of writes to one bot. It locks the bot's state and reads the rows that the writes touch, lets the plan
// decide, and names all changes: two round trips and one sync, however many writes it holds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditRecord } from '../../account/account-store.ts';
import { recordOf } from '../../account/audit-sql.ts';
import { countByDay, keptDays } from '../../activity/rows.ts';
import { type ContactRow, documentOfRow, valuesOfRow } from '../../contacts/row.ts';
import { keptOf } from '../../tokens/rows.ts';
import type { Connection, Value } from '../pool.ts';
import { filterColumnsOf, searchColumnsOf } from '../search/search.ts';
import { hexOf, type StoredToken } from '../tokens/planned-tokens.ts';
import type { Decided } from '../transactions.ts';
import { changesOfValues, readBotValues } from '../values/bot-values.ts';
import { type BotState, hasValueChange, type Outcome, type StoredContact, type Write, WritePlan } from './plan.ts';
import { type Change, statements } from './statements.ts';

/** With more rows, reading, planning and sending take the main thread some ten milliseconds each: others have a turn in between. */
const rowsInOneTurn = 100;

export interface WritesToBot {
  botId: string;
  writes: readonly Write[];
  /** Of the only write. */
  audit: AuditRecord | undefined;
}

/** Comes to the outcomes of the writes, from the first on; fewer than the writes when the rest needs another transaction. */
export async function decideWrites(
  connection: Connection,
  { botId, writes, audit }: WritesToBot,
): Promise<Decided<Outcome[]>> {
  const rows = writes.reduce((sum, write) => sum + (write.rows ?? 1), 0);
  const giveOthersATurn = async () => {
    if (rows > rowsInOneTurn) await nextTurn();
  };
  const { state, contacts, tokens, botValues } = await lockAndRead(connection, botId, writes);
  if (state === undefined) return { outcome: writes.map(({ withoutBot = false }) => withoutBot), isRefused: true };
  await giveOthersATurn();
  const plan = new WritePlan(state, contacts, tokens, botValues);
  const outcome = decide(plan, writes);
  const changes = changesOf(botId, plan, state);
  await giveOthersATurn();
  return { outcome, audit: recordOf(audit, outcome[0]), changes, events: plan.events };
}

/** One round trip, or two if contacts have attributes and tags that are to be read. Without a state there is no such bot. */
async function lockAndRead(connection: Connection, botId: string, writes: readonly Write[]) {
  const ids = new Set(writes.flatMap(({ contactIds }) => contactIds ?? []));
  const emailKeys = new Set(writes.flatMap((write) => write.emailKeys ?? []));
  const hashes = writes.flatMap(({ tokens }) => tokens ?? []);
  const tokensOf = writes.flatMap((write) => write.tokensOf ?? []);
  const tagKeys = writes.flatMap((write) => write.tagKeys ?? []);
  const isAbout = (wanted: Write['values']) => writes.some(({ values }) => values === wanted);
  const readContacts = (name: 'readForWriteById' | 'readForWriteByEmail', keys: ReadonlySet<string>) =>
    keys.size === 0
      ? []
      : connection.tuples<[emailKey: string, ...row: ContactRow]>(statements[name], [botId, [...keys]]);
  const readTokens = (name: 'readTokensForWrite' | 'readTokensOf', keys: readonly (Uint8Array | string)[]) =>
    keys.length === 0 ? [] : connection.query<StoredToken & { hash: Buffer }>(statements[name], [botId, keys]);
  const [[state], byId, byEmail, byHash, ofContacts, readAtOnce] = await Promise.all([
    connection.query<BotState>(statements.lockState, [botId]),
    readContacts('readForWriteById', ids),
    readContacts('readForWriteByEmail', emailKeys),
    readTokens('readTokensForWrite', hashes),
    readTokens('readTokensOf', tokensOf),
    isAbout('always') ? readBotValues(connection, botId, [...new Set(tagKeys)]) : undefined,
  ]);
  const contacts = [...byId, ...byEmail].map(([emailKey, ...row]): StoredContact => ({ row, emailKey }));
  const tokens = new Map([...byHash, ...ofContacts].map(({ hash, ...token }) => [hexOf(hash), token]));
  const held = contacts.map(({ row }) => valuesOfRow(row)).filter((values) => values.some((each) => each !== null));
  const isReadLater = readAtOnce === undefined && isAbout('ifHeld') && held.length > 0;
  const botValues = isReadLater ? await readBotValues(connection, botId, []) : readAtOnce;
  const areTagsHeld = isAbout('ifHeld') || writes.some((write) => write.tagKeys !== undefined);
  if (areTagsHeld) await botValues?.readTagsOf(held);
  return { state, contacts, tokens, botValues };
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
function changesOf(botId: string, plan: WritePlan, before: BotState): Change[] {
  const changes: Change[] = [];
  const { deleted, updated, inserted, tokens, events } = plan;
  const { revoked, tokenlessIds, created: newTokens, max: tokensMax } = tokens;
  if (revoked.length > 0) changes.push(['deleteTokens', botId, revoked]);
  if (tokenlessIds.length > 0) changes.push(['deleteTokensOf', botId, tokenlessIds]);
  const deletedIds = deleted.map(({ row: [id] }) => id);
  if (deletedIds.length > 0)
    changes.push(['deleteContacts', botId, deletedIds], ['forgetResponses', botId, deletedIds]);
  if (updated.length > 0) {
    const columns = columnsOf(botId, updated);
    if (!updated.some(hasValueChange)) changes.push(['updateContacts', botId, ...columns]);
    else changes.push(['updateContactsWithValues', botId, ...columns, ...valueColumnsOf(botId, updated)]);
  }
  if (inserted.length > 0) {
    const columns = columnsOf(botId, inserted);
    if (!inserted.some(hasValueChange)) changes.push(['insertContacts', botId, ...columns]);
    else changes.push(['insertContactsWithValues', botId, ...columns, ...valueColumnsOf(botId, inserted)]);
  }
  changes.push(...changesOfValues(botId, plan.valueChanges, plan.nextValueNumber));
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
    const times = tokens.seen.map(({ seenAtMs }) => seenAtMs);
    changes.push(
      ['noteTokensSeen', botId, tokens.seen.map(({ hash }) => hash), times],
      ['noteContactsSeen', botId, tokens.seen.map(({ contactId }) => contactId), times],
    );
  }
  const isCounted = plan.contactCount !== before.contactCount || plan.lastCreatedUs !== before.lastCreatedUs;
  if (isCounted || events.count > 0) {
    const { finished, createdLastDay } = countByDay(
      before,
      inserted.map(({ row: [, , , , , , createdUs] }) => createdUs),
    );
    for (const { day, count } of finished) {
      changes.push(['addToDay', botId, day, count], ['removeOldDays', botId, day - keptDays]);
    }
    changes.push(['saveState', botId, plan.contactCount, plan.lastCreatedUs, createdLastDay, events.last]);
  }
  return changes;
}

/** Rows turned into columns, as the statements take them: see `rows` in statements.ts. */
function columnsOf(botId: string, contacts: readonly StoredContact[]): Value[] {
  const column = (index: number) => contacts.map(({ row }) => row[index] as string | number);
  return [
    ...Array.from({ length: 8 }, (_, index) => column(index)),
    contacts.map(({ emailKey }) => emailKey),
    ...searchColumnsOf(
      botId,
      contacts.map(({ row }) => documentOfRow(row)),
    ),
  ];
}

function valueColumnsOf(botId: string, contacts: readonly StoredContact[]): Value[] {
  const values = contacts.map(({ row }) => valuesOfRow(row));
  const filters = filterColumnsOf(botId, values);
  return [values.map(([attributes]) => attributes), values.map(([, tags]) => tags), ...filters];
}
