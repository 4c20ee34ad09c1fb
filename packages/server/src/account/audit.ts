// The audit log: who did what, to which object, when and from where. Never what was secret about it. The store writes
// an entry in the transaction of the action that it is about.
import type { AuditAction } from '@roster/contract';
import { lowestId } from '../contacts/ids.ts';
import type { AuditEntry, AuditMerge, AuditRecord, Member } from '../store/account-store.ts';
import type { AccountAction, AccountDeps, Action } from './account-deps.ts';
import type { Actor } from './actor.ts';

/** The same again within this time is counted in the same entry. */
const mergeWithinMs = 10 * 60_000;

/**
 * Failed sign-ins, which strangers cause at will: those of an hour for one account are entries of so many addresses and
 * one of all others. So who has many addresses can neither fill the log nor push other entries far back.
 */
const failuresMerge = { withinMs: 60 * 60_000, addressesMax: 20 };

/** What members do many times in a row, and what anyone can cause at will. */
const merged: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'member.signInFailed',
  'contact.create',
  'contact.update',
  'contact.delete',
  'contact.revokeToken',
  'contact.revokeTokens',
  'contacts.import',
  'contacts.export',
]);

/** Undefined when the action leaves no entry: it declares none, or it concerned nothing. */
export function auditRecord(
  { clock, nextId }: Pick<AccountDeps, 'clock' | 'nextId'>,
  { organizationId, actor, address, audit }: AccountAction,
  object: { id?: string | undefined; name: string },
  { count = 1, filter }: { count?: number; filter?: string | undefined } = {},
): AuditRecord | undefined {
  if (audit === undefined || count === 0) return undefined;
  const atMs = clock();
  const entry = {
    id: nextId('auditEntry', atMs),
    organizationId,
    atMs,
    action: audit,
    actor: auditActor(actor),
    object: { id: object.id, name: object.name },
    address,
    count,
    filter,
  };
  return { entry, merge: mergeOf(audit, atMs) };
}

/** The entry about what members do to themselves. `nameAfter` is their name after it. */
export function ownRecord(
  deps: Pick<AccountDeps, 'clock' | 'nextId'>,
  action: Action,
  { id, name, organizationId }: Pick<Member, 'id' | 'name' | 'organizationId'>,
  nameAfter = name,
): AuditRecord | undefined {
  const actor = { kind: 'member', id, name } as const;
  return auditRecord(deps, { ...action, organizationId, actor }, { id, name: nameAfter });
}

function auditActor(actor: Actor): AuditEntry['actor'] {
  if (actor.kind === 'secret') return { kind: 'secret', id: actor.secret.id, name: actor.secret.name };
  if (actor.kind === 'member') return actor;
  const name = actor.kind === 'operator' ? 'operator' : 'nobody';
  return { kind: name, id: undefined, name };
}

function mergeOf(action: AuditAction, atMs: number): AuditMerge | undefined {
  if (!merged.has(action)) return undefined;
  const { withinMs, addressesMax } =
    action === 'member.signInFailed' ? failuresMerge : { withinMs: mergeWithinMs, addressesMax: undefined };
  return { from: lowestId('auditEntry', (atMs - withinMs) * 1000), addressesMax };
}
