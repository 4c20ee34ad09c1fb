// What members do to themselves: sessions, the password asked for again, name and email, sign-out and leaving.
import type { AccountDeps } from '../account/account-deps.ts';
import type { Authentication } from '../account/authentication.ts';
import { prepareOwnAccount } from '../account/own-account.ts';
import type { Handlers } from '../http/operation-types.ts';
import { sessionCookieOf } from '../http/session-cookie.ts';
import { actionOf } from './action-of.ts';
import { toMemberAnswer, toSessionState } from './answers.ts';

export function ownAccountHandlers(deps: AccountDeps, authentication: Authentication) {
  const cookie = sessionCookieOf(deps.publicUrl);
  const own = prepareOwnAccount(deps, authentication);
  return {
    async listSessions({ session }) {
      const sessions = await own.listSessions(session);
      return { body: { data: sessions.map((each) => toSessionState(each, session)) } };
    },

    async endSession(call) {
      await own.endSession(actionOf(call), call.session, call.params.sessionId);
      return {};
    },

    async endOtherSessions(call) {
      await own.endOtherSessions(actionOf(call), call.session);
      return {};
    },

    async signOut(call) {
      await own.signOut(actionOf(call), call.session);
      return { cookies: [cookie.end()] };
    },

    async signOutEverywhere(call) {
      await own.signOutEverywhere(actionOf(call), call.session);
      return { cookies: [cookie.end()] };
    },

    async confirmPassword(call) {
      await own.confirmPassword(actionOf(call), call.session, call.body.password);
      return {};
    },

    async updateOwnMember(call) {
      return { body: { data: toMemberAnswer(await own.update(actionOf(call), call.session, call.body)) } };
    },

    async leaveOrganization(call) {
      await own.leave(actionOf(call), call.session);
      return { cookies: [cookie.end()] };
    },
  } satisfies Partial<Handlers>;
}
