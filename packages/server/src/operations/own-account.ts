// What members do to themselves: sessions, the password asked for again, name and email, sign-out and leaving. The operator
// sees and ends the sessions of any member.
import type { AccountDeps } from '../account/account-deps.ts';
import type { Authentication } from '../account/authentication.ts';
import { requireMember } from '../account/members.ts';
import { prepareOwnAccount } from '../account/own-account.ts';
import { toMemberAnswer, toSessionState } from '../answers/answers.ts';
import type { AccountHandlers } from '../http/operation-types.ts';
import { sessionCookieOf } from '../http/session-cookie.ts';
import type { Member } from '../store/account/account-store.ts';
import { type AccountCall, accountActionOf, actionOf, logChange } from './action-of.ts';

export function ownAccountHandlers(deps: AccountDeps, authentication: Authentication) {
  const cookie = sessionCookieOf(deps.publicUrl);
  const own = prepareOwnAccount(deps, authentication);
  /** `Clear-Site-Data: "cookies"` would delete those of the whole registrable domain, so it names the storage alone. */
  const signedOut = { cookies: [cookie.end()], headers: { 'Clear-Site-Data': '"storage"' } };

  /** Who is signed in, or whom the operator names. */
  const memberOf = async (call: AccountCall): Promise<Member> =>
    call.session?.member ?? requireMember(deps, accountActionOf(call).organizationId, call.params['memberId'] ?? '');

  return {
    async listSessions(call) {
      const sessions = await own.listSessions(await memberOf(call));
      return { body: { data: sessions.map((each) => toSessionState(each, call.session)) } };
    },

    async endSession(call) {
      await own.endSession(accountActionOf(call), await memberOf(call), call.params.sessionId);
      logChange(deps, call);
      return {};
    },

    async endOtherSessions(call) {
      await own.endOtherSessions(actionOf(call), call.session);
      return {};
    },

    async signOut(call) {
      await own.signOut(actionOf(call), call.session);
      return signedOut;
    },

    async signOutEverywhere(call) {
      await own.endSessions(accountActionOf(call), await memberOf(call));
      logChange(deps, call);
      return call.session === undefined ? {} : signedOut;
    },

    async confirmPassword(call) {
      const token = await own.confirmPassword(actionOf(call), call.session, call.body.password);
      return token === undefined ? {} : { cookies: [cookie.begin(token, call.session.expiresAtMs - deps.clock())] };
    },

    async updateOwnMember(call) {
      return { body: { data: toMemberAnswer(await own.update(actionOf(call), call.session, call.body)) } };
    },

    async leaveOrganization(call) {
      await own.leave(actionOf(call), call.session);
      return signedOut;
    },
  } satisfies Partial<AccountHandlers>;
}
