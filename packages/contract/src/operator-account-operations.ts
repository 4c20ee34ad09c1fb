// What members do to their account and to themselves, and the operator may do to any of them: derived from the members'
// operations, under a path that names the organization, or the member too. Nothing is declared here but which they are.
import { accountOperations } from './account-operations.ts';
import type { Operation } from './operation.ts';

type AccountOperations = typeof accountOperations;

const ofOrganizations = [
  'updateOrganization',
  'updateMember',
  'removeMember',
  'createInvitation',
  'createSecret',
  'updateSecret',
  'revokeSecret',
  'createBot',
  'updateBot',
  'deleteBot',
] as const satisfies (keyof AccountOperations)[];

/** A session says whose they are; the operator's path does. */
const ofMembers = ['listSessions', 'endSession', 'signOutEverywhere'] as const satisfies (keyof AccountOperations)[];

export const operatorAccountNames = [...ofOrganizations, ...ofMembers] as const;
export type OperatorAccountName = (typeof operatorAccountNames)[number];

/** What is asked of members and of secrets, and not of the operator. */
type CallersOnly = 'role' | 'permissions' | 'isForAllBots';

const organization = '/v1/operator/organizations/{organizationId}';
const member = `${organization}/members/{memberId}` as const;

type PathOf<Name extends OperatorAccountName> = Name extends (typeof ofMembers)[number]
  ? typeof member
  : typeof organization;

type ForOperator<Op extends Operation, Path extends string> = Omit<Op, 'id' | 'path' | 'credentials' | CallersOnly> & {
  readonly id: Op['id'] extends `account.${infer Rest}` ? `operator.${Rest}` : never;
  readonly path: Op['path'] extends `/v1/account/${infer Rest}` ? `${Path}/${Rest}` : never;
  readonly credentials: readonly ['operator'];
};

type OperatorAccountOperations = {
  readonly [Name in OperatorAccountName as `${Name}AsOperator`]: ForOperator<AccountOperations[Name], PathOf<Name>>;
};

function forOperator(name: OperatorAccountName): [string, Operation] {
  const { role: _, permissions: _permissions, isForAllBots: _all, ...operation }: Operation = accountOperations[name];
  const derived = {
    ...operation,
    id: operation.id.replace('account.', 'operator.'),
    path: operation.path.replace('/v1/account', ofMembers.some((each) => each === name) ? member : organization),
    credentials: ['operator'],
  } as const;
  return [`${name}AsOperator`, derived];
}

export const operatorAccountOperations = Object.fromEntries(
  operatorAccountNames.map(forOperator),
) as OperatorAccountOperations;
