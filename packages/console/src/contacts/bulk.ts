// Actions on many contacts: the chosen ones, or all that match a search. Every contact is counted exactly once:
// matched = changed + unchanged + the failed ones.
import type { Contact, ContactSelection, ContactUpsert } from '@roster/client';
import { type Contacts, walkMatches } from '@roster/client/parts';

/** The chosen contacts, or the search of which all are meant, with the number that it had. */
export type Chosen = { contacts: readonly Contact[] } | ChosenMatches;

export interface ChosenMatches {
  search: ContactSelection;
  total: number;
  first: readonly Contact[];
}

export type BulkAction =
  | { kind: 'delete' }
  | { kind: 'tag' | 'untag'; tag: string }
  | { kind: 'attribute'; key: string; value: string | number | boolean | null };

export interface BulkResult {
  matched: number;
  changed: number;
  /** Had the tag or the value already, or were deleted before. */
  unchanged: number;
  /** How many failed, by reason. */
  failed: ReadonlyMap<string, number>;
}

export const noResult: BulkResult = { matched: 0, changed: 0, unchanged: 0, failed: new Map() };

/** As many as the API takes in one request. */
const batchSize = 1000;

export function countChosen(chosen: Chosen): number {
  return 'contacts' in chosen ? chosen.contacts.length : chosen.total;
}

interface BulkRun {
  contacts: Contacts;
  chosen: Chosen;
  action: BulkAction;
  signal: AbortSignal;
  onProgress(result: BulkResult): void;
}

/** When it rejects, what was done before stays done, and the last progress has counted it. */
export async function runBulk({ contacts, chosen, action, signal, onProgress }: BulkRun): Promise<BulkResult> {
  let result = noResult;
  let batch: Contact[] = [];
  const flush = async () => {
    if (batch.length === 0) return;
    result = add(result, await runBatch(contacts, batch, action, signal));
    batch = [];
    onProgress(result);
  };
  for await (const contact of contactsOf(contacts, chosen, signal)) {
    if (batch.push(contact) === batchSize) await flush();
  }
  await flush();
  return result;
}

/**
 * Not by an export, which is a copy of everything and is treated as one. Contacts that are created meanwhile do not belong
 * to what was chosen: the walk begins with the newest one and only gets older.
 */
function contactsOf(
  contacts: Contacts,
  chosen: Chosen,
  signal: AbortSignal,
): Iterable<Contact> | AsyncIterable<Contact> {
  if ('contacts' in chosen) return chosen.contacts;
  return walkMatches((page) => contacts.search({ ...chosen.search, ...page, sort: '-createdAt' }, { signal }));
}

async function runBatch(
  contacts: Contacts,
  batch: readonly Contact[],
  action: BulkAction,
  signal: AbortSignal,
): Promise<BulkResult> {
  const matched = batch.length;
  if (action.kind === 'delete') {
    const ids = batch.map(({ id }) => id);
    const { data } = await contacts.deleteMany(ids, { signal });
    const changed = data.filter(({ isDeleted }) => isDeleted).length;
    return { matched, changed, unchanged: matched - changed, failed: new Map() };
  }
  // Without a name no contact is created, where one was deleted meanwhile.
  const rows = batch.map(({ email }): ContactUpsert => ({ email, ...changesOf(action) }));
  const { data, errors } = await contacts.upsert(rows, { onError: 'skip', include: ['outcome'], signal });
  const changed = data.filter(({ outcome }) => outcome !== 'unchanged').length;
  const failed = new Map<string, number>();
  const reasons = new Map(errors.map(({ index, message }) => [index, message]));
  for (const message of reasons.values()) failed.set(message, (failed.get(message) ?? 0) + 1);
  return { matched, changed, unchanged: data.length - changed, failed };
}

function changesOf(action: Exclude<BulkAction, { kind: 'delete' }>): Omit<ContactUpsert, 'email'> {
  if (action.kind === 'attribute') return { attributes: { [action.key]: action.value } };
  return action.kind === 'tag' ? { addTags: [action.tag] } : { removeTags: [action.tag] };
}

function add(one: BulkResult, two: BulkResult): BulkResult {
  const failed = new Map(one.failed);
  for (const [reason, times] of two.failed) failed.set(reason, (failed.get(reason) ?? 0) + times);
  return {
    matched: one.matched + two.matched,
    changed: one.changed + two.changed,
    unchanged: one.unchanged + two.unchanged,
    failed,
  };
}
