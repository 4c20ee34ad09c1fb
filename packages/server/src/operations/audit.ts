// The audit log, for owners and secrets to read. No operation changes it.
import { type AuditEntry as AuditAnswer, rangeOperators } from '@roster/contract';
import { toTimestamp } from '../answers/answers.ts';
import { wholeTimeRange } from '../contacts/filter-input.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/operation-types.ts';
import type { AuditEntry } from '../store/account/account-store.ts';
import { accountActionOf } from './action-of.ts';

export function auditHandlers({ store, clock }: Pick<Deps, 'store' | 'clock'>) {
  return {
    async listAuditEntries(call) {
      const { before, limit, actor, action: actions } = call.query;
      const times = Object.fromEntries(rangeOperators.map((operator) => [operator, call.query[`at[${operator}]`]]));
      const page = { before, limit, actor, actions, ...wholeTimeRange(times, clock()) };
      const { entries, next } = await store.listAudit(accountActionOf(call).organizationId, page);
      return { body: { data: entries.map(toAnswer), next: next ?? null } };
    },
  } satisfies Partial<Handlers>;
}

function toAnswer({ id, atMs, action, actor, object, address, count, filter, task }: AuditEntry): AuditAnswer {
  return {
    id,
    at: toTimestamp(atMs),
    action,
    actor: { kind: actor.kind, id: actor.id ?? null, name: actor.name },
    object: { id: object.id ?? null, name: object.name },
    address: address ?? null,
    count,
    filter: filter?.split(',') ?? null,
    task: task ?? null,
  };
}
