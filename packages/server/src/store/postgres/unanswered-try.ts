// A try of a transaction on contacts whose COMMIT was not answered: whether it is done, and what the next one comes to.
import type { Tag } from '../attribute-store.ts';
import { isRefused } from '../audit-sql.ts';
import type { UpsertOutcome } from '../store.ts';
import type { ReadFields } from './bot-fields.ts';
import type { BotState, Outcome, WritePlan } from './contact-plan.ts';
import type { StoredContact } from './planned-contact.ts';
import type { StoredToken } from './planned-tokens.ts';

/** What a try was about to commit when its connection broke, or a node was lost. */
export interface UnansweredTry {
  outcomes: Outcome[];
  /** Undefined when there was no such bot. */
  plan: WritePlan | undefined;
}

/** What a try reads under the lock of the bot. */
export interface ReadForWrite {
  state: BotState | undefined;
  contacts: StoredContact[];
  /** By the hash in hex. */
  tokens: Map<string, StoredToken>;
  /** Undefined: no write is about any. */
  fields: ReadFields | undefined;
  /** Whether the audit entry, or the events, of an earlier try were there already. */
  isRecorded: boolean;
}

/**
 * Whether an earlier try has nothing left to do: the contacts that it would have updated are as it would have left them, to
 * the millisecond. Attributes and tags may have been deleted since, and a repetition would bring them back.
 */
export function isDone(plan: WritePlan | undefined, { contacts, fields }: ReadForWrite): boolean {
  if (plan === undefined || plan.updated.length === 0 || plan.inserted.length > 0 || plan.tokens.areChanged)
    return false;
  const rows = new Map(contacts.map(({ row }) => [row[0], row]));
  // Had it not been committed, another tag could have got its number.
  const hasTag = ({ key, number }: Tag & { number: number }) => fields?.findTagByKey(key)?.number === number;
  return (
    plan.updated.every(({ row }) => rows.get(row[0])?.every((value, index) => value === row[index])) &&
    plan.deleted.every(({ row: [id] }) => !rows.has(id)) &&
    (plan.fieldChanges?.newTags ?? []).every(hasTag)
  );
}

/** The write is refused for its values, and an earlier try, which was not, may have been committed. */
export function isOutdated(earlier: Outcome | undefined, outcome: Outcome): boolean {
  const isInvalid = typeof outcome === 'object' && 'kind' in outcome && outcome.kind.startsWith('invalid_');
  return isInvalid && earlier !== undefined && !isRefused(earlier);
}

/**
 * What an unanswered try would have deleted, or changed, and is gone now counts as done. What it would have updated, and
 * needs no update now, was updated by it.
 */
export function settle(earlier: Outcome | undefined, outcome: Outcome): Outcome {
  if (earlier === undefined || isRefused(earlier)) return outcome;
  if (isUpserted(earlier) && isUpserted(outcome)) {
    const outcomes = outcome.outcomes.map((each, at) => (each === 'unchanged' ? (earlier.outcomes[at] ?? each) : each));
    return { ...outcome, outcomes };
  }
  if (Array.isArray(earlier) && Array.isArray(outcome)) {
    return outcome.map((isDeleted, at) => isDeleted || earlier[at] === true);
  }
  const isGone = outcome === false || (typeof outcome === 'object' && 'kind' in outcome && outcome.kind === 'missing');
  return isGone ? earlier : outcome;
}

function isUpserted(outcome: Outcome): outcome is UpsertOutcome & { kind: 'upserted' } {
  return typeof outcome === 'object' && 'kind' in outcome && outcome.kind === 'upserted';
}
