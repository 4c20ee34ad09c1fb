// The audit log, for owners to read. Nobody can change it.
import type { AuditEntry as AuditAnswer, operations } from '@roster/contract';
import type { Deps } from '../deps.ts';
import type { Handler } from '../http/operation-types.ts';
import type { AuditEntry } from '../store/account-store.ts';
import { toTimestamp } from './timestamps.ts';

type Operations = typeof operations;

export function auditHandlers({ store }: Pick<Deps, 'store'>) {
  const listAuditEntries: Handler<Operations['listAuditEntries']> = async ({ session, query }) => {
    const { before, limit } = query;
    const { entries, next } = await store.listAudit(session.organization.id, { before, limit });
    return { body: { data: entries.map(toAnswer), next: next ?? null } };
  };

  return { listAuditEntries };
}

function toAnswer({ id, atMs, action, actor, object, address, count }: AuditEntry): AuditAnswer {
  return {
    id,
    at: toTimestamp(atMs),
    action,
    actor: { kind: actor.kind, id: actor.id ?? null, name: actor.name },
    object: { id: object.id ?? null, name: object.name },
    address: address ?? null,
    count,
  };
}
