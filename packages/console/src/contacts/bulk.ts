// Actions on many contacts: the chosen ones, or all that match a search. Every contact is counted exactly once:
// matched = changed + unchanged + the failed ones.
import type { Contact, ContactSelection, ContactUpsert } from '@roster/client';
import { type Contacts, walkMatches } from '@roster/client/parts';
import { count, counted } from '../components/moment.tsx';

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
  | { kind: 'attribute'; key: string; value: string | number | boolean }
  | { kind: 'clear'; key: string };

export interface BulkResult {
  matched: number;
  changed: number;
  /** Had the tag or the value already, or were deleted before. */
  unchanged: number;
  /** How many failed, by reason. */
  failed: Readonly<Record<string, number>>;
}

/** What a task on many contacts reports. */
export interface BulkProgress {
  kind: 'bulk';
  action: BulkAction['kind'];
  total: number;
  result: BulkResult;
}

export const noResult: BulkResult = { matched: 0, changed: 0, unchanged: 0, failed: {} };

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
export async function runBulk({ contacts, chosen, action, signal, onProgress }: BulkRun): Promise<void> {
  let result = noResult;
  let batch: Contact[] = [];
  // A stop waits for the request in flight, so that what it does is counted.
  const flush = async () => {
    if (batch.length === 0 || signal.aborted) return;
    result = add(result, await runBatch(contacts, batch, action));
    batch = [];
    onProgress(result);
  };
  for await (const contact of contactsOf(contacts, chosen)) {
    if (signal.aborted) return;
    if (batch.push(contact) === batchSize) await flush();
  }
  await flush();
}

/**
 * Not by an export, which is a copy of everything and is treated as one. Contacts that are created meanwhile do not belong
 * to what was chosen: the walk begins with the newest one and only gets older.
 */
function contactsOf(contacts: Contacts, chosen: Chosen): Iterable<Contact> | AsyncIterable<Contact> {
  if ('contacts' in chosen) return chosen.contacts;
  return walkMatches((page) => contacts.search({ ...chosen.search, ...page, sort: '-createdAt' }));
}

async function runBatch(contacts: Contacts, batch: readonly Contact[], action: BulkAction): Promise<BulkResult> {
  const matched = batch.length;
  if (action.kind === 'delete') {
    const ids = batch.map(({ id }) => id);
    const { data } = await contacts.deleteMany(ids);
    const changed = data.filter(({ isDeleted }) => isDeleted).length;
    return { matched, changed, unchanged: matched - changed, failed: {} };
  }
  // Without a name no contact is created, where one was deleted meanwhile.
  const rows = batch.map(({ email }): ContactUpsert => ({ email, ...changesOf(action) }));
  const { data, errors } = await contacts.upsert(rows, { onError: 'skip', include: ['outcome'] });
  const changed = data.filter(({ outcome }) => outcome !== 'unchanged').length;
  const reasons = new Map(errors.map(({ index, message }) => [index, message]));
  const failed = addTimes(
    {},
    Array.from(reasons.values(), (reason) => [reason, 1]),
  );
  return { matched, changed, unchanged: data.length - changed, failed };
}

function changesOf(action: Exclude<BulkAction, { kind: 'delete' }>): Omit<ContactUpsert, 'email'> {
  if (action.kind === 'attribute') return { attributes: { [action.key]: action.value } };
  if (action.kind === 'clear') return { attributes: { [action.key]: null } };
  return action.kind === 'tag' ? { addTags: [action.tag] } : { removeTags: [action.tag] };
}

function add(one: BulkResult, two: BulkResult): BulkResult {
  return {
    matched: one.matched + two.matched,
    changed: one.changed + two.changed,
    unchanged: one.unchanged + two.unchanged,
    failed: addTimes(one.failed, Object.entries(two.failed)),
  };
}

function addTimes(
  failed: BulkResult['failed'],
  more: readonly [reason: string, times: number][],
): BulkResult['failed'] {
  const sum: Record<string, number> = { ...failed };
  for (const [reason, times] of more) sum[reason] = (sum[reason] ?? 0) + times;
  return sum;
}

const texts: Record<BulkAction['kind'], { changed: (contacts: string) => string; unchanged: string }> = {
  delete: { changed: (contacts) => `Deleted ${contacts}`, unchanged: 'already deleted' },
  tag: { changed: (contacts) => `Tagged ${contacts}`, unchanged: 'already had the tag' },
  untag: { changed: (contacts) => `Removed the tag from ${contacts}`, unchanged: 'didn’t have it' },
  attribute: { changed: (contacts) => `Set the attribute for ${contacts}`, unchanged: 'already had this value' },
  clear: { changed: (contacts) => `Removed the value from ${contacts}`, unchanged: 'had none' },
};

/** "Tagged 334 contacts. 2 already had the tag." */
export function describeResult({ action, result }: BulkProgress): string {
  const { changed, unchanged } = result;
  const failed = Object.values(result.failed).reduce((sum, times) => sum + times, 0);
  const sentences = [
    texts[action].changed(counted(changed, 'contact')),
    ...(unchanged > 0 ? [`${count(unchanged)} ${texts[action].unchanged}`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
  ];
  return `${sentences.join('. ')}.`;
}
