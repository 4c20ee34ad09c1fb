// The audit log: who did what, to which object, when and from where. Never what was secret about it. The store writes
// an entry in the transaction of the action that it is about.
import type { AuditAction } from '@roster/contract';
import { lowestId } from '../contacts/ids.ts';
import type { AuditEntry, AuditMerge, AuditRecord, AuditTask, Member } from '../store/account/account-store.ts';
import type { WriteContext } from '../store/write-context.ts';
import type { AccountAction, AccountDeps, Action } from './account-deps.ts';
import type { Actor } from './actor.ts';

/** The same again within this time is counted in the same entry. */
const mergeWithinMs = 10 * 60_000;

/**
 * Failed sign-ins, which strangers cause at will: those of an hour for one account are entries of so many addresses and
 * one of all others. So who has many addresses can neither fill the log nor push other entries far back.
 */
const failuresMerge = { withinMs: 60 * 60_000, addressesMax: 20 };

/** A task may wait for others, and for the computer of its member. */
const taskWithinMs = 24 * 60 * 60_000;

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

interface Counted {
  count?: number;
  filter?: string | undefined;
  task?: AuditTask | undefined;
}

type ContextDeps = Pick<AccountDeps, 'clock' | 'nextId'>;

/** Of a write that makes no events. It leaves no audit entry when the action declares none, or it concerned nothing. */
export function writeContext(
  deps: ContextDeps,
  action: AccountAction,
  object: { id?: string | undefined; name: string },
  counted: Counted = {},
): WriteContext {
  const nowMs = deps.clock();
  return { nowMs, audit: auditRecord(deps, nowMs, action, object, counted), event: null };
}

/** Of what members do to themselves. `nameAfter`: what it leaves them with. */
export function ownContext(
  deps: ContextDeps,
  action: Action,
  { id, name, organizationId }: Pick<Member, 'id' | 'name' | 'organizationId'>,
  nameAfter = name,
): WriteContext {
  const actor = { kind: 'member', id, name } as const;
  return writeContext(deps, { ...action, organizationId, actor }, { id, name: nameAfter });
}

function auditRecord(
  { nextId }: ContextDeps,
  atMs: number,
  { organizationId, actor, address, audit }: AccountAction,
  object: { id?: string | undefined; name: string },
  { count = 1, filter, task }: Counted,
): AuditRecord | undefined {
  if (audit === undefined || count === 0) return undefined;
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
    task,
  };
  return { entry, merge: mergeOf(entry) };
}

function auditActor(actor: Actor): AuditEntry['actor'] {
  if (actor.kind === 'secret') return { kind: 'secret', id: actor.secret.id, name: actor.secret.name };
  if (actor.kind === 'member') return actor;
  const name = actor.kind === 'operator' ? 'operator' : 'nobody';
  return { kind: name, id: undefined, name };
}

function mergeOf({ action, atMs, task }: AuditEntry): AuditMerge | undefined {
  if (!merged.has(action) && task === undefined) return undefined;
  const { withinMs, addressesMax } =
    action === 'member.signInFailed'
      ? failuresMerge
      : { withinMs: task === undefined ? mergeWithinMs : taskWithinMs, addressesMax: undefined };
  return { from: lowestId('auditEntry', (atMs - withinMs) * 1000), addressesMax };
}
