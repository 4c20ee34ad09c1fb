// The operations that the console calls. The compiler compares method and path with the contract: importing the
// contract itself would add a schema library to the sign-in page.
import type { Effect } from '@roster/client/parts';
import type { operations } from '@roster/contract';
import type { z } from 'zod';

type Operations = typeof operations;
type Name = keyof Operations;

interface Endpoint<Of extends Name> {
  method: Operations[Of]['method'];
  path: Operations[Of]['path'];
  success: Operations[Of]['answer']['status'];
  /** Whether it may be retried: see the client. */
  effect: Effect;
}

const account = '/v1/account';
const contact = `${account}/bots/{botId}/contacts/{contactId}` as const;

export const endpoints = {
  readAccountState: { method: 'GET', path: `${account}/state`, success: 200, effect: 'read' },
  setUpAccount: { method: 'POST', path: `${account}/setup`, success: 200, effect: 'once' },
  signIn: { method: 'POST', path: `${account}/session`, success: 200, effect: 'repeatable' },
  readSession: { method: 'GET', path: `${account}/session`, success: 200, effect: 'read' },
  signOut: { method: 'DELETE', path: `${account}/session`, success: 204, effect: 'removal' },
  signOutEverywhere: { method: 'DELETE', path: `${account}/sessions`, success: 204, effect: 'removal' },
  listSessions: { method: 'GET', path: `${account}/sessions`, success: 200, effect: 'read' },
  endSession: { method: 'DELETE', path: `${account}/sessions/{sessionId}`, success: 204, effect: 'removal' },
  endOtherSessions: { method: 'DELETE', path: `${account}/session/others`, success: 204, effect: 'removal' },
  confirmPassword: { method: 'POST', path: `${account}/session/confirm`, success: 204, effect: 'once' },
  updateOwnMember: { method: 'PATCH', path: `${account}/member`, success: 200, effect: 'once' },
  leaveOrganization: { method: 'DELETE', path: `${account}/member`, success: 204, effect: 'removal' },
  changePassword: { method: 'POST', path: `${account}/password`, success: 200, effect: 'once' },
  readLink: { method: 'POST', path: `${account}/links/read`, success: 200, effect: 'read' },
  acceptInvitation: { method: 'POST', path: `${account}/invitations/accept`, success: 200, effect: 'once' },
  resetPassword: { method: 'POST', path: `${account}/password/reset`, success: 200, effect: 'once' },
  updateOrganization: { method: 'PATCH', path: `${account}/organization`, success: 200, effect: 'repeatable' },
  readOrganizationSettings: { method: 'GET', path: `${account}/organization/settings`, success: 200, effect: 'read' },
  updateOrganizationSettings: {
    method: 'PUT',
    path: `${account}/organization/settings`,
    success: 200,
    effect: 'repeatable',
  },
  listMembers: { method: 'GET', path: `${account}/members`, success: 200, effect: 'read' },
  updateMember: { method: 'PATCH', path: `${account}/members/{memberId}`, success: 200, effect: 'repeatable' },
  removeMember: { method: 'DELETE', path: `${account}/members/{memberId}`, success: 204, effect: 'removal' },
  listInvitations: { method: 'GET', path: `${account}/invitations`, success: 200, effect: 'read' },
  createInvitation: { method: 'POST', path: `${account}/invitations`, success: 201, effect: 'once' },
  revokeInvitation: {
    method: 'DELETE',
    path: `${account}/invitations/{invitationId}`,
    success: 204,
    effect: 'removal',
  },
  listSecrets: { method: 'GET', path: `${account}/secrets`, success: 200, effect: 'read' },
  createSecret: { method: 'POST', path: `${account}/secrets`, success: 201, effect: 'once' },
  updateSecret: { method: 'PATCH', path: `${account}/secrets/{secretId}`, success: 200, effect: 'repeatable' },
  revokeSecret: { method: 'DELETE', path: `${account}/secrets/{secretId}`, success: 204, effect: 'removal' },
  listBots: { method: 'GET', path: `${account}/bots`, success: 200, effect: 'read' },
  createBot: { method: 'POST', path: `${account}/bots`, success: 201, effect: 'once' },
  retrieveBot: { method: 'GET', path: `${account}/bots/{botId}`, success: 200, effect: 'read' },
  updateBot: { method: 'PATCH', path: `${account}/bots/{botId}`, success: 200, effect: 'repeatable' },
  deleteBot: { method: 'DELETE', path: `${account}/bots/{botId}`, success: 204, effect: 'removal' },
  retrieveOverview: { method: 'GET', path: `${account}/overview`, success: 200, effect: 'read' },
  retrieveBotOverview: { method: 'GET', path: `${account}/bots/{botId}/overview`, success: 200, effect: 'read' },
  listContactTokens: { method: 'GET', path: `${contact}/tokens`, success: 200, effect: 'read' },
  revokeContactTokens: { method: 'DELETE', path: `${contact}/tokens`, success: 204, effect: 'removal' },
  revokeListedToken: { method: 'DELETE', path: `${contact}/tokens/{tokenId}`, success: 204, effect: 'removal' },
  listEventsAsMember: { method: 'GET', path: `${account}/bots/{botId}/events`, success: 200, effect: 'read' },
  listAuditEntries: { method: 'GET', path: `${account}/audit`, success: 200, effect: 'read' },
} as const satisfies { [Of in Name]?: Endpoint<Of> };

export type EndpointName = keyof typeof endpoints;

type ParameterNames<Path extends string> = Path extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParameterNames<Rest>
  : never;

export type PathOf<Of extends EndpointName> = Record<ParameterNames<Operations[Of]['path']>, string>;
export type BodyOf<Of extends EndpointName> = Operations[Of] extends {
  body: { schema: infer Schema extends z.ZodType };
}
  ? z.input<Schema>
  : undefined;
/** The whole body: `{ data }` and any further members. */
export type AnswerOf<Of extends EndpointName> = Operations[Of]['answer'] extends {
  schema: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : null;
