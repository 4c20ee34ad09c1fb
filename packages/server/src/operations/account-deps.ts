// What the operations of the account share: their parts, and how they record what a member did.
import type { AuditAction, Operation } from '@roster/contract';
import { memberActor, type RecordAction } from '../account/audit.ts';
import type { Passwords } from '../account/passwords.ts';
import type { SignedIn } from '../account/sessions.ts';
import type { TenantCache } from '../account/tenant-cache.ts';
import type { makeIdSource } from '../contacts/ids.ts';
import type { Deps } from '../deps.ts';

export interface AccountDeps extends Pick<Deps, 'store' | 'clock'> {
  publicUrl: string;
  tenantCache: TenantCache;
  passwords: Passwords;
  record: RecordAction;
  nextId: ReturnType<typeof makeIdSource>;
}

interface RecordedCall {
  operation: Operation;
  session: SignedIn | undefined;
  rawBody: unknown;
  request: { ip: string };
}

/** Records what the operation declares, in the log of the member's organization. A call with a secret leaves nothing. */
export function recordFor(record: RecordAction, call: RecordedCall, action = declaredAction(call)) {
  const { session, request } = call;
  return async (object: { id?: string; name: string }, count = 1): Promise<void> => {
    if (session === undefined || action === undefined || count === 0) return;
    const actor = memberActor(session.member);
    await record({ organizationId: session.organization.id, actor, action, object, address: request.ip, count });
  };
}

function declaredAction({ operation: { audit }, rawBody }: RecordedCall): AuditAction | undefined {
  if (typeof audit !== 'object') return audit;
  return audit.actions[String((rawBody as Record<string, unknown>)[audit.field])];
}
