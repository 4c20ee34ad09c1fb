// Makes an action for the use cases from a call: the actor by its credential, the audit entry by its operation.
import type { Credential, EventActor, Operation } from '@roster/contract';
import type { AccountAction, AccountDeps, Action } from '../account/account-deps.ts';
import type { Actor } from '../account/actor.ts';
import { auditRecord } from '../account/audit.ts';
import type { SignedIn } from '../account/sessions.ts';
import type { Logger } from '../log.ts';
import { toAddress } from '../network/addresses.ts';
import type { AuditRecord } from '../store/account-store.ts';
import type { EventStamp } from '../store/event-store.ts';
import type { Bot, SecretState } from '../store/store.ts';

export interface ActingCall {
  operation: Operation;
  credential: Credential;
  session: SignedIn | undefined;
  secret: SecretState | undefined;
  rawBody: unknown;
  request: { ip: string };
}

/** On an account: that of the member or the secret, or the one in the path of an operation of the operator. */
export interface AccountCall extends ActingCall {
  params: Partial<Record<string, string>>;
}

export function actionOf(call: ActingCall): Action {
  const { audit, refusalAudit } = call.operation;
  const actor = actorOf(call);
  return {
    actor,
    address: actor.kind === 'operator' ? undefined : toAddress(call.request.ip) || undefined,
    audit: typeof audit === 'object' ? audit.actions[fieldOf(call.rawBody, audit.field)] : audit,
    refusalAudit,
  };
}

export function accountActionOf(call: AccountCall): AccountAction {
  const organizationId = call.session?.organization.id ?? call.secret?.organizationId ?? call.params['organizationId'];
  if (organizationId === undefined) throw new Error(`${call.operation.id} names no organization`);
  return { ...actionOf(call), organizationId };
}

/** Of an action on a bot's contacts. The entry names the bot and not the contacts, which may be deleted later. */
export function contactAudit(
  deps: Pick<AccountDeps, 'clock' | 'nextId'>,
  call: ActingCall & { bot: Bot },
  count = 1,
  filter?: string,
): AuditRecord | undefined {
  return botAudit(deps, call, call.bot.name, { count, filter });
}

/** Of an action on something of a bot. What the entry calls it must not be a value of contacts. */
export function botAudit(
  deps: Pick<AccountDeps, 'clock' | 'nextId'>,
  call: ActingCall & { bot: Bot },
  name: string,
  counted: { count?: number; filter?: string | undefined } = {},
): AuditRecord | undefined {
  const { bot, operation } = call;
  if (operation.audit === undefined) return undefined;
  return auditRecord(deps, { ...actionOf(call), organizationId: bot.organizationId }, { id: bot.id, name }, counted);
}

type TracedDeps = Pick<AccountDeps, 'clock' | 'nextId'>;

/** What a write to a bot's contacts leaves behind, as the store takes it: its audit entry, and the stamp of its events. */
export function contactTraces(deps: TracedDeps, call: ActingCall & { bot: Bot }, count = 1) {
  return [contactAudit(deps, call, count), stampOf(deps, call)] as const;
}

/** The same for something of a bot, by the name that its entry has. */
export function botTraces(deps: TracedDeps, call: ActingCall & { bot: Bot }, name: string) {
  return [botAudit(deps, call, name), stampOf(deps, call)] as const;
}

function stampOf({ clock }: TracedDeps, call: ActingCall): EventStamp {
  return { actor: eventActorOf(call), atMs: clock() };
}

/** As events name whoever made them. */
export function eventActorOf(call: ActingCall): EventActor {
  const actor = actorOf(call);
  if (actor.kind === 'anonymous') throw new Error(`${call.operation.id} makes events without a credential`);
  const id = actor.kind === 'secret' ? actor.secret.id : actor.kind === 'member' ? actor.id : null;
  return { kind: actor.kind, id };
}

/** A line in the log for a change by the operator, with ids alone: never a name or a secret. */
export function logChange(
  { logger }: { logger: Logger },
  { credential, operation, params }: Pick<AccountCall, 'credential' | 'operation' | 'params'>,
  madeIds: Record<string, string> = {},
): void {
  if (credential !== 'operator') return;
  logger.info({ operation: operation.id, ...params, ...madeIds }, 'the operator made a change');
}

export function actorOf({ credential, session, secret }: ActingCall): Actor {
  if (session !== undefined) return { kind: 'member', id: session.member.id, name: session.member.name };
  if (secret !== undefined) return { kind: 'secret', secret };
  return { kind: credential === 'operator' ? 'operator' : 'anonymous' };
}

function fieldOf(body: unknown, field: string): string {
  return (body as Record<string, string>)[field] ?? '';
}
