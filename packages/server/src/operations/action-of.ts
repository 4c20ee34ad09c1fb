// Makes an action for the use cases from a call: the actor by its credential, the audit entry by its operation.
import type { Credential, Operation } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { type Action, type Actor, memberActor } from '../account/actor.ts';
import { auditRecord } from '../account/audit.ts';
import type { SignedIn } from '../account/sessions.ts';
import type { AuditRecord } from '../store/account-store.ts';
import type { Bot, Secret } from '../store/store.ts';

interface ActingCall {
  operation: Operation;
  credential: Credential;
  session: SignedIn | undefined;
  secret: Secret | undefined;
  rawBody: unknown;
  request: { ip: string };
}

export function actionOf(call: ActingCall): Action {
  const { audit, refusalAudit } = call.operation;
  const actor = actorOf(call);
  return {
    actor,
    address: actor.kind === 'operator' ? undefined : call.request.ip,
    audit: typeof audit === 'object' ? audit.actions[fieldOf(call.rawBody, audit.field)] : audit,
    refusalAudit,
  };
}

/** Of an action on a bot's contacts. The entry names the bot and not the contacts, which may be deleted later. */
export function contactAudit(
  deps: Pick<AccountDeps, 'clock' | 'nextId'>,
  call: ActingCall & { bot: Bot },
  count = 1,
): AuditRecord | undefined {
  if (call.operation.audit === undefined) return undefined;
  const { bot } = call;
  return auditRecord(deps, actionOf(call), { organizationId: bot.organizationId, object: bot, count });
}

function actorOf({ credential, session, secret }: ActingCall): Actor {
  if (session !== undefined) return memberActor(session.member);
  if (secret !== undefined) return { kind: 'secret', id: secret.id, organizationId: secret.organizationId };
  return { kind: credential === 'operator' ? 'operator' : 'anonymous' };
}

function fieldOf(body: unknown, field: string): string {
  return (body as Record<string, string>)[field] ?? '';
}
