// Set-up, sign-in, one-time links, sign-out, and the change of a password: answers and the session's cookie.
import type { AccountDeps } from '../account/account-deps.ts';
import type { Passwords } from '../account/passwords.ts';
import { csrfTokenOf, sessionTtlMs } from '../account/sessions.ts';
import { type Begun, prepareSignIn } from '../account/sign-in.ts';
import type { Handlers } from '../http/operation-types.ts';
import { sessionCookieOf } from '../http/session-cookie.ts';
import { actionOf } from './action-of.ts';
import { toMemberAnswer, toTimestamp } from './answers.ts';

export function signInHandlers(deps: AccountDeps & { passwords: Passwords }) {
  const cookie = sessionCookieOf(deps.publicUrl);
  const signIn = prepareSignIn(deps);

  const sessionAnswer = ({ member, organization, token, createdAtMs }: Begun) => ({
    body: {
      data: {
        member: toMemberAnswer(member),
        organization: { id: organization.id, name: organization.name },
        csrfToken: csrfTokenOf(token),
        createdAt: toTimestamp(createdAtMs),
        expiresAt: toTimestamp(createdAtMs + sessionTtlMs),
      },
    },
    headers: { 'Set-Cookie': cookie.begin(token, sessionTtlMs) },
  });

  return {
    async readAccountState() {
      return { body: { data: { isSetUp: await deps.store.hasOwner() } } };
    },

    async setUpAccount(call) {
      return sessionAnswer(await signIn.setUp(actionOf(call), call.body));
    },

    async signIn(call) {
      return sessionAnswer(await signIn.signIn(actionOf(call), call.body));
    },

    readSession({ session }) {
      const { member, organization, csrfToken, createdAtMs, expiresAtMs } = session;
      const { id, name } = organization;
      const times = { createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
      return { body: { data: { member: toMemberAnswer(member), organization: { id, name }, csrfToken, ...times } } };
    },

    async signOut(call) {
      await signIn.signOut(actionOf(call), call.session);
      return { headers: { 'Set-Cookie': cookie.end() } };
    },

    async signOutEverywhere(call) {
      await signIn.signOutEverywhere(actionOf(call), call.session);
      return { headers: { 'Set-Cookie': cookie.end() } };
    },

    async changePassword(call) {
      return sessionAnswer(await signIn.changePassword(actionOf(call), call.session, call.body));
    },

    async readLink({ body }) {
      const { kind, organizationName, email, expiresAtMs } = await signIn.findLink(body.token);
      return { body: { data: { kind, organizationName, email, expiresAt: toTimestamp(expiresAtMs) } } };
    },

    async acceptInvitation(call) {
      return sessionAnswer(await signIn.acceptInvitation(actionOf(call), call.body));
    },

    async resetPassword(call) {
      return sessionAnswer(await signIn.resetPassword(actionOf(call), call.body));
    },
  } satisfies Partial<Handlers>;
}
