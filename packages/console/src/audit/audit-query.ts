// What of the audit log is read: its pages, narrowed by what the address of the page says.
import type { AuditEntry } from '@roster/contract';
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Connection } from '../api/connection.ts';
import { keys } from '../api/queries.ts';
import { type ActionGroup, actionGroups, actionsOf } from './describe-entry.ts';

interface AuditFilter {
  actor?: string | undefined;
  action?: readonly string[] | undefined;
  'at[gte]'?: string | undefined;
  'at[lt]'?: string | undefined;
}

/** A year that begins with 0 is still being typed. */
const dayForm = /^[1-9]\d{3}-\d\d-\d\d$/;

/** Days are those of the reader's time zone. */
export function filterOf(parameters: URLSearchParams): AuditFilter {
  const group = parameters.get('type') ?? '';
  return {
    actor: parameters.get('actor') || undefined,
    action: Object.hasOwn(actionGroups, group) ? actionsOf(group as ActionGroup) : undefined,
    'at[gte]': startOfDay(parameters.get('from'), 0),
    'at[lt]': startOfDay(parameters.get('to'), 1),
  };
}

function startOfDay(day: string | null, daysLater: number): string | undefined {
  if (day === null || !dayForm.test(day)) return undefined;
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

export function auditQuery(connection: Connection, filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...keys.audit, filter],
    queryFn: ({ pageParam, signal }) =>
      connection.call('listAuditEntries', { query: { ...filter, before: pageParam ?? undefined } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

const pageSizeMax = 200;

/** All pages. */
export async function readEntries(connection: Connection, filter: AuditFilter): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const page = await connection.call('listAuditEntries', { query: { ...filter, before, limit: pageSizeMax } });
    entries.push(...page.data);
    before = page.next;
  }
  return entries;
}
