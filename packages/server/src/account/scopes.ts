// What a secret may do: compared with what an operation needs, and with what another secret may do. Pure.
import { allBots, type NeededPermissions, type Permission, permissionNames } from '@roster/contract';
import { AccountError } from './account-error.ts';

/** Permissions, and the bots that they are for. An empty list is no bot; undefined is every bot, those to come too. */
export interface Scope {
  permissions: readonly Permission[];
  bots: readonly string[] | undefined;
}

export const widestScope: Scope = { permissions: permissionNames, bots: undefined };

/** A scope as each request needs it: compared without looking through a list. */
export interface CompiledScope {
  /** A bit for each permission. */
  permissionBits: number;
  botIds: ReadonlySet<string> | undefined;
}

export function compileScope({ permissions, bots }: Scope): CompiledScope {
  return { permissionBits: bitsOf(permissions), botIds: bots && new Set(bots) };
}

/** What an operation needs of a secret. */
export interface NeededScope {
  permissionBits: number;
  isForAllBots: boolean;
}

export function neededScope(permissions: NeededPermissions | undefined, isForAllBots = false): NeededScope {
  return { permissionBits: bitsOf(permissions ?? []), isForAllBots };
}

/** Throws when the secret lacks what is needed. Every request with a secret passes it. */
export function requireScope({ permissionBits, botIds }: CompiledScope, needed: NeededScope): void {
  const missing = needed.permissionBits & ~permissionBits;
  if (missing !== 0) throw lacking(permissionNames[31 - Math.clz32(missing & -missing)] as Permission);
  if (needed.isForAllBots && botIds !== undefined) throw lacking(allBots);
}

export function requirePermission(scope: CompiledScope, name: Permission): void {
  if (!hasPermission(scope, name)) throw lacking(name);
}

export function hasPermission({ permissionBits }: CompiledScope, name: Permission): boolean {
  return (permissionBits & bitsOf([name])) !== 0;
}

/** Whether `inner` reaches no bot that `outer` does not. */
export function isWithinBots(inner: Pick<Scope, 'bots'>, outer: Pick<Scope, 'bots'>): boolean {
  const { bots } = outer;
  return bots === undefined || (inner.bots?.every((id) => bots.includes(id)) ?? false);
}

/** Throws when a secret with the scope `outer` lacks something of `inner`. */
export function requireWithin(inner: Scope, outer: Scope): void {
  const missing = inner.permissions.find((name) => !outer.permissions.includes(name));
  if (missing !== undefined) throw lacking(missing);
  if (!isWithinBots(inner, outer)) throw lacking(allBots);
}

function lacking(permission: Permission | typeof allBots): AccountError {
  const detail =
    permission === allBots
      ? 'This secret is limited to some bots. Use a secret for all bots.'
      : `This secret does not have the permission ${permission}. Use a secret that has it.`;
  return new AccountError('forbidden', detail, { permission });
}

function bitsOf(permissions: readonly Permission[]): number {
  return permissions.reduce((bits, name) => bits | (1 << permissionNames.indexOf(name)), 0);
}
