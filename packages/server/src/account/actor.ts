// Who acts, and by what authority.
import type { WebhookMaker } from '@roster/contract';
import type { Authority } from '../store/account/account-store.ts';
import type { SecretState } from '../store/store.ts';

export type Actor =
  | { kind: 'member'; id: string; name: string }
  | { kind: 'secret'; secret: SecretState }
  | { kind: 'operator' }
  /** Before sign-in. */
  | { kind: 'anonymous' };

/** As a webhook names whoever made it. The operator makes none. */
export function makerOf(actor: Actor): WebhookMaker {
  if (actor.kind === 'secret') return { kind: 'secret', id: actor.secret.id, name: actor.secret.name };
  return actor.kind === 'member' ? actor : null;
}

/** The member or secret whose right the store checks again in the transaction of the action. */
export function authorityOf(actor: Actor): Authority {
  if (actor.kind === 'member') return { kind: 'member', id: actor.id };
  return actor.kind === 'secret' ? { kind: 'secret', id: actor.secret.id } : undefined;
}
