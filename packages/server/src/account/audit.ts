// The audit log: who did what, to which object, when and from where. Never what was secret about it.
import type { AuditAction } from '@roster/contract';
import { lowestId, makeIdSource } from '../contacts/ids.ts';
import type { AuditEntry, Member } from '../store/account-store.ts';
import { OutcomeUnknownError, type Store, StoreUnavailableError } from '../store/store.ts';

/** The same again within this time is counted in the same entry. */
const mergeWithinMs = 10 * 60_000;

/** What people do many times in a row, and what anybody can make happen at will. */
const merged: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'member.signInFailed',
  'contact.create',
  'contact.update',
  'contact.delete',
  'contact.revokeTokens',
  'contacts.import',
  'contacts.export',
]);

export const operator: AuditEntry['actor'] = { kind: 'operator', id: undefined, name: 'operator' };
export const nobody: AuditEntry['actor'] = { kind: 'nobody', id: undefined, name: 'nobody' };

export function memberActor({ id, name }: Member): AuditEntry['actor'] {
  return { kind: 'member', id, name };
}

export interface Action {
  organizationId: string;
  actor: AuditEntry['actor'];
  action: AuditAction;
  object: { id?: string | undefined; name: string };
  /** Left out: the operator's, who has none. */
  address?: string;
  count?: number;
}

export type RecordAction = (action: Action) => Promise<void>;

/**
 * To be called after the action and before its answer: an action that cannot be recorded is answered as a failure, but
 * never as one that left things as they were.
 */
export function prepareAudit(store: Pick<Store, 'recordAudit'>, clock: () => number): RecordAction {
  const nextId = makeIdSource();
  return ({ organizationId, actor, action, object, address, count = 1 }) => {
    const atMs = clock();
    const { id, name } = object;
    const entry = {
      id: nextId('auditEntry', atMs),
      organizationId,
      atMs,
      action,
      actor,
      object: { id, name },
      address,
      count,
    };
    const merge = merged.has(action)
      ? {
          from: lowestId('auditEntry', (atMs - mergeWithinMs) * 1000),
          // Whoever guesses a password may do so from anywhere.
          isAcrossAddresses: action === 'member.signInFailed',
        }
      : undefined;
    return store.recordAudit({ entry, merge }).catch((cause) => {
      if (!(cause instanceof StoreUnavailableError)) throw cause;
      throw new OutcomeUnknownError('what was done could not be recorded', { cause });
    });
  };
}
