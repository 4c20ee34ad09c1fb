// The last argument of every write of the storage port: when it happens, and what it leaves behind beside its own rows.
import type { EventActor } from '@roster/contract';
import type { AuditRecord } from './account/audit-entry.ts';

export interface WriteContext {
  /** Milliseconds since 1970, from the caller's clock. */
  nowMs: number;
  /** What the write leaves in the audit log unless it is refused. Undefined: nothing. */
  audit: AuditRecord | undefined;
  /** Who makes the events of the write. Null: it makes none. */
  event: EventActor | null;
}

/** Of a write that makes events. */
export interface EventContext extends WriteContext {
  event: EventActor;
}

/** Of a write that leaves no audit entry and makes no events. */
export function contextAt(nowMs: number): WriteContext {
  return { nowMs, audit: undefined, event: null };
}

/** By whom and when a write makes its events. That it may make any is seen to by the types of the port. */
export function eventOriginOf(context: WriteContext | undefined): { actor: EventActor; atMs: number } {
  if (!context?.event) throw new Error('a write that makes events names no actor');
  return { actor: context.event, atMs: context.nowMs };
}

/** The context of a write, from its arguments. Undefined: it is one that an engine makes for itself. */
export function contextIn(args: readonly unknown[]): WriteContext | undefined {
  const last = args.at(-1);
  return typeof last === 'object' && last !== null && 'event' in last ? (last as WriteContext) : undefined;
}
