// Makes an action for the use cases from a call: the actor by its credential, the audit entry by its operation.
import type { IncomingHttpHeaders } from 'node:http';
import type { Credential, EventActor, Operation } from '@roster/contract';
import type { AccountAction, AccountDeps, Action } from '../account/account-deps.ts';
import type { Actor } from '../account/actor.ts';
import { writeContext } from '../account/audit.ts';
import type { SignedIn } from '../account/sessions.ts';
import type { Logger } from '../log.ts';
import { toAddress } from '../network/addresses.ts';
import type { Bot, EventContext, SecretState } from '../store/store.ts';
import { taskOf } from './task-of.ts';

export interface ActingCall {
  operation: Operation;
  credential: Credential;
  session: SignedIn | undefined;
  secret: SecretState | undefined;
  rawBody: unknown;
  request: { ip: string; headers: IncomingHttpHeaders };
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

/**
 * Of a write to a bot's contacts, or to something of a bot that has a name. The audit entry names the bot and not the contacts,
 * which may be deleted later; what it calls something else must not be a value of contacts.
 */
export function contextOf(
  deps: Pick<AccountDeps, 'clock' | 'nextId'>,
  call: ActingCall & { bot: Bot },
  { name = call.bot.name, ...counted }: { name?: string; count?: number; filter?: string | undefined } = {},
): EventContext {
  const event = eventActorOf(call);
  if (call.operation.audit === undefined) return { nowMs: deps.clock(), audit: undefined, event };
  const { id, organizationId } = call.bot;
  const of = call.session && taskOf(call);
  const action = { ...actionOf(call), ...(of && { audit: of.audit }), organizationId };
  return { ...writeContext(deps, action, { id, name }, { ...counted, task: of?.task }), event };
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
