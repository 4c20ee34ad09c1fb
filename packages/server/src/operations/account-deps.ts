// What the operations of the account share: their parts, and how they tell the audit log what a member did.
import type { AuditAction } from '@roster/contract';
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

interface MembersCall {
  session: SignedIn;
  request: { ip: string };
}

/** In the log of the member's organization, with their name and address. */
export function recordFor(record: RecordAction, { session, request }: MembersCall) {
  return (action: AuditAction, object: { id?: string; name: string }, count = 1): Promise<void> =>
    record({
      organizationId: session.organization.id,
      actor: memberActor(session.member),
      action,
      object,
      address: request.ip,
      count,
    });
}
