// The import, or the action on many contacts, that a request of the console belongs to. A header that says other than what the request
// does is ignored: the audit log must not.
import type { IncomingHttpHeaders } from 'node:http';
import { type AuditAction, type Operation, type TaskKind, taskActions, taskHeader } from '@roster/contract';
import type { AuditTask } from '../store/account/account-store.ts';

interface Call {
  operation: Operation;
  request: { headers: IncomingHttpHeaders };
  rawBody: unknown;
}

const nameLengthMax = 200;

/** What rows have beside the email. */
const members: { readonly [Kind in TaskKind]?: string } = {
  ...{ tag: 'addTags', untag: 'removeTags', attribute: 'attributes', clear: 'attributes' },
};

/** Of a call with a session. */
export function taskOf({ operation, request, rawBody }: Call): { audit: AuditAction; task: AuditTask } | undefined {
  const given = new URLSearchParams(`${request.headers[taskHeader.toLowerCase()] ?? ''}`);
  const [kind, id, name] = [given.get('kind') as TaskKind, given.get('id') ?? '', given.get('name') ?? ''];
  if (!Object.hasOwn(taskActions, kind) || !/^[\w-]{8,64}$/.test(id)) return undefined;
  const member = members[kind];
  if (operation.audit !== taskActions[member === undefined ? kind : 'import']) return undefined;
  const { data = [] } = (rawBody ?? {}) as { data?: unknown[] };
  if (member !== undefined && !data.every((row) => hasOnly(row, member))) return undefined;
  if (member === 'attributes' && !data.every((row) => isAboutKey(row as AttributeRow, name, kind === 'clear')))
    return undefined;
  const shown = kind === 'import' || member === 'attributes' ? name.slice(0, nameLengthMax) : null;
  return { audit: taskActions[kind], task: { id, name: shown, created: 0, updated: 0 } };
}

function hasOnly(row: unknown, member: string): boolean {
  if (typeof row !== 'object' || row === null) return false;
  return Object.keys(row).every((name) => name === 'email' || name === member);
}

interface AttributeRow {
  attributes?: Record<string, unknown> | null;
}

/** Whether it sets this attribute alone, or with `isClear` removes its value. */
function isAboutKey({ attributes }: AttributeRow, key: string, isClear: boolean): boolean {
  const given = Object.entries(attributes ?? {});
  return given.every(([each, value]) => each === key && (value === null || value === '') === isClear);
}
