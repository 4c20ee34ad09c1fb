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
  const { data = [] } = rawBody as { data?: Record<string, object | undefined>[] };
  if (member !== undefined && !data.every((row) => hasOnly(row, member, name))) return undefined;
  const shown = kind === 'import' || member === 'attributes' ? name.slice(0, nameLengthMax) : null;
  return { audit: taskActions[kind], task: { id, name: shown, created: 0, updated: 0 } };
}

function hasOnly(row: Record<string, object | undefined>, member: string, key: string): boolean {
  const { email: _, [member]: value = {}, ...others } = row;
  const isOfKey = member !== 'attributes' || Object.keys(value).every((each) => each === key);
  return isOfKey && Object.keys(others).length === 0;
}
