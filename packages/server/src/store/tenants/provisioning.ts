// What the storage port takes and answers when an installation is provisioned.
import type { Role } from '@roster/contract';
import type { AuditEntry, Invitation, Organization } from '../account/account-store.ts';
import type { Bot, Secret } from './tenants.ts';

/**
 * All of it as it is to be created. What is found keeps its own id, and what belongs to it is created with that: ids in
 * `bot`, `secret` and the rest that name another part are replaced.
 */
export interface Provisioning {
  organization: Organization;
  bot: Bot;
  /** For the bot alone. */
  secret: Secret;
  /** Whether the secret was made for this call. If so, a secret of that name that the bot has, and that still works, takes its place. */
  isNewSecret: boolean;
  /** Left out: nobody is invited. */
  invitation?: { stored: Invitation; hash: Uint8Array } | undefined;
  /** Of each part that is created. */
  audit: { bot: AuditEntry; secret: AuditEntry; invitation?: AuditEntry | undefined };
}

export type ProvisioningOutcome =
  | ProvisionedParts
  /** Nothing was done: several have the name, or the secret does not open the bot. */
  | { kind: 'refused'; part: 'organization' | 'bot' | 'secret' };

export interface ProvisionedParts {
  kind: 'provisioned';
  organization: Part;
  bot: Part;
  secret: Part;
  /** Undefined: nobody was to be invited. */
  owner: ProvisionedOwner | undefined;
}

interface Part {
  id: string;
  isNew: boolean;
}

export interface ProvisionedOwner {
  role: Role;
  isNew: boolean;
  /** Of the invitation. Undefined: they have joined. */
  expiresAtMs: number | undefined;
}
